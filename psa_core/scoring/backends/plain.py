"""Score texts in chunks with a scorer's own ``score``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from psa_core.models import Scorer
from psa_core.scoring._base import Check, checked

WINDOW_SECONDS = 2.0
_CHUNK_SECONDS = 0.25
_MAX_TEXTS = 65_536
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
        return min(_MAX_TEXTS, round(self._chunk * WINDOW_SECONDS / _CHUNK_SECONDS))

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
            self._chunk = min(_MAX_TEXTS, 2 * self._chunk)
