"""A fused encoder that skips what the head does not read.

Same weights, same float32 arithmetic, other order of summation. What is saved against the model as it is:

- query, key and value are one product; GELU is part of its product where that is faster;
- before the first attention a token's numbers depend on token and position only, so equal ones are computed once a
  batch: across the names of one sentence that is most of them;
- the head reads each text's first token, so the last layer computes queries, attention and feed-forward for it alone.

Packed linear layers are operations that torch has for its own compiler and does not promise to keep. Where they are
gone, the same encoder runs on public ones (`ENCODER`). Like every way, both are compared with the model first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from psa_core.models._transformers.classifier import pad_id
from psa_core.scoring.backends.distances import Distances
from psa_core.scoring.backends.families import Encoder, Layer, family_of
from psa_core.scoring.backends.forward import Way
from psa_core.scoring.backends.split import SplitForward, alone_in_thread

_PACKED_FOR = 1024  # rows that the packed weights are laid out for; others are no less exact


def can_fuse(model: Any) -> bool:
    """Whether a model is of a known family, built as published."""
    return family_of(model) is not None


def fused_encoder(scorer: Any, *, packed: bool) -> SplitForward:
    """The scorer's encoder as few large operations, one thread for each part of a batch."""
    import torch

    family = family_of(scorer.model)
    if family is None:
        raise TypeError(f"{type(scorer.model).__name__} is of no known family")
    linear = _Packed.of if packed else _Public.of
    with torch.inference_mode():
        encoder = _Fused(family(scorer.model), linear)
    return SplitForward(
        encoder.logits, pad_id(scorer.model, scorer.tokenizer) or 0, torch.get_num_threads(), prepare=alone_in_thread
    )


def _refusals() -> tuple[type[Exception], ...]:
    """How operations that are gone, or that a processor lacks, say so."""
    return AttributeError, RuntimeError, TypeError, NotImplementedError


FUSED = Way("torch fused", partial(fused_encoder, packed=True), failures=_refusals)
ENCODER = Way("torch encoder", partial(fused_encoder, packed=False), failures=_refusals)


def fastest_first() -> tuple[Way, ...]:
    """The ways of this module that torch can go here.

    On AVX2 the library that packs multiplies at 0.87 of torch's plain product, and at 0.65 with GELU inside.
    """
    import torch

    if not torch.backends.mkldnn.is_available():
        return (ENCODER,)
    wide = torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    return (FUSED, ENCODER) if wide else (ENCODER, FUSED)


@dataclass(frozen=True)
class _Packed:
    """A packed linear layer; ``gelu`` is done while its output is still in the processor's cache."""

    weight: Any
    bias: Any

    @classmethod
    def of(cls, *layers: Any, scale: float = 1.0) -> _Packed:
        """Layers side by side as one, the first of them scaled."""
        import torch

        weight, bias = _side_by_side(layers, scale)
        return cls(torch.ops.mkldnn._reorder_linear_weight(weight, _PACKED_FOR), bias)

    def __call__(self, x: Any, *, gelu: bool = False) -> Any:
        import torch

        then, algorithm = ("gelu", "none") if gelu else ("none", "")
        return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, then, [], algorithm)


@dataclass(frozen=True)
class _Public:
    """The same by operations that torch documents."""

    weight: Any
    bias: Any

    @classmethod
    def of(cls, *layers: Any, scale: float = 1.0) -> _Public:
        """Layers side by side as one, the first of them scaled."""
        return cls(*_side_by_side(layers, scale))

    def __call__(self, x: Any, *, gelu: bool = False) -> Any:
        import torch

        y = torch.nn.functional.linear(x, self.weight, self.bias)
        return torch.ops.aten.gelu_(y) if gelu else y


def _side_by_side(layers: tuple[Any, ...], scale: float) -> tuple[Any, Any]:
    import torch

    weights, biases = [layer.weight for layer in layers], [layer.bias for layer in layers]
    weights[0], biases[0] = weights[0] * scale, biases[0] * scale
    return torch.cat(weights).contiguous(), torch.cat(biases)


@dataclass(frozen=True)
class _Distinct:
    """The different rows of a batch before the first attention, and which of them each token is."""

    rows: Any
    where: Any


class _Fused:
    def __init__(self, encoder: Encoder, linear: Callable[..., Any]) -> None:
        *before, last = encoder.layers
        self._of = encoder
        self._layers = [_WholeLayer(layer, encoder, linear) for layer in before]
        self._last = _LastLayer(last, encoder, linear)

    def logits(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        import torch

        with torch.inference_mode():
            distinct = self._embedded(ids)
            x, bias = distinct.rows[distinct.where], None
            if not mask.all():
                bias = torch.from_numpy(np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32))[:, None]
            for number, layer in enumerate(self._layers):
                x = layer(x, bias, len(ids), distinct if number == 0 else None)
            answer: np.ndarray = self._of.head(self._last(x, bias, len(ids))).numpy()
        return answer

    def _embedded(self, ids: np.ndarray) -> _Distinct:
        import torch

        of = self._of
        places = 1 if of.places is None else of.places.num_embeddings
        tokens_and_places = ids.astype(np.int64) * places + (0 if of.places is None else of.positions(ids))
        rows, where = np.unique(tokens_and_places, return_inverse=True)
        x = of.words(torch.from_numpy(rows // places))
        if of.places is not None:
            x = x + of.places(torch.from_numpy(rows % places))
        x = of.norm(x if of.every_token is None else x + of.every_token)
        return _Distinct(x if of.projection is None else of.projection(x), torch.from_numpy(where.ravel()))


class _Layer:
    """What both kinds of layer share: attention, its output, and the feed-forward network."""

    def __init__(self, layer: Layer, of: Encoder, linear: Callable[..., Any]) -> None:
        self.heads, self.size = of.heads, layer.query.weight.shape[0] // of.heads
        self.scale = (self.size * of.terms) ** -0.5
        relative = of.relative
        self.distances = None if relative is None else Distances.of(relative, layer, of.heads, self.scale)
        self.attended, self.attended_norm = linear(layer.attended), layer.attended_norm
        self.inner, self.outer, self.outer_norm = linear(layer.inner), linear(layer.outer), layer.outer_norm

    def finish(self, mixed: Any, x: Any) -> Any:
        x = self.attended_norm(self.attended(mixed).add_(x))
        return self.outer_norm(self.outer(self.inner(x, gelu=True)).add_(x))

    def mix(self, query: Any, key: Any, value: Any, bias: Any) -> Any:
        """Attention of (heads, texts, queries, size) over (heads, texts, tokens, size): (texts, queries, width)."""
        import torch

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


class _WholeLayer(_Layer):
    """A layer whose every output is read by the next one."""

    def __init__(self, layer: Layer, of: Encoder, linear: Callable[..., Any]) -> None:
        super().__init__(layer, of, linear)
        self.project = linear(layer.query, layer.key, layer.value, scale=self.scale)

    def __call__(self, x: Any, bias: Any, texts: int, distinct: _Distinct | None) -> Any:
        rows, width = x.shape
        projected = self.project(x) if distinct is None else self.project(distinct.rows)[distinct.where]
        query, key, value = projected.view(texts, rows // texts, 3, self.heads, self.size).permute(2, 3, 0, 1, 4)
        return self.finish(self.mix(query, key, value, bias).view(rows, width), x)


class _LastLayer(_Layer):
    """The last layer, for the first token of each text: its keys and values are all that other tokens add."""

    def __init__(self, layer: Layer, of: Encoder, linear: Callable[..., Any]) -> None:
        super().__init__(layer, of, linear)
        self.ask, self.answer = linear(layer.query, scale=self.scale), linear(layer.key, layer.value)

    def __call__(self, x: Any, bias: Any, texts: int) -> Any:
        rows, width = x.shape
        first = x.view(texts, rows // texts, width)[:, 0].contiguous()
        query = self.ask(first).view(texts, 1, self.heads, self.size).permute(2, 0, 1, 3)
        key, value = self.answer(x).view(texts, rows // texts, 2, self.heads, self.size).permute(2, 3, 0, 1, 4)
        return self.finish(self.mix(query, key, value, bias).view(texts, width), first)
