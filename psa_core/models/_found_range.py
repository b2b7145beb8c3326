"""The range of a file's scores, where nobody declared one: which was taken, why, and what lies far from all others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core.models._numbers import range_of
from psa_core.plurals import verb

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
        beyond = np.maximum(scores - others[1], others[0] - scores)
        return cls(low, high, others, len(scores), int((beyond > width).sum()), int(beyond.argmax()))

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
            f"{texts.iloc[self.farthest][:80]!r}. If that is a slip, mend the file and bring it again."
        )


def scale_words(low: float, high: float) -> str:
    """``−3 to 12``."""
    return f"{figure(low)} to {figure(high)}"


def figure(value: float) -> str:
    """``1,000,000``, ``−0.5``."""
    return f"{float(value) + 0.0:,.7g}".replace("-", "−")
