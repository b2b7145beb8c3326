"""A fused encoder that skips what the head does not read.

Same weights, same float32 arithmetic, other order of summation. What is saved against the model as it is:

- query, key and value are one product; GELU is part of its product where that is faster;
- before the first attention a token's numbers depend on token and position only, so equal ones are computed once a
  batch: across the names of one sentence that is most of them;
- the head reads each text's first token, so the last layer computes queries, attention and feed-forward for it alone.

Packed linear layers are operations that torch has for its own compiler and does not promise to keep. Where they are
gone, the same encoder runs on public ones (`ENCODER`), which every device has. Like every way, both are compared with
the model first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from psa_core.scoring.backends.families import Distances, Encoder, Layer, family_of
from psa_core.scoring.backends.forward import DeviceForward, Forward, SplitForward, Way, sent

_PACKED_FOR = 1024  # rows that the packed weights are laid out for; others are no less exact


def fused_encoder(scorer: Any, *, packed: bool) -> Forward:
    """The scorer's encoder as few large operations, on its device; on a CPU one thread for each part of a batch."""
    family = family_of(scorer.model)
    if family is None:
        raise TypeError(f"{type(scorer.model).__name__} is of no known family")
    with torch.inference_mode():
        encoder = _Fused(family(scorer.model), _packed if packed else _public)
    return (SplitForward if scorer.device == "cpu" else DeviceForward)(scorer, run=encoder.logits)


#: How operations that are gone, or that a processor lacks, say so.
_REFUSALS = (AttributeError, RuntimeError, TypeError)
FUSED = Way("torch fused", partial(fused_encoder, packed=True), failures=lambda: _REFUSALS)
ENCODER = Way("torch encoder", partial(fused_encoder, packed=False), failures=lambda: _REFUSALS)


def fastest_first() -> tuple[Way, ...]:
    """The ways of this module that torch can go here.

    On AVX2 the library that packs multiplies at 0.87 of torch's plain product, and at 0.65 with GELU inside.
    """
    if not torch.backends.mkldnn.is_available():
        return (ENCODER,)
    wide = torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    return (FUSED, ENCODER) if wide else (ENCODER, FUSED)


def _packed(*layers: Any, scale: float = 1.0) -> Callable[..., Any]:
    """Linear layers side by side as one, the first of them scaled; GELU while the output is in the cache."""
    weight, bias = _side_by_side(layers, scale)
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, _PACKED_FOR)

    def linear(x: Any, *, gelu: bool = False) -> Any:
        then, algorithm = ("gelu", "none") if gelu else ("none", "")
        return torch.ops.mkldnn._linear_pointwise(x, packed, bias, then, [], algorithm)

    return linear


def _public(*layers: Any, scale: float = 1.0) -> Callable[..., Any]:
    """The same by operations that torch documents."""
    weight, bias = _side_by_side(layers, scale)

    def linear(x: Any, *, gelu: bool = False) -> Any:
        y = torch.nn.functional.linear(x, weight, bias)
        return torch.ops.aten.gelu_(y) if gelu else y

    return linear


def _side_by_side(layers: tuple[Any, ...], scale: float) -> tuple[Any, Any]:
    weights, biases = [layer.weight for layer in layers], [layer.bias for layer in layers]
    weights[0], biases[0] = weights[0] * scale, biases[0] * scale
    return torch.cat(weights).contiguous(), torch.cat(biases)


class _Fused:
    def __init__(self, encoder: Encoder, linear: Callable[..., Any]) -> None:
        *before, last = encoder.layers
        self._of = encoder
        self._layers = [*(_Layer(layer, encoder, linear) for layer in before), _Layer(last, encoder, linear, last=True)]

    def logits(self, ids: np.ndarray, mask: np.ndarray) -> Any:
        rows, where = self._embedded(ids)
        x, bias = rows[where], None
        if not mask.all():
            bias = self._sent(np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32))[:, None]
        for number, layer in enumerate(self._layers):
            x = layer(x, bias, len(ids), None if number else (rows, where))
        return self._of.head(x)

    def _embedded(self, ids: np.ndarray) -> tuple[Any, Any]:
        """The different rows of a batch before the first attention, and which of them each token is."""
        of = self._of
        places = 1 if of.places is None else of.places.num_embeddings
        tokens_and_places = ids.astype(np.int64) * places + (0 if of.places is None else of.positions(ids))
        rows, where = np.unique(tokens_and_places, return_inverse=True)
        x = of.words(self._sent(rows // places))
        if of.places is not None:
            x = x + of.places(self._sent(rows % places))
        x = of.norm(x if of.every_token is None else x + of.every_token)
        return x if of.projection is None else of.projection(x), self._sent(where.ravel())

    def _sent(self, array: np.ndarray) -> Any:
        return sent(array, self._of.words.weight.device)


class _Layer:
    """A layer whose every output is read by the next one; or the `last`, which computes each text's first token."""

    def __init__(self, layer: Layer, of: Encoder, linear: Callable[..., Any], *, last: bool = False) -> None:
        self.heads, self.size = of.heads, layer.query.weight.shape[0] // of.heads
        scale = (self.size * of.terms) ** -0.5
        self.distances = None if of.relative is None else Distances.of(of.relative, layer, of.heads, scale)
        self.attended, self.attended_norm = linear(layer.attended), layer.attended_norm
        self.inner, self.outer, self.outer_norm = linear(layer.inner), linear(layer.outer), layer.outer_norm
        self.last = last
        if last:  # the keys and values of other tokens are all that they add
            self.ask, self.answer = linear(layer.query, scale=scale), linear(layer.key, layer.value)
        else:
            self.project = linear(layer.query, layer.key, layer.value, scale=scale)

    def __call__(self, x: Any, bias: Any, texts: int, distinct: tuple[Any, Any] | None = None) -> Any:
        """From (tokens, width) to the same, or to (texts, width); with `distinct` rows, each is projected once."""
        rows, width = x.shape
        if self.last:
            x_asking = x.view(texts, rows // texts, width)[:, 0].contiguous()
            query = self.ask(x_asking).view(texts, 1, self.heads, self.size).permute(2, 0, 1, 3)
            pairs = self.answer(x).view(texts, rows // texts, 2, self.heads, self.size)
            key, value = pairs.permute(2, 3, 0, 1, 4)
        else:
            x_asking = x
            projected = self.project(x) if distinct is None else self.project(distinct[0])[distinct[1]]
            query, key, value = projected.view(texts, rows // texts, 3, self.heads, self.size).permute(2, 3, 0, 1, 4)
        mixed = self._mix(query, key, value, bias).view(len(x_asking), width)
        y = self.attended_norm(self.attended(mixed).add_(x_asking))
        return self.outer_norm(self.outer(self.inner(y, gelu=True)).add_(y))

    def _mix(self, query: Any, key: Any, value: Any, bias: Any) -> Any:
        """Attention of (heads, texts, queries, size) over (heads, texts, tokens, size): (texts, queries, width)."""
        (heads, texts, asked, size), tokens = query.shape, key.shape[2]
        # Products of matrices that lie row by row are the fastest, so the keys are copied turned around.
        flat = torch.bmm(*(x.reshape(heads * texts, *x.shape[2:]) for x in (query, key.transpose(2, 3).contiguous())))
        weights = flat.view(heads, texts, asked, tokens)
        if self.distances is not None:
            self.distances.add_to(weights, query, key)
        if bias is not None:
            weights.add_(bias)
        mixed = torch.bmm(torch.softmax(flat, -1), value.reshape(heads * texts, tokens, size))
        return mixed.view(heads, texts, asked, size).permute(1, 2, 0, 3).reshape(texts, asked, heads * size)
