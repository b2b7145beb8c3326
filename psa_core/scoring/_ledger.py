"""Bookkeeping of a run: distinct texts, which are scored, and which sentences are finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from psa_core.cache import digests
from psa_core.scoring._base import Cells

_STEP = 65_536


@dataclass(frozen=True, eq=False)
class Window:
    """One window of texts to score: ``ids`` (m,) into the ledger, and the m distinct texts."""

    ids: np.ndarray
    texts: tuple[str, ...]


class Ledger:
    """What is known and what is missing of a study, in the seeded order of its sentences.

    Every cell is hashed once; a text is owned by the first cell that shows it, so a sentence is finished when all texts
    owned by it and by the sentences before it are scored. Per cell it holds 4 bytes, per distinct text 32 + 4 T, and no
    text. ``keys`` (U,) are the sorted digests of the distinct texts, ``scores`` (U, T), ``known`` (U,).
    """

    def __init__(self, cells: Cells, *, seed: int, width: int, key: bytes) -> None:
        self._cells, self._originals = cells, cells.originals()
        self.order = np.random.default_rng(seed).permutation(len(self._originals))
        rows = [digests(self._row(sentence), key=key) for sentence in self.order]
        every = np.concatenate(rows) if rows else digests(())
        self.keys, self._first, where = np.unique(every, return_index=True, return_inverse=True)
        self._where = where.astype(np.int32).reshape(len(rows), self.columns)
        self.scores = np.zeros((len(self.keys), width), dtype=np.float32)
        self.known = np.zeros(len(self.keys), dtype=bool)
        self._todo = np.argsort(self._first)
        self._todo_done = 0

    @property
    def columns(self) -> int:
        """Cells of a sentence, the original one included: N + 1."""
        return len(self._cells.names) + 1

    def enter(self, ids: np.ndarray, scores: np.ndarray) -> None:
        """Note the scores (m, T) of texts ``ids`` (m,)."""
        self.scores[ids], self.known[ids] = scores, True
        while self._todo_done < len(self._todo):
            ahead = self.known[self._todo[self._todo_done : self._todo_done + _STEP]]
            run = len(ahead) if ahead.all() else int(ahead.argmin())
            self._todo_done += run
            if run < len(ahead):
                break

    @property
    def finished(self) -> int:
        """Number of sentences, from the start of the order, whose texts are all scored."""
        if self._todo_done == len(self._todo):
            return len(self.order)
        return int(self._first[self._todo[self._todo_done]]) // self.columns

    def windows(self, size: Callable[[], int]) -> Iterator[Window]:
        """Split the texts that are not scored into windows, as the sentences need them.

        `size` is asked before each window for its least number of texts; a window ends with a whole sentence. Known
        scores do not shift the borders, so a run that is resumed makes the same windows as one that was not
        interrupted.
        """
        missing = self._todo[~self.known[self._todo]]
        rows, start = self._first[missing] // self.columns, 0
        while start < len(missing):
            last = min(start + size(), len(missing)) - 1
            stop = int(np.searchsorted(rows, rows[last], side="right"))
            yield Window(missing[start:stop], tuple(self._texts(missing[start:stop])))
            start = stop

    def cells(self, sentences: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the first sentences of the order, in place: original (S, T), perturbed (S, N, T), else NaN."""
        total, width = len(self.order), self.scores.shape[1]
        original = np.full((total, width), np.nan, dtype=np.float32)
        perturbed = np.full((total, self.columns - 1, width), np.nan, dtype=np.float32)
        for position, sentence in enumerate(self.order[:sentences]):
            row = self.scores[self._where[position]]
            original[sentence], perturbed[sentence] = row[0], row[1:]
        return original, perturbed

    def differences(self, start: int, stop: int) -> np.ndarray:
        """``f(x_n) - f(x)`` of finished sentences start to stop of the order: float64 array (stop - start, N, T)."""
        rows = self.scores[self._where[start:stop]].astype(np.float64)
        return rows[:, 1:] - rows[:, :1]

    def _row(self, sentence: int) -> list[str]:
        return [self._originals[sentence], *self._cells.row(int(sentence))]

    def _texts(self, ids: np.ndarray) -> Iterator[str]:
        shown, row = -1, []
        for position, column in zip(*np.divmod(self._first[ids], self.columns), strict=True):
            if position != shown:
                shown, row = position, self._row(self.order[position])
            yield row[column]


MIN_SENTENCES = 30


class PrecisionGoal:
    """Stop when the t interval of every name's ScoreSens, for every target, is narrower than a width in score units.

    Sentences come in random order, so those that are finished are a simple random sample of all. Fewer than thirty are
    never enough: the first few may by chance not differ at all, which would make an interval of width zero. ``stop`` is
    the number of sentences at which the goal was reached; a width of None never is.
    """

    def __init__(self, width: float | None, confidence: float) -> None:
        self.width, self.confidence = width, confidence
        self.stop: int | None = None
        self._count = 0
        self._known: np.ndarray | float = 0.0
        self._sum: np.ndarray | float = 0.0
        self._squares: np.ndarray | float = 0.0

    def reached(self, ledger: Ledger) -> bool:
        """Take in the sentences that were finished since the last call; whether they suffice."""
        if self.width is None:
            return False
        differences = ledger.differences(self._count, ledger.finished)
        self._count += len(differences)
        self._known = self._known + np.isfinite(differences).sum(axis=0)
        self._sum = self._sum + np.nansum(differences, axis=0)
        self._squares = self._squares + np.nansum(differences**2, axis=0)
        if self._count >= MIN_SENTENCES:
            from scipy.special import stdtrit

            count = np.maximum(self._known, 2.0)  # of few valid answers an interval is wide
            mean = self._sum / count
            variance = np.maximum(self._squares / count - mean**2, 0) * count / (count - 1)
            width = 2 * stdtrit(count - 1, 0.5 + self.confidence / 2) * np.sqrt(variance / count)
            if np.min(self._known) >= MIN_SENTENCES and float(np.max(width)) < self.width:
                self.stop = self._count
        return self.stop is not None
