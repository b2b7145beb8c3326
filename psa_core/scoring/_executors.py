"""Where windows of texts are scored: in this process, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from psa_core.models import Scorer
from psa_core.scoring._base import Account, Backend, Check, ScoringOptions
from psa_core.scoring._ledger import Job
from psa_core.scoring._ray import open_ray
from psa_core.scoring.backends.choice import choose_backend


class Executor(Protocol):
    """The seam: takes windows of texts as it can, gives them back with their scores."""

    @property
    def window_texts(self) -> int:
        """About as many texts as take two seconds; asked before each window."""
        ...

    def account(self) -> Account:
        """Where and how the scores so far were computed."""
        ...

    def stream(self, jobs: Iterator[Job], check: Check, /) -> Generator[tuple[Job, np.ndarray]]:
        """Each job with its scores (m, T), in any order; calls `check` about every second, which may raise."""
        ...


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


def open_executor(scorer: Scorer, options: ScoringOptions, *, sample: tuple[str, ...], total: int) -> Executor:
    """The executor that the options name, ready to score ``total`` texts like those of the sample."""
    if options.executor.partition(":")[0] == "ray":
        return open_ray(scorer, options, sample=sample, total=total)
    return LocalExecutor(choose_backend(scorer, options, sample=sample, total=total))
