"""Find near-copies among a study's sentences, and describe families in a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from psa_core.anchors import Anchor
from psa_core.errors import OptionError
from psa_core.inputs.corpus import PREFIX
from psa_core.plurals import counted
from psa_core.stats.families import Families

NEAR_COPIES = "near-copies"
#: How much of their words two texts share to be near-copies: this share, and more where they are short.
SHARED, SHARED_IF_SHORT = 0.44, 1.6
#: Among more different texts only those that repeat each other are families; comparing all would take minutes.
MAX_COMPARED = 50_000
_BLOCK = 512
#: Links, handles and signs, which do not tell a text from its copies.
_ASIDE = re.compile(r"https?://\S+|[@&]\w+;?|[^\w\s]+")
_NUMBER = re.compile(r"\d+(?: \d+)*")


def near_copies(texts: Sequence[str], anchors: Sequence[Sequence[Anchor]]) -> Families:
    """Families of near-identical texts: retweets, copied comments, filled templates.

    Two texts are near-copies when they share enough of their different words (Jaccard's index of at least
    0.44 + 1.6 / u, where u words are in either), without case, signs, links, handles, numbers and the `anchors` of each
    text. What is a near-copy of a near-copy is in the family too.

    Examples
    --------
    >>> near_copies(["He left us at 9!", "RT @a: he left us at 10", "Nobody came"], [(), (), ()]).labels.tolist()
    [0, 0, 1]
    """
    keys = []
    for text, own in zip(texts, anchors, strict=True):
        for anchor in sorted(own, key=lambda one: -one.start):
            text = f"{text[: anchor.start]} {text[anchor.end :]}"
        keys.append(_NUMBER.sub("0", normalized(text)))
    copies, distinct = pd.factorize(np.array(keys, dtype=object))
    if len(distinct) > MAX_COMPARED:
        return Families.of(copies)
    return Families.of(_connected([frozenset(key.split()) for key in distinct])[copies])


def column_families(values: pd.Series) -> Families:
    """Families by a column of the file; a sentence without a value there is its own family."""
    text = values.fillna("").astype(str).str.strip()
    alone = pd.Series([f"\0{row}" for row in range(len(text))], index=text.index)
    return Families.of(text.where(text != "", alone).to_numpy())


def named_column(column: str, sentences: pd.DataFrame) -> str:
    """The column to take families from, by its name in the reader's file; raises `OptionError` where there is none."""
    if f"{PREFIX}{column}" in sentences.columns:  # which was renamed when it was read
        return f"{PREFIX}{column}"
    others = [str(name) for name in sentences.columns if name not in ("sentence_id", "text")]
    if column not in others:
        expected = f"one of {', '.join(others)}" if others else "a file with a column beside its texts"
        raise OptionError("--families", got=repr(column), expected=expected)
    return column


def account(families: Families, column: str | None) -> dict[str, Any]:
    """The manifest entry about a study's families."""
    members = families.sizes[families.sizes > 1]
    return {
        "by": column or NEAR_COPIES,
        "families": len(members),
        "sentences": int(members.sum()),
        "independent": families.count,
        "effective_sample_size": round(families.effective_sample_size, 1),
    }


def words(families: Families, column: str | None, noun: str = "sentence") -> str:
    """One or two sentences about the families of a study, whose texts are called so; empty where there are none."""
    if not families.any:
        return ""
    found = account(families, column)
    total, effective = len(families.labels), found["effective_sample_size"]
    note = f"{found['sentences']:,} of {total:,} {noun}s are near-copies, in {counted(found['families'], 'family')}"
    if column is not None:
        note = f"The {counted(total, noun)} come from {counted(families.count, 'family')} (column {column})"
    worth = f"They are worth about {effective:,.0f} independent {noun}s: a family counts as one observation."
    if families.too_few:
        worth = (
            f"They are worth about {effective:,.1f} independent {noun}s, too few to say anything about names: "
            f"add {noun}s that are no copies of these."
        )
    return f"{note}. {worth}"


def normalized(text: str) -> str:
    """A text without what does not tell it from a repeat of it: case, signs, handles, addresses, spaces.

    Examples
    --------
    >>> normalized("RT @someone: He LEFT!  https://t.co/x") == normalized("rt he left.")
    True
    """
    return " ".join(_ASIDE.sub(" ", text.casefold()).split())


def _connected(sets: list[frozenset[str]]) -> np.ndarray:
    """Connected component of each set of words, linking those that share enough: int array.

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
        is_linked = shared >= np.minimum(1.0, SHARED + SHARED_IF_SHORT / either) * either - 1e-9
        links.append(np.stack([first[is_linked], second[is_linked]]))
    pairs = np.concatenate(links, axis=1)
    graph = coo_array((np.ones(pairs.shape[1], bool), pairs), shape=(len(sets), len(sets)))
    return np.asarray(connected_components(graph, directed=False)[1])
