"""Where windows of texts are scored: in this process, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Protocol

import numpy as np

from psa_core.models import Scorer
from psa_core.scoring._base import Account, Check, ScoringOptions
from psa_core.scoring._ledger import Job
from psa_core.scoring._ray import open_ray
from psa_core.scoring.backends.choice import choose_backend
from psa_core.scoring.backends.local import LocalExecutor


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


def open_executor(scorer: Scorer, options: ScoringOptions, *, sample: tuple[str, ...], total: int) -> Executor:
    """The executor that the options name, ready to score ``total`` texts like those of the sample."""
    if options.executor.partition(":")[0] == "ray":
        return open_ray(scorer, options, sample=sample, total=total)
    return LocalExecutor(choose_backend(scorer, options, sample=sample, total=total))
