"""Scoring in this process."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from psa_core.models import Scorer
from psa_core.scoring._base import Account, Backend, Check, checked
from psa_core.scoring._ledger import Job

WINDOW_SECONDS = 2.0
_CHUNK_SECONDS = 0.25
_MOST_TEXTS = 65_536
_FIRST_CHUNK = 32


@dataclass
class PlainBackend:
    """Scores with whatever the scorer does, in chunks that take about a quarter of a second.

    Attributes
    ----------
    window_texts : int
        About as many texts as two seconds take. A scorer that says how many texts it takes at a time (`batch`) begins
        with windows of eight times that, since a window is what a failure can lose.
    """

    scorer: Scorer
    device: str = "cpu"
    name: str = "scorer"
    precision: str = "exact"
    truncated: int = 0
    notes: tuple[str, ...] = ()
    _chunk: int = field(default=_FIRST_CHUNK)

    def __post_init__(self) -> None:
        self._chunk = min(_FIRST_CHUNK, getattr(self.scorer, "batch", _FIRST_CHUNK))

    @property
    def window_texts(self) -> int:
        """Texts of the next window."""
        return min(_MOST_TEXTS, round(self._chunk * WINDOW_SECONDS / _CHUNK_SECONDS))

    def read(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts: nothing can be done ahead."""
        return texts

    def score(self, texts: Sequence[str], check: Check) -> np.ndarray:
        """Scores of the texts: float32 array (len(texts), T)."""
        parts, start = [np.empty((0, len(self.scorer.targets)), dtype=np.float32)], 0
        while start < len(texts):
            check()
            chunk = list(texts[start : start + self._chunk])
            began = time.perf_counter()
            scores = self.scorer.score(chunk)
            parts.append(checked(scores, len(chunk), len(self.scorer.targets), scorer=self.scorer.fingerprint))
            start += len(chunk)
            self._adapt(len(chunk), time.perf_counter() - began)
        return np.concatenate(parts)

    def _adapt(self, texts: int, seconds: float) -> None:
        if seconds > 4 * _CHUNK_SECONDS:
            self._chunk = max(1, self._chunk // 2)
        elif seconds < _CHUNK_SECONDS / 2 and texts == self._chunk:
            self._chunk = min(_MOST_TEXTS, 2 * self._chunk)


@dataclass(frozen=True)
class LocalExecutor:
    """Scores one window after the other with one backend; on a device the next one is read meanwhile."""

    backend: Backend

    @property
    def window_texts(self) -> int:
        """Texts of the next window."""
        return self.backend.window_texts

    def account(self) -> Account:
        """Where and how the scores were computed."""
        of = self.backend
        return Account(of.device, of.name, of.precision, of.truncated, of.notes)

    def stream(self, jobs: Iterator[Job], check: Check) -> Generator[tuple[Job, np.ndarray]]:
        """Each job with its scores (m, T), in turn."""
        if self.backend.device == "cpu":  # reading ahead would take the processor from the model
            for job in jobs:
                yield job, self.backend.score(self.backend.read(job.texts), check)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
            ahead = pool.submit(self._next, jobs)
            while (ready := ahead.result()) is not None:
                ahead = pool.submit(self._next, jobs)
                yield ready[0], self.backend.score(ready[1], check)

    def _next(self, jobs: Iterator[Job]) -> tuple[Job, Any] | None:
        job = next(jobs, None)
        return None if job is None else (job, self.backend.read(job.texts))
