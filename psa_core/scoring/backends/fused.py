"""BERT written as few large operations: one product for query, key and value, GELU inside its product.

Same weights, same float32 arithmetic, other order of summation. It uses operations that torch has for its compiler and
does not promise to keep, so, like every other way, it is compared with the model itself before it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from psa_core.models._transformers.classifier import pad_id
from psa_core.scoring.backends.forward import SplitForward, alone_in_thread

_PACKED_FOR = 1024  # rows that the packed weights are laid out for; others are no less exact


def can_fuse(model: Any) -> bool:
    """Whether a model is a BERT classifier as published: exact GELU, absolute positions, not a decoder."""
    import torch

    config = model.config
    return (
        type(model).__name__ == "BertForSequenceClassification"
        and torch.backends.mkldnn.is_available()
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") in (None, "absolute")
        and not config.is_decoder
    )


def fused_bert(scorer: Any) -> SplitForward:
    """The scorer's BERT as few large operations, one thread for each part of a batch."""
    import torch

    with torch.inference_mode():
        bert = _Bert(scorer.model)
    pad = pad_id(scorer.model, scorer.tokenizer) or 0
    return SplitForward(bert.logits, pad, torch.get_num_threads(), prepare=alone_in_thread)


@dataclass(frozen=True)
class _Linear:
    """A packed linear layer; ``then`` says what is done to its output while it is still in the processor's cache."""

    weight: Any
    bias: Any

    @classmethod
    def of(cls, *layers: Any, scale: float = 1.0) -> _Linear:
        """Layers side by side as one, the first of them scaled."""
        import torch

        weights, biases = [layer.weight for layer in layers], [layer.bias for layer in layers]
        weights[0], biases[0] = weights[0] * scale, biases[0] * scale
        packed = torch.ops.mkldnn._reorder_linear_weight(torch.cat(weights).contiguous(), _PACKED_FOR)
        return cls(packed, torch.cat(biases))

    def __call__(self, x: Any, then: str = "none") -> Any:
        import torch

        return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, then, [], "none" if then == "gelu" else "")


class _Layer:
    def __init__(self, layer: Any, heads: int) -> None:
        self_attention = layer.attention.self
        size = self_attention.query.weight.shape[0] // heads
        projections = (self_attention.query, self_attention.key, self_attention.value)
        self.heads = heads
        self.project = _Linear.of(*projections, scale=size**-0.5)
        self.attended = _Linear.of(layer.attention.output.dense)
        self.attended_norm = layer.attention.output.LayerNorm
        self.inner = _Linear.of(layer.intermediate.dense)
        self.outer = _Linear.of(layer.output.dense)
        self.outer_norm = layer.output.LayerNorm

    def __call__(self, x: Any, bias: Any, texts: int) -> Any:
        x = self.attended_norm(self.attended(self._attention(x, bias, texts)).add_(x))
        return self.outer_norm(self.outer(self.inner(x, "gelu")).add_(x))

    def _attention(self, x: Any, bias: Any, texts: int) -> Any:
        import torch

        rows, width = x.shape
        tokens, size = rows // texts, width // self.heads
        by_head = self.project(x).view(texts, tokens, 3, self.heads, size).permute(2, 0, 3, 1, 4)
        query, key, value = by_head.reshape(3, texts * self.heads, tokens, size)
        weights = torch.bmm(query, key.transpose(1, 2))
        if bias is not None:
            weights.view(texts, self.heads, tokens, tokens).add_(bias)
        mixed = torch.bmm(torch.softmax(weights, -1), value)
        return mixed.view(texts, self.heads, tokens, size).transpose(1, 2).reshape(rows, width)


class _Bert:
    def __init__(self, model: Any) -> None:
        bert = model.bert
        self._embeddings, self._layers = (
            bert.embeddings,
            [_Layer(layer, model.config.num_attention_heads) for layer in bert.encoder.layer],
        )
        self._pooler, self._classifier = bert.pooler.dense, model.classifier

    def logits(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        import torch

        with torch.inference_mode():
            x = self._embedded(torch.from_numpy(ids))
            bias = None
            if not mask.all():
                bias = torch.from_numpy(np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32))[:, None, None]
            for layer in self._layers:
                x = layer(x, bias, len(ids))
            first = x.view(*ids.shape, -1)[:, 0]
            answer: np.ndarray = self._classifier(torch.tanh(self._pooler(first))).numpy()
        return answer

    def _embedded(self, ids: Any) -> Any:
        of = self._embeddings
        every_text = of.position_embeddings.weight[: ids.shape[1]] + of.token_type_embeddings.weight[0]
        return of.LayerNorm(of.word_embeddings(ids) + every_text).flatten(0, 1)
