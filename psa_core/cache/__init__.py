"""Scores on disk, and a scorer that wraps a scorer and predicts only the misses.

The store holds digests and scores, never texts. A digest is taken with a random secret that lies in a file of its
own beside the store, so that the store alone cannot even be asked whether somebody scored a given text.
"""

from __future__ import annotations

from psa_core.cache._files import CacheWarning
from psa_core.cache._scorer import CachedScorer
from psa_core.cache._store import CacheInfo, ScoreCache, digests
from psa_core.cache_dir import cache_folder, room, shrink

__all__ = ["CacheInfo", "CacheWarning", "CachedScorer", "ScoreCache", "cache_folder", "digests", "room", "shrink"]
