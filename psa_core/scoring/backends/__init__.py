"""Every way to compute a model, and the choice between them. What needs torch is imported for models that have it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psa_core.models import Scorer
from psa_core.scoring._base import WINDOW_SECONDS, Backend, Check, ScoringOptions, checked

_CHUNK_SECONDS = 0.25
_MAX_TEXTS = 65_536
_FIRST_CHUNK = 32


def choose_backend(scorer: Scorer, options: ScoringOptions, *, sample: Sequence[str] = (), total: int = 0) -> Backend:
    """Decide how to score: the fastest installed way with the required precision.

    `sample` holds some of the `total` texts, as probes for verification and calibration; a measurement has to be worth
    it. Raises `OptionError` when a backend was asked for that is not installed.
    """
    steps = ("tokenize", "truncated", "forward", "reduce")
    if not hasattr(scorer, "max_tokens") or not all(callable(getattr(scorer, step, None)) for step in steps):
        return PlainBackend(scorer)
    from psa_core.scoring.backends.choice import token_backend

    return token_backend(scorer, options, sample=sample, total=total)  # type: ignore[arg-type]


@dataclass
class PlainBackend(Backend):
    """Scores with whatever the scorer does, in chunks that take about a quarter of a second.

    A scorer that says how many texts it takes at a time (`batch`) begins with windows of eight times that, since a
    window is what a failure can lose. One that spreads a chunk over several requests at once says how long a chunk
    should take (`chunk_seconds`), so that few of them wait for the last one of each chunk.
    """

    scorer: Scorer
    name = "scorer"

    def __post_init__(self) -> None:
        self._chunk = min(_FIRST_CHUNK, getattr(self.scorer, "batch", _FIRST_CHUNK))
        self._chunk_seconds = float(getattr(self.scorer, "chunk_seconds", _CHUNK_SECONDS))

    @property
    def window_texts(self) -> int:  # type: ignore[override]
        return min(_MAX_TEXTS, max(self._chunk, round(self._chunk * WINDOW_SECONDS / self._chunk_seconds)))

    def score(self, texts: Sequence[str], check: Check) -> np.ndarray:
        parts, start = [np.empty((0, len(self.scorer.targets)), dtype=np.float32)], 0
        while start < len(texts):
            check()
            chunk = list(texts[start : start + self._chunk])
            began = time.perf_counter()
            scores = self.scorer.score(chunk)
            parts.append(checked(scores, len(chunk), self.scorer.targets, scorer=self.scorer.fingerprint))
            start, seconds = start + len(chunk), time.perf_counter() - began
            if seconds > 4 * self._chunk_seconds:
                self._chunk = max(1, self._chunk // 2)
            elif seconds < self._chunk_seconds / 2 and len(chunk) == self._chunk:
                self._chunk = min(_MAX_TEXTS, 2 * self._chunk)
        return np.concatenate(parts)
