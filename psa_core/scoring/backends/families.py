"""Supported encoder families: layout of their weights, pooling and positions.

A family is one function from a transformers classifier to its `Encoder`; `fused` computes any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch


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
    """Learnt vectors (D, width) of the distances between tokens, where attention reads them.

    `which` takes a number of tokens n and gives the row of `vectors` for each distance from 1 - n to n - 1, int64 (2n -
    1,).
    """

    vectors: Any
    which: Callable[[int], Any]


@dataclass(frozen=True)
class Encoder:
    """A classifier whose head reads the first token of each text.

    ``every_token`` (width,) is added to each token: the embedding of token type 0. ``projection`` goes from the
    embeddings' width to the layers'; ``head`` from the last layer's first tokens (B, width) to logits (B, L). Where
    positions are counted from the padding's id on, skipping it, ``pad`` is that id. A weight of attention adds up
    ``terms`` products, and is divided by the square root of terms x size.
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


def _like_bert(
    body: Any, head: Callable[[Any], Any], *, pad: int | None = None, projections: str = "query key value"
) -> Encoder:
    of, layers = body.embeddings, []
    for layer in body.encoder.layer:
        attention = layer.attention
        query, key, value = (getattr(attention.self, name) for name in projections.split())
        ends = (attention.output.dense, attention.output.LayerNorm, layer.intermediate.dense, layer.output.dense)
        layers.append(Layer(query, key, value, *ends, layer.output.LayerNorm))
    return Encoder(
        words=of.word_embeddings,
        places=of.position_embeddings,
        every_token=None if of.token_type_embeddings is None else of.token_type_embeddings.weight[0],
        norm=of.LayerNorm,
        projection=getattr(body, "embeddings_project", None),
        layers=layers,
        heads=body.config.num_attention_heads,
        head=head,
        pad=pad,
    )


def _bert(model: Any) -> Encoder:
    pooler = model.bert.pooler.dense
    return _like_bert(model.bert, lambda first: model.classifier(torch.tanh(pooler(first))))


def _roberta(model: Any) -> Encoder:
    # This head and the next take the first of a text's tokens themselves.
    pad = model.roberta.embeddings.padding_idx
    return _like_bert(model.roberta, lambda first: model.classifier(first[:, None]), pad=pad)


def _distilbert(model: Any) -> Encoder:
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
    encoder = model.deberta.encoder
    if encoder.conv is not None or model.deberta.embeddings.embed_proj is not None:
        raise TypeError("a DeBERTa with a convolution or with narrow embeddings")
    kinds = [kind for kind in ("c2p", "p2c") if kind in (model.deberta.config.pos_att_type or ())]
    bert = _like_bert(
        model.deberta,
        lambda first: model.classifier(model.pooler(first[:, None])),
        projections="query_proj key_proj value_proj",
    )
    if not encoder.relative_attention:
        return replace(bert, terms=1 + len(kinds))
    layers = []
    for layer, theirs in zip(bert.layers, encoder.layer, strict=True):
        # The layers for distances are of their own, or those of the tokens.
        attention, which = theirs.attention.self, "" if theirs.attention.self.share_att_key else "pos_"
        key = getattr(attention, f"{which}key_proj") if "c2p" in kinds else None
        query = getattr(attention, f"{which}query_proj") if "p2c" in kinds else None
        layers.append(replace(layer, distance_key=key, distance_query=query))
    vectors = encoder.get_rel_embedding()

    @lru_cache(maxsize=1024)
    def which_vectors(tokens: int) -> Any:
        rows = encoder.get_rel_pos(torch.empty(1, tokens, 0, device=vectors.device))[0] + len(vectors) // 2
        return torch.cat([rows[0, 1:].flip(0), rows[:, 0]]).clamp(0, len(vectors) - 1)

    return replace(bert, layers=layers, relative=Relative(vectors, which_vectors), terms=1 + len(kinds))


FAMILIES: dict[str, Callable[[Any], Encoder]] = {
    "BertForSequenceClassification": _bert,
    "RobertaForSequenceClassification": _roberta,
    "XLMRobertaForSequenceClassification": _roberta,
    "CamembertForSequenceClassification": _roberta,
    "DistilBertForSequenceClassification": _distilbert,
    "ElectraForSequenceClassification": lambda model: _like_bert(
        model.electra, lambda first: model.classifier(first[:, None])
    ),
    "DebertaV2ForSequenceClassification": _deberta,
}


@dataclass(frozen=True, eq=False)
class Distances:
    """The learnt vectors of the distances of one layer (He et al. 2021, section 3.1, equation 4).

    For each distance that the model knows ``keys`` has a query's partner (content to position), ``queries`` a key's
    (position to content, scaled as queries are): tensors (heads, D, size) or None. ``which`` is that of `Relative`.
    """

    keys: Any
    queries: Any
    which: Callable[[int], Any]

    @classmethod
    def of(cls, relative: Relative, layer: Layer, heads: int, scale: float) -> Distances:
        def by_head(projection: Any) -> Any:
            return projection(relative.vectors).view(len(relative.vectors), heads, -1).transpose(0, 1).contiguous()

        keys = None if layer.distance_key is None else by_head(layer.distance_key)
        queries = None if layer.distance_query is None else by_head(layer.distance_query) * scale
        return cls(keys, queries, relative.which)

    def add_to(self, weights: Any, query: Any, key: Any) -> None:
        """Add to the weights of attention (heads, texts, Q, K), in place.

        `query` (heads, texts, Q, size) is scaled, of the first Q tokens of each text; `key` is (heads, texts, K, size).
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
    heads, texts, number, size = tokens.shape
    flat = torch.bmm(tokens.reshape(heads, texts * number, size), vectors.transpose(1, 2))
    return flat.view(heads, texts, number, vectors.shape[1])


def _diagonals(products: Any, width: int, *, first: int) -> Any:
    """Row i from place ``first - i`` on: a view (heads, texts, n, width) of (heads, texts, n, D)."""
    *outer, row, _ = products.stride()
    return products.as_strided((*products.shape[:-1], width), (*outer, row - 1, 1), first)
