"""Supported encoder families: layout of their weights, pooling and positions.

A family is one function from a transformers classifier to its `Encoder`; `fused` computes any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Layer:
    """The parts of one layer: attention, its norm, the feed-forward network, its norm (norms come last).

    Where attention reads distances, the layers that make a key or a query of a distance's vector come after them.
    """

    query: Any
    key: Any
    value: Any
    attended: Any
    attended_norm: Any
    inner: Any
    outer: Any
    outer_norm: Any
    distance_key: Any = None
    distance_query: Any = None


@dataclass(frozen=True)
class Relative:
    """Learnt vectors of the distances between tokens, where attention reads them.

    Attributes
    ----------
    vectors : tensor (D, width)
        One a distance that the model tells apart.
    which : callable
        From a number of tokens n to the row of `vectors` for each distance from 1 - n to n - 1: int64 tensor (2n - 1,).
    """

    vectors: Any
    which: Callable[[int], Any]


@dataclass(frozen=True)
class Encoder:
    """A classifier whose head reads the first token of each text.

    Attributes
    ----------
    words : Embedding
    places : Embedding or None
        Of positions.
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
    relative : Relative or None
    terms : int
        How many products are added up in a weight of attention; it is divided by the square root of terms x size.
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
    relative: Relative | None = None
    terms: int = 1

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


def _deberta(model: Any) -> Encoder:
    body, of = model.deberta, model.deberta.embeddings
    if body.encoder.conv is not None or of.embed_proj is not None:
        raise TypeError("a DeBERTa with a convolution or with narrow embeddings")
    kinds = [kind for kind in ("c2p", "p2c") if kind in (body.config.pos_att_type or ())]
    layers = [
        replace(layer, **_distance_layers(one.attention.self, kinds))
        for layer, one in zip(_deberta_layers(body.encoder), body.encoder.layer, strict=True)
    ]
    return Encoder(
        words=of.word_embeddings,
        places=of.position_embeddings,
        every_token=None if of.token_type_embeddings is None else of.token_type_embeddings.weight[0],
        norm=of.LayerNorm,
        projection=None,
        layers=layers,
        heads=body.config.num_attention_heads,
        head=lambda first: model.classifier(model.pooler(first[:, None])),
        relative=_relative(body.encoder) if body.encoder.relative_attention else None,
        terms=1 + len(kinds),
    )


def _deberta_layers(encoder: Any) -> list[Layer]:
    return [
        Layer(
            *(layer.attention.self.query_proj, layer.attention.self.key_proj, layer.attention.self.value_proj),
            *(layer.attention.output.dense, layer.attention.output.LayerNorm),
            *(layer.intermediate.dense, layer.output.dense, layer.output.LayerNorm),
        )
        for layer in encoder.layer
    ]


def _distance_layers(attention: Any, kinds: Sequence[str]) -> dict[str, Any]:
    """The layers for distances: of their own, or those of the tokens."""
    if not attention.relative_attention:
        return {}
    shared = attention.share_att_key
    key, query = ("key_proj", "query_proj") if shared else ("pos_key_proj", "pos_query_proj")
    names = {"c2p": ("distance_key", key), "p2c": ("distance_query", query)}
    return {ours: getattr(attention, theirs) for kind, (ours, theirs) in names.items() if kind in kinds}


def _relative(encoder: Any) -> Relative:
    import torch

    vectors = encoder.get_rel_embedding()

    @lru_cache(maxsize=1024)
    def which(tokens: int) -> Any:
        rows = encoder.get_rel_pos(torch.empty(1, tokens, 0))[0] + len(vectors) // 2
        return torch.cat([rows[0, 1:].flip(0), rows[:, 0]]).clamp(0, len(vectors) - 1)

    return Relative(vectors, which)


FAMILIES: dict[str, Callable[[Any], Encoder]] = {
    "BertForSequenceClassification": _bert,
    "RobertaForSequenceClassification": _roberta,
    "XLMRobertaForSequenceClassification": _roberta,
    "CamembertForSequenceClassification": _roberta,
    "DistilBertForSequenceClassification": _distilbert,
    "ElectraForSequenceClassification": _electra,
    "DebertaV2ForSequenceClassification": _deberta,
}
