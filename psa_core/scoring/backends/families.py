"""Supported encoder families: layout of their weights, pooling and positions.

A family is one function from a transformers classifier to its `Encoder`; `fused` computes any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Layer:
    """The parts of one layer: attention, its norm, the feed-forward network, its norm (norms come last)."""

    query: Any
    key: Any
    value: Any
    attended: Any
    attended_norm: Any
    inner: Any
    outer: Any
    outer_norm: Any


@dataclass(frozen=True)
class Encoder:
    """A classifier whose head reads the first token of each text.

    Attributes
    ----------
    words, places : Embedding
        Of token ids and of positions.
    every_token : tensor (width,) or None
        Added to each token: the embedding of token type 0.
    norm : LayerNorm
        Of the embeddings.
    projection : Linear or None
        From the embeddings' width to the layers'.
    layers : sequence of Layer
    heads : int
    head : callable
        From the last layer's first tokens (B, width) to logits (B, L).
    pad : int or None
        Where positions are counted from the padding's id on, skipping it, that id; None counts from 0.
    """

    words: Any
    places: Any
    every_token: Any
    norm: Any
    projection: Any
    layers: Sequence[Layer]
    heads: int
    head: Callable[[Any], Any]
    pad: int | None = None

    def positions(self, ids: np.ndarray) -> np.ndarray:
        """Position of each token: int64 array like `ids`."""
        if self.pad is None:
            return np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
        own = ids != self.pad
        return np.where(own, np.cumsum(own, axis=1), 0) + self.pad


def family_of(model: Any) -> Callable[[Any], Encoder] | None:
    """The family of a classifier, or None where it is in none, or is not built as published."""
    config = model.config
    as_published = (
        getattr(config, "hidden_act", getattr(config, "activation", None)) == "gelu"
        and getattr(config, "position_embedding_type", "absolute") in (None, "absolute")
        and not getattr(config, "is_decoder", False)
    )
    return FAMILIES.get(type(model).__name__) if as_published else None


def _bert_layers(encoder: Any) -> list[Layer]:
    return [
        Layer(
            *(layer.attention.self.query, layer.attention.self.key, layer.attention.self.value),
            *(layer.attention.output.dense, layer.attention.output.LayerNorm),
            *(layer.intermediate.dense, layer.output.dense, layer.output.LayerNorm),
        )
        for layer in encoder.layer
    ]


def _like_bert(body: Any, head: Callable[[Any], Any], *, pad: int | None = None) -> Encoder:
    of = body.embeddings
    return Encoder(
        words=of.word_embeddings,
        places=of.position_embeddings,
        every_token=of.token_type_embeddings.weight[0],
        norm=of.LayerNorm,
        projection=getattr(body, "embeddings_project", None),
        layers=_bert_layers(body.encoder),
        heads=body.config.num_attention_heads,
        head=head,
        pad=pad,
    )


def _first_token_head(classifier: Any) -> Callable[[Any], Any]:
    """A head that takes the first of a text's tokens itself."""
    return lambda first: classifier(first[:, None])


def _bert(model: Any) -> Encoder:
    import torch

    pooler = model.bert.pooler.dense
    return _like_bert(model.bert, lambda first: model.classifier(torch.tanh(pooler(first))))


def _roberta(model: Any) -> Encoder:
    pad = model.roberta.embeddings.padding_idx
    return _like_bert(model.roberta, _first_token_head(model.classifier), pad=pad)


def _electra(model: Any) -> Encoder:
    return _like_bert(model.electra, _first_token_head(model.classifier))


def _distilbert(model: Any) -> Encoder:
    import torch

    body, of = model.distilbert, model.distilbert.embeddings
    layers = [
        Layer(
            *(layer.attention.q_lin, layer.attention.k_lin, layer.attention.v_lin),
            *(layer.attention.out_lin, layer.sa_layer_norm),
            *(layer.ffn.lin1, layer.ffn.lin2, layer.output_layer_norm),
        )
        for layer in body.transformer.layer
    ]
    return Encoder(
        words=of.word_embeddings,
        places=of.position_embeddings,
        every_token=None,
        norm=of.LayerNorm,
        projection=None,
        layers=layers,
        heads=body.config.n_heads,
        head=lambda first: model.classifier(torch.relu(model.pre_classifier(first))),
    )


FAMILIES: dict[str, Callable[[Any], Encoder]] = {
    "BertForSequenceClassification": _bert,
    "RobertaForSequenceClassification": _roberta,
    "XLMRobertaForSequenceClassification": _roberta,
    "CamembertForSequenceClassification": _roberta,
    "DistilBertForSequenceClassification": _distilbert,
    "ElectraForSequenceClassification": _electra,
}
