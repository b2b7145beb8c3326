"""Progress of a run, with the scores of the finished sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from psa_core.scoring._base import CellScores


@dataclass(frozen=True, eq=False)
class Progress:
    """The state of a run after one more window of texts.

    Attributes
    ----------
    sentences_done, sentences_total : int
        Sentences whose every cell is scored, and all of them.
    texts_done, texts_total : int
        Distinct texts that the model has scored, and all that it has to; known ones are not counted.
    seconds : float
        Since the run began.
    texts_per_second : float
        Of the model; 0 before its first answer.
    seconds_left : float or None
        Estimate; None before the first answer.
    texts_truncated : int
        Scored texts that the model cut at its length limit.
    """

    sentences_done: int
    sentences_total: int
    texts_done: int
    texts_total: int
    seconds: float
    texts_per_second: float
    seconds_left: float | None
    texts_truncated: int = 0
    _partial: Callable[[], CellScores] = field(repr=False, kw_only=True)

    def partial(self) -> CellScores:
        """Scores of the finished sentences, others NaN; made when asked for, valid only until the window returns."""
        return self._partial()
