"""Ways to compute a token scorer's logits; the scorer's own is the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import padded

TokenIds = Sequence[Sequence[int]]


class Forward(Protocol):
    """One way to compute logits.

    It may have a ``plan(token_ids, budget)``, the batches that suit it: positions, each batch at most `budget` tokens.
    """

    def __call__(self, token_ids: TokenIds) -> Any:
        """Logits of one batch (B, L), wherever they are."""
        ...

    def gather(self, batches: list[Any]) -> np.ndarray:
        """Logits of all batches, in their order: float32 array (n, L)."""
        ...


@dataclass(frozen=True)
class ScorerForward:
    """The scorer's own ``forward``: the reference that every other way is compared with."""

    scorer: TokenScorer

    def __call__(self, token_ids: TokenIds) -> np.ndarray:
        """Logits of one batch: float32 array (B, L)."""
        return self.scorer.forward(token_ids)

    def gather(self, batches: list[np.ndarray]) -> np.ndarray:
        """Logits of all batches: float32 array (n, L)."""
        return np.concatenate(batches)


@dataclass(frozen=True)
class Way:
    """A way to compute logits that may serve a model; it is compared with the scorer's own before it is trusted.

    Attributes
    ----------
    name : str
        What a result says of how it was computed.
    make : callable
        From a scorer to its `Forward`.
    exact : bool
        False for a shorter number format, which is used only when it was asked for.
    failures : callable
        The exceptions by which making or running it says that it cannot serve here.
    """

    name: str
    make: Callable[[Any], Forward]
    exact: bool = True
    failures: Callable[[], tuple[type[Exception], ...]] = tuple


def ids_and_mask(token_ids: TokenIds, pad: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one batch and which of their tokens are real: int64 arrays (B, longest)."""
    ids = padded(token_ids, pad)
    lengths = np.fromiter(map(len, token_ids), np.int64, len(token_ids))
    return ids, (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
