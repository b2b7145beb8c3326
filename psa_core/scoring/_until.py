"""Stop scoring when intervals are narrow enough."""

from __future__ import annotations

import numpy as np

from psa_core.scoring._ledger import Ledger

MIN_SENTENCES = 30


class PrecisionGoal:
    """Stop when the t interval of every name's ScoreSens, for every target, is narrower than a width.

    Sentences come in random order, so those that are finished are a simple random sample of all. Fewer than thirty are
    never enough: the first few may by chance not differ at all, which would make an interval of width zero.

    Parameters
    ----------
    width : float or None
        In units of the score; None is never reached.
    confidence : float
        Level of the interval.

    Attributes
    ----------
    stop : int or None
        Number of sentences at which the goal was reached.
    """

    def __init__(self, width: float | None, confidence: float) -> None:
        self.width, self.confidence = width, confidence
        self.stop: int | None = None
        self._count = 0
        self._sum: np.ndarray | float = 0.0
        self._squares: np.ndarray | float = 0.0

    def reached(self, ledger: Ledger) -> bool:
        """Take in the sentences that were finished since the last call; whether they suffice."""
        if self.width is None:
            return False
        differences = ledger.differences(self._count, ledger.finished)
        self._count += len(differences)
        self._sum = self._sum + differences.sum(axis=0)
        self._squares = self._squares + (differences**2).sum(axis=0)
        if self._count >= MIN_SENTENCES and float(np.max(self._widths())) < self.width:
            self.stop = self._count
        return self.stop is not None

    def _widths(self) -> np.ndarray:
        from scipy.special import stdtrit

        mean = self._sum / self._count
        variance = np.maximum(self._squares / self._count - mean**2, 0) * self._count / (self._count - 1)
        quantile = stdtrit(self._count - 1, 0.5 + self.confidence / 2)
        return 2 * quantile * np.sqrt(variance / self._count)
