"""Bookkeeping of a run: distinct texts, which are scored, and which sentences are finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from psa_core.cache import digests
from psa_core.scoring._base import Cells, Window

_STEP = 65_536
#: The fewest sentences whose interval says anything.
MIN_SENTENCES = 30


class Ledger:
    """What is known and what is missing of a study, in the seeded order of its sentences.

    Every cell is hashed once; a text is owned by the first cell that shows it, so a sentence is finished when all texts
    owned by it and by the sentences before it are scored. Per cell it holds 4 bytes, per distinct text 32 + 4 T, and no
    text. ``keys`` (U,) are the sorted digests of the distinct texts, ``scores`` (U, T), ``known`` (U,).
    """

    def __init__(self, cells: Cells, *, seed: int, width: int, key: bytes) -> None:
        self._cells, self._originals = cells, cells.originals()
        self.columns = 1 + len(cells.names)  # the original sentence is the first
        self.order = np.random.default_rng(seed).permutation(len(self._originals))
        rows = [digests(self._row(sentence), key=key) for sentence in self.order]
        every = np.concatenate(rows) if rows else digests(())
        self.keys, self._first, where = np.unique(every, return_index=True, return_inverse=True)
        self._where = where.astype(np.int32).reshape(len(rows), self.columns)
        self.scores = np.zeros((len(self.keys), width), dtype=np.float32)
        self.known = np.zeros(len(self.keys), dtype=bool)
        self._todo = np.argsort(self._first)
        self._todo_done = 0

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

    def precise(self, width: float) -> bool:
        """Whether the 95 % t interval of every name's ScoreSens, of every target, is narrower than a width.

        Sentences come in random order, so those that are finished are a simple random sample of all. Fewer than thirty
        are never enough: the first few may by chance not differ at all, which would make an interval of width zero.
        """
        from scipy.special import stdtrit

        rows = self.scores[self._where[: self.finished]].astype(np.float64)
        differences = rows[:, 1:] - rows[:, :1]
        valid = np.isfinite(differences).sum(axis=0)
        if len(rows) < MIN_SENTENCES or valid.min() < MIN_SENTENCES:  # of few valid answers an interval is wide
            return False
        spread = np.nanstd(differences, axis=0, ddof=1) / np.sqrt(valid)
        return bool((2 * stdtrit(valid - 1, 0.975) * spread).max() < width)

    def _row(self, sentence: int) -> list[str]:
        return [self._originals[sentence], *self._cells.row(int(sentence))]

    def _texts(self, ids: np.ndarray) -> Iterator[str]:
        shown, row = -1, []
        for position, column in zip(*np.divmod(self._first[ids], self.columns), strict=True):
            if position != shown:
                shown, row = position, self._row(self.order[position])
            yield row[column]
