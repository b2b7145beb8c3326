"""A scorer that caches the scores of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psa_core.cache._store import ScoreCache, digests
from psa_core.cube import Target
from psa_core.inputs.checks import as_texts
from psa_core.models import Scorer


@dataclass(frozen=True)
class CachedScorer:
    """A scorer that predicts only what its store does not hold; it can stand wherever a scorer can.

    Examples
    --------
    >>> CachedScorer(scorer, ScoreCache()).score(["He left."])  # doctest: +SKIP
    array([[0.07]], dtype=float32)
    """

    scorer: Scorer
    cache: ScoreCache

    @property
    def fingerprint(self) -> str:
        """That of the scorer inside: answers are the same."""
        return self.scorer.fingerprint

    @property
    def targets(self) -> tuple[Target, ...]:
        """Those of the scorer inside, length T."""
        return self.scorer.targets

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores of the texts in their order: float32 array (len(texts), T)."""
        texts = as_texts(texts)
        keys = digests(texts, key=self.cache.key(self.fingerprint))
        distinct, first, where = np.unique(keys, return_index=True, return_inverse=True)
        found, scores = self.cache.read(distinct, len(self.targets))
        missing = np.flatnonzero(~found)
        if len(missing):
            scores[missing] = self.scorer.score([texts[i] for i in first[missing]])
            self.cache.write(distinct[missing], scores[missing])
        return scores[where]
