"""Parse numbers in files and ranges of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.plurals import verb

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


USUAL = ((0.0, 1.0), (-1.0, 1.0))
#: Scores at either end without which the others are looked at: one in so many, and at least one of ten or more.
ONE_IN, MIN_SCORES = 100, 10
#: The range is so many times as wide as that of the others, where those at its ends count as far.
FAR = 10


@dataclass(frozen=True)
class FoundRange:
    """The range that holds all scores of a target.

    Attributes
    ----------
    low, high : float
        [0, 1] or [-1, 1] where the scores fit in, else whole numbers around them.
    others : tuple of float
        The same of most scores, where a few lie far from them; else ``(low, high)``.
    count, far : int
        Scores, and those that are far beyond `others`.
    farthest : int
        Position of the one that is farthest, of any.
    is_declared : bool
        Whether somebody said which range it is.
    """

    low: float
    high: float
    others: tuple[float, float]
    count: int
    far: int
    farthest: int
    is_declared: bool = False

    @classmethod
    def of(cls, scores: np.ndarray) -> FoundRange:
        """The range of scores (R,)."""
        low, high = range_of(scores)
        cut = max(1, len(scores) // ONE_IN) if len(scores) >= MIN_SCORES else 0
        others = range_of(np.sort(scores)[cut : len(scores) - cut])
        width = others[1] - others[0]
        if high - low <= FAR * width:
            others = (low, high)
        excess = np.maximum(scores - others[1], others[0] - scores)
        return cls(low, high, others, len(scores), int((excess > width).sum()), int(excess.argmax()))

    def declared(self, low: float, high: float) -> FoundRange:
        """The range that somebody said."""
        return replace(self, low=low, high=high, others=(low, high), is_declared=True)

    @property
    def threshold(self) -> float | None:
        """0 where scores are of both signs, else the middle of most of them; None for the middle of the range."""
        if self.is_declared or (self.low, self.high) in USUAL:
            return None
        low, high = self.others
        return 0.0 if low < 0 < high else (low + high) / 2

    @property
    def words(self) -> str:
        """The range, and why it is that, where it is not a usual one.

        Examples
        --------
        >>> FoundRange.of(np.array([-3.0, 11.5])).words
        '−3 to 12, from the values in the file; flagged at 0 and above'
        """
        scale = scale_words(self.low, self.high)
        if self.is_declared:
            return f"{scale}, as declared"
        if self.threshold is None:
            return scale
        return f"{scale}, from the values in the file; flagged at {figure(self.threshold)} and above"

    def warning(self, name: str, scores: np.ndarray, texts: pd.Series) -> str:
        """That a few scores are far from all others; empty where none is."""
        if self.others == (self.low, self.high):
            return ""
        return (
            f"{name}: {self.far:,} of {self.count:,} scores {verb(self.far, 'are', 'is')} far from the others, which "
            f"lie within {scale_words(*self.others)}; the farthest is {figure(scores[self.farthest])}, of "
            f"{texts.iloc[self.farthest][:80]!r}. If that is a mistake, correct the file and use it again."
        )


def scale_words(low: float, high: float) -> str:
    """``−3 to 12``."""
    return f"{figure(low)} to {figure(high)}"


def figure(value: float) -> str:
    """``1,000,000``, ``−0.5``."""
    return f"{float(value) + 0.0:,.7g}".replace("-", "−")
