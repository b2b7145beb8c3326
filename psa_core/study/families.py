"""Which sentences of a study are near-copies of each other, and what a report says of families."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from psa_core.anchors import Anchor
from psa_core.errors import OptionError
from psa_core.plurals import counted
from psa_core.stats.families import MIN_FAMILIES, Families
from psa_core.study.near_duplicates import normalized

NEAR_COPIES = "near-copies"
#: How much of their words two texts share to be near-copies: this share, and more where they are short.
SHARED, SHARED_IF_SHORT = 0.44, 1.6
#: Among more different texts only those that repeat each other are families; comparing all would take minutes.
MAX_COMPARED = 50_000
_BLOCK = 512
_NUMBER = re.compile(r"\d+(?: \d+)*")


def near_copies(texts: Sequence[str], anchors: Sequence[Sequence[Anchor]]) -> Families:
    """Families of texts that say nearly the same: retweets, copied comments, filled templates.

    Two texts are near-copies when they share enough of their different words (Jaccard's index of at least
    0.44 + 1.6 / u, where u words are in either), without case, signs, links, handles, numbers and the anchors. What is
    a near-copy of a near-copy is in the family too.

    Parameters
    ----------
    texts : sequence of str
    anchors : sequence of sequence of Anchor
        Spans of each text that do not count.

    Examples
    --------
    >>> near_copies(["He left us at 9!", "RT @a: he left us at 10", "Nobody came"], [(), (), ()]).labels.tolist()
    [0, 0, 1]
    """
    keys = [_key(text, own) for text, own in zip(texts, anchors, strict=True)]
    copies, distinct = pd.factorize(np.array(keys, dtype=object))
    if len(distinct) > MAX_COMPARED:
        return Families.of(copies)
    return Families.of(_connected([frozenset(key.split()) for key in distinct])[copies])


def column_families(values: pd.Series) -> Families:
    """Families by a column of the reader's; a sentence without a value there is a family of its own."""
    text = values.fillna("").astype(str).str.strip()
    alone = pd.Series([f"\0{row}" for row in range(len(text))], index=text.index)
    return Families.of(text.where(text != "", alone).to_numpy())


def named_column(column: str, sentences: pd.DataFrame) -> str:
    """The column to take families from, by its name in the reader's file; raises `OptionError` where there is none."""
    if f"corpus_{column}" in sentences.columns:  # which was renamed when it was read: see `corpus.RESERVED`
        return f"corpus_{column}"
    others = [str(name) for name in sentences.columns if name not in ("sentence_id", "text")]
    if column not in others:
        expected = f"one of {', '.join(others)}" if others else "a file with a column beside its texts"
        raise OptionError("--families", got=repr(column), expected=expected)
    return column


def column_of(provenance: Mapping[str, Any]) -> str | None:
    """The column that names the families of a study, by its manifest; None where near-copies are found."""
    study = provenance.get("study")
    return study.get("families") if isinstance(study, Mapping) else None


def account(families: Families, column: str | None) -> dict[str, Any]:
    """What the manifest says of a study's families."""
    members = families.sizes[families.sizes > 1]
    return {
        "by": column or NEAR_COPIES,
        "families": len(members),
        "sentences": int(members.sum()),
        "independent": families.count,
        "effective_sample_size": round(families.effective_sample_size, 1),
    }


def words(families: Families, column: str | None) -> str:
    """One or two sentences about the families of a study; empty where there are none."""
    if not families.any:
        return ""
    found = account(families, column)
    total, effective = len(families.labels), found["effective_sample_size"]
    if column is None:
        said = f"{found['sentences']:,} of {total:,} sentences are near-copies, in {_families(found['families'])}"
    else:
        said = f"The {counted(total, 'sentence')} come from {_families(families.count)} (column {column})"
    worth = f"They are worth about {effective:,.0f} independent sentences: a family counts as one observation."
    if families.too_few:
        worth = (
            f"They are worth about {effective:,.1f} independent sentences, too few to say anything about names: "
            f"it takes at least {MIN_FAMILIES}."
        )
    return f"{said}. {worth}"


def _families(count: int) -> str:
    return f"{count:,} {'family' if count == 1 else 'families'}"


def _key(text: str, anchors: Sequence[Anchor]) -> str:
    """A text without what does not tell it from its copies."""
    for anchor in sorted(anchors, key=lambda one: -one.start):
        text = f"{text[: anchor.start]} {text[anchor.end :]}"
    return _NUMBER.sub("0", normalized(text))


def _connected(sets: list[frozenset[str]]) -> np.ndarray:
    """Component of each set of words, where those that share enough are linked: int array.

    Two sets that share a share t of their words share one of their rarest 1 - t, too (prefix filtering, Bayardo et al.
    2007), so only sets with a rare word in common are compared.
    """
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import connected_components

    if len(sets) < 2:
        return np.zeros(len(sets), int)
    sizes = np.array([len(one) for one in sets])
    rows = np.repeat(np.arange(len(sets)), sizes)
    codes, vocabulary = pd.factorize(np.array([word for one in sets for word in sorted(one)], dtype=object))
    frequency = np.bincount(codes, minlength=len(vocabulary))
    order = np.lexsort((codes, frequency[codes], rows))  # each set's words, the rarest first
    rows, codes = rows[order], codes[order]
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_rare = rank <= sizes[rows] - np.ceil(SHARED * sizes[rows])
    shape = (len(sets), len(vocabulary))
    every = csr_array((np.ones(len(rows), np.int32), (rows, codes)), shape=shape)
    rare = csr_array((np.ones(int(is_rare.sum()), np.int32), (rows[is_rare], codes[is_rare])), shape=shape)
    links = []
    for start in range(0, len(sets), _BLOCK):
        first, second = (rare[start : start + _BLOCK] @ rare.T).nonzero()
        first, second = first[second > first + start] + start, second[second > first + start]
        shared = every[first].multiply(every[second]).sum(axis=1)
        either = sizes[first] + sizes[second] - shared
        alike = shared >= np.minimum(1.0, SHARED + SHARED_IF_SHORT / np.maximum(either, 1)) * either - 1e-9
        links.append(np.stack([first[alike], second[alike]]))
    pairs = np.concatenate(links, axis=1)
    graph = coo_array((np.ones(pairs.shape[1], bool), pairs), shape=(len(sets), len(sets)))
    return np.asarray(connected_components(graph, directed=False)[1])
