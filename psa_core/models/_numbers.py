"""Parse numbers in files and ranges of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from psa_core.cube import Target
from psa_core.errors import ModelError

# How far beyond its target's range a score may be, as a share of the range or of 1: float32 rounds by less.
ROUNDING = 1e-6
#: A number with a decimal comma, and one whose comma may part thousands.
COMMA = r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?"
THOUSANDS = r"[-+]?[1-9]\d{0,2}(?:,\d{3})+"


def parse_range(text: str) -> tuple[float, float]:
    """Low and high from ``low..high``; raises `ModelError` when it is not that.

    Examples
    --------
    >>> parse_range("-1..1")
    (-1.0, 1.0)
    """
    try:
        low, high = (float(part) for part in text.split(".."))
    except ValueError:
        low = high = 0.0
    if not -np.inf < low < high < np.inf:
        raise ModelError("range", got=repr(text), expected="low..high, as in 1..5")
    return low, high


def range_of(scores: np.ndarray) -> tuple[float, float]:
    """[0, 1] or [-1, 1] where the scores (R,) fit in but for rounding, else whole numbers around them."""
    low, high = float(scores.min()), float(scores.max())
    if low >= -ROUNDING and high <= 1 + ROUNDING:
        return 0.0, 1.0
    if low >= -1 - ROUNDING and high <= 1 + ROUNDING:
        return -1.0, 1.0
    return float(np.floor(low)), float(np.ceil(high)) if np.ceil(high) > np.floor(low) else float(np.floor(low)) + 1


def first_outside(scores: np.ndarray, targets: Sequence[Target]) -> tuple[int, Target] | None:
    """Row and target of the first of the scores (rows, T) that is out of its range by more than rounding."""
    low, high = (np.array([getattr(target, edge) for target in targets]) for edge in ("low", "high"))
    slack = ROUNDING * np.maximum(1.0, high - low)
    rows, columns = np.nonzero((scores < low - slack) | (scores > high + slack))
    return (int(rows[0]), targets[int(columns[0])]) if len(rows) else None


def declared(target: Target) -> str:
    """The range of a target, in words."""
    return f"a number from {target.low:g} to {target.high:g}, the declared range of {target.name}"


def with_points(column: pd.Series) -> pd.Series:
    """Cells with a decimal point where the column has decimal commas; else the column.

    It has them where a comma stands in some cell that is no thousands' separator, and every other cell may be read so.

    Examples
    --------
    >>> with_points(pd.Series(["0,25", "-1", ""])).tolist(), with_points(pd.Series(["1,250", "2,000"])).tolist()
    (['0.25', '-1', ''], ['1,250', '2,000'])
    """
    cells = column.str.strip()
    if not cells.str.fullmatch(COMMA).any() or cells.str.contains(".", regex=False).any():
        return column
    is_thousands = cells.str.fullmatch(THOUSANDS)
    return column if is_thousands[cells.str.contains(",", regex=False)].all() else cells.str.replace(",", ".", n=1)


def column_numbers(column: pd.Series, name: str) -> np.ndarray:
    """Numbers of a column of predictions, NaN where a cell is empty: float32 (R,); else `ModelError`."""
    filled = with_points(column).str.strip()
    with np.errstate(over="ignore"):  # what is too large for a score becomes infinite, and is refused
        numbers = pd.to_numeric(filled, errors="coerce").to_numpy(np.float64).astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(numbers) & ~filled.str.lower().isin(["", "nan", "na", "null", "none"]))
    if len(wrong):
        raise ModelError(
            f"predictions column {name!r}",
            got=f"{column.iloc[wrong[0]]!r} in row {wrong[0] + 1}",
            expected="a finite number in each row",
        )
    return numbers
