"""Answers of external models as scores: their numbers, the ranges that these lie in, the targets they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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


def reason(error: BaseException) -> str:
    """What an error says, short enough for one sentence."""
    first_line = (str(error).strip().splitlines() or [""])[0].rstrip(".:")[:160]
    return first_line or type(error).__name__


def as_scores(answer: Any, texts: Sequence[str], *, targets: Sequence[Target], source: str, declare: str) -> np.ndarray:
    """An answer as a float32 array (rows, T); a flat list of numbers will do for one target.

    A number beyond its target's range by no more than rounding is put on its edge. `source` is who answered, as
    messages call it, `declare` how the range of a target is declared there. Raises `ModelError` when it is no array of
    finite numbers of that shape, or one of them is out of its target's range.
    """
    rows, width = len(texts), len(targets)
    expected = f"{rows} row{'s' * (rows != 1)} of {width} number{'s' * (width != 1)}, one row per text"
    try:
        if getattr(getattr(answer, "dtype", None), "kind", "") == "c":
            raise TypeError("complex numbers")
        scores = np.ma.filled(np.ma.asanyarray(_detached(answer), dtype=np.float64), np.nan)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise ModelError(source, got="an answer that is no table of numbers", expected=expected) from error
    if scores.ndim == 1 and len(targets) == 1:
        scores = scores[:, np.newaxis]
    if rows == 0 and scores.size == 0:
        return np.empty((0, len(targets)), np.float32)
    if scores.shape != (rows, len(targets)):
        raise ModelError(source, got=f"an answer of shape {scores.shape}", expected=expected)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        got = f"no finite score for text {row + 1} of {rows}"
        raise ModelError(source, got=got, expected=expected, fix=_quoted(texts[row]))
    outside = first_outside(scores, targets)  # by more than rounding
    if outside is not None:
        row, target = outside
        got = f"{scores[row, targets.index(target)]:.9g} for text {row + 1} of {rows}"
        fix = f"{_quoted(texts[row])} To declare another range, {declare}."
        raise ModelError(source, got=got, expected=declared(target), fix=fix)
    lows, highs = [target.low for target in targets], [target.high for target in targets]
    return np.clip(scores, lows, highs).astype(np.float32)


def by_target(answer: Any, *, targets: Sequence[Target], source: str) -> Any:
    """An answer that names its columns, with these in the order of the targets; any other answer as it came.

    Columns have names in a data frame, in a mapping from target to numbers and in a list of mappings, one a text. One
    column for one target may be called anything, and so may columns that are only counted (0, 1, …). Raises
    `ModelError` when the columns are not called as the targets are.
    """
    columns = columns_of(answer)
    if columns is None:
        return answer
    names, order = [name for name, _ in columns], [target.name for target in targets]
    if len(names) == len(order) == 1:
        return columns[0][1]
    if names == list(range(len(order))):
        order = names
    if sorted(map(str, names)) != sorted(map(str, order)):
        listed = ", ".join(map(str, names))[:300] or "none"
        raise ModelError(source, got=f"columns {listed}", expected=f"columns {', '.join(map(str, order))}")
    found: dict[str, np.ndarray] = {
        str(name): np.ma.filled(np.ma.asanyarray(_detached(values), object), np.nan) for name, values in columns
    }
    if len({values.shape for values in found.values()}) > 1 or not all(values.ndim for values in found.values()):
        raise ModelError(source, got="columns of different lengths", expected="one number per text in each column")
    return np.stack([found[str(name)] for name in order], axis=1)


def columns_of(answer: Any) -> list[tuple[Any, Any]] | None:
    """Names and values of an answer's columns, or None where they have no names."""
    if isinstance(answer, Mapping):
        return list(answer.items())
    if hasattr(answer, "columns") and hasattr(answer, "__getitem__"):
        return [(name, answer[name]) for name in answer.columns]
    if not isinstance(answer, list | tuple) or not answer or not all(isinstance(row, Mapping) for row in answer):
        return None
    names = list(dict.fromkeys(name for row in answer for name in row))
    return [(name, [row.get(name) for row in answer]) for name in names]


def _detached(answer: Any) -> Any:
    """A torch tensor as numbers, wherever it lies and whatever its format; anything else as it came."""
    return answer.detach().cpu().double() if callable(getattr(answer, "detach", None)) else answer


def _quoted(text: str) -> str:
    return f"The text is {text[:80]!r}{'…' * (len(text) > 80)}."


def as_targets(described: Any, *, source: str) -> tuple[Target, ...]:
    """Targets from Targets, names, or mappings with name, low, high and meaning; one of them may stand alone.

    Raises `ModelError` when there is none, two have one name, or a range is empty.
    """
    from psa_core.models._transformers.heads import safe_names

    described = (described,) if isinstance(described, str | Mapping | Target) else described

    def read(row: Any) -> Target:
        if isinstance(row, str | Target):
            return Target(row) if isinstance(row, str) else row
        low, high = float(row.get("low", 0.0)), float(row.get("high", 1.0))
        return Target(str(row["name"]), low, high, str(row.get("meaning", "")))

    try:
        targets = tuple(read(row) for row in described)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        got = f"targets {described!r:.200}"
        raise ModelError(source, got=got, expected="name, low, high of each target") from error
    names = [target.name for target in targets]
    if not names or safe_names(names) != names:
        expected = "at least one target, with distinct names of letters, digits and _ . + -"
        raise ModelError(source, got=f"the targets {', '.join(names) or 'none'}"[:300], expected=expected)
    if not all(-np.inf < target.low < target.high < np.inf for target in targets):
        raise ModelError(source, got="a target without a range", expected="low below high, both finite")
    return targets


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
        got = f"{column.iloc[wrong[0]]!r} in row {wrong[0] + 1}"
        raise ModelError(f"predictions column {name!r}", got=got, expected="a finite number in each row")
    return numbers


USUAL = ((0.0, 1.0), (-1.0, 1.0))
#: Scores at either end without which the others are looked at: one in so many, and at least one of ten or more.
ONE_IN, MIN_SCORES = 100, 10
#: The range is so many times as wide as that of the others, where those at its ends count as far.
FAR = 10


@dataclass(frozen=True)
class FoundRange:
    """The range that holds all scores of a target.

    From `low` to `high`: [0, 1] or [-1, 1] where the scores fit in, else whole numbers around them.
    """

    low: float
    high: float
    others: tuple[float, float]  # the same of most scores, where a few lie far from them; else (low, high)
    count: int
    far: int  # scores that are far beyond the others
    farthest: int  # position of the one that is farthest
    is_declared: bool = False  # whether somebody said which range it is

    @classmethod
    def of(cls, scores: np.ndarray) -> FoundRange:
        low, high = range_of(scores)
        cut = max(1, len(scores) // ONE_IN) if len(scores) >= MIN_SCORES else 0
        others = range_of(np.sort(scores)[cut : len(scores) - cut])
        width = others[1] - others[0]
        if high - low <= FAR * width:
            others = (low, high)
        excess = np.maximum(scores - others[1], others[0] - scores)
        return cls(low, high, others, len(scores), int((excess > width).sum()), int(excess.argmax()))

    def declared(self, low: float, high: float) -> FoundRange:
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
    return f"{figure(low)} to {figure(high)}"


def figure(value: float) -> str:
    """``1,000,000``, ``−0.5``."""
    return f"{float(value) + 0.0:,.7g}".replace("-", "−")
