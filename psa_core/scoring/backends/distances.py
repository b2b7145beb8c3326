"""What the distance of two tokens adds to their attention: DeBERTa's disentangled attention.

The model as it is multiplies every query and key with all distances that it knows (512 in the published ones), then
gathers the few that a short text has. Here only those are multiplied, and read where they lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from psa_core.scoring.backends.families import Layer, Relative


@dataclass(frozen=True, eq=False)
class Distances:
    """The learnt vectors of the distances of one layer (He et al. 2021, section 3.1, equation 4).

    Attributes
    ----------
    keys : tensor (heads, D, size) or None
        A query's partner for each distance that the model knows (content to position).
    queries : tensor (heads, D, size) or None
        A key's partner (position to content), scaled as queries are.
    which : callable
        As `Relative.which`.
    """

    keys: Any
    queries: Any
    which: Callable[[int], Any]

    @classmethod
    def of(cls, relative: Relative, layer: Layer, heads: int, scale: float) -> Distances:
        """Multiply the vectors that all layers share with a layer's weights."""

        def by_head(projection: Any) -> Any:
            return projection(relative.vectors).view(len(relative.vectors), heads, -1).transpose(0, 1).contiguous()

        keys = None if layer.distance_key is None else by_head(layer.distance_key)
        queries = None if layer.distance_query is None else by_head(layer.distance_query) * scale
        return cls(keys, queries, relative.which)

    def add_to(self, weights: Any, query: Any, key: Any) -> None:
        """Add to the weights of attention, in place.

        Parameters
        ----------
        weights : tensor (heads, texts, Q, K)
        query : tensor (heads, texts, Q, size)
            Scaled; the first Q tokens of each text.
        key : tensor (heads, texts, K, size)
        """
        asked, known = query.shape[2], key.shape[2]
        which = self.which(known)[: known + asked - 1]  # for the distances query minus key from 1 - K to Q - 1
        if self.keys is not None:
            # Backwards, so that a query's distances to the first, second, … key follow each other.
            weights.add_(_diagonals(_products(query, self.keys[:, which.flip(0)]), known, first=asked - 1))
        if self.queries is not None:
            weights.add_(_diagonals(_products(key, self.queries[:, which]), asked, first=known - 1).transpose(2, 3))


def _products(tokens: Any, vectors: Any) -> Any:
    """Of every token and every distance: (heads, texts, n, size) and (heads, D, size) to (heads, texts, n, D)."""
    import torch

    heads, texts, number, size = tokens.shape
    flat = torch.bmm(tokens.reshape(heads, texts * number, size), vectors.transpose(1, 2))
    return flat.view(heads, texts, number, vectors.shape[1])


def _diagonals(products: Any, width: int, *, first: int) -> Any:
    """Row i from place ``first - i`` on: a view (heads, texts, n, width) of (heads, texts, n, D)."""
    *outer, row, _ = products.stride()
    return products.as_strided((*products.shape[:-1], width), (*outer, row - 1, 1), first)
