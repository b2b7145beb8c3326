"""Where windows of texts are scored: in this process, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from psa_core.models import Scorer
from psa_core.scoring._base import Backend, Check, Conditions, ScoringOptions
from psa_core.scoring._ledger import Window
from psa_core.scoring._ray import open_ray
from psa_core.scoring.backends.choice import choose_backend


class Executor(Protocol):
    """The seam: takes windows of texts as it can, gives them back with their scores."""

    @property
    def window_texts(self) -> int:
        """About as many texts as take two seconds; asked before each window."""
        ...

    def conditions(self) -> Conditions:
        """Where and how the scores so far were computed."""
        ...

    def stream(self, windows: Iterator[Window], check: Check, /) -> Generator[tuple[Window, np.ndarray]]:
        """Each window with its scores (m, T), in any order; calls `check` about every second, which may raise."""
        ...


@dataclass(frozen=True)
class LocalExecutor:
    """Scores one window after the other with one backend; on a device the next one is read meanwhile."""

    backend: Backend

    @property
    def window_texts(self) -> int:
        """Texts of the next window."""
        return self.backend.window_texts

    def conditions(self) -> Conditions:
        """Where and how the scores were computed."""
        of = self.backend
        return Conditions(of.device, of.name, of.precision, of.truncated, of.notes)

    def stream(self, windows: Iterator[Window], check: Check) -> Generator[tuple[Window, np.ndarray]]:
        """Each window with its scores (m, T), in turn."""
        if self.backend.device == "cpu":  # reading ahead would take the processor from the model
            for window in windows:
                yield window, self.backend.score(self.backend.read(window.texts), check)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
            ahead = pool.submit(self._next, windows)
            while (ready := ahead.result()) is not None:
                ahead = pool.submit(self._next, windows)
                yield ready[0], self.backend.score(ready[1], check)

    def _next(self, windows: Iterator[Window]) -> tuple[Window, Any] | None:
        window = next(windows, None)
        return None if window is None else (window, self.backend.read(window.texts))


def open_executor(scorer: Scorer, options: ScoringOptions, *, sample: tuple[str, ...], total: int) -> Executor:
    """The executor that the options name, ready to score ``total`` texts like those of the sample."""
    if options.executor.partition(":")[0] == "ray":
        return open_ray(scorer, options, sample=sample, total=total)
    return LocalExecutor(choose_backend(scorer, options, sample=sample, total=total))
