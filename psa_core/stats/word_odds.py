"""Which words are associated with one half of the sentences: log-odds with an informative Dirichlet prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.intervals import CONFIDENCE
from psa_core.stats.significance import adjust

MIN_SENTENCES = 5
PRIOR = 0.1


class WordOdds(NamedTuple):
    """How much more often each word occurs in the marked sentences; parallel sequences, largest log-odds first.

    Attributes
    ----------
    sentences : int array (W,)
        Sentences with the word.
    log_odds, low, high : float64 arrays (W,)
        Log of the odds ratio with its 95 % interval; above 0 = rather in marked sentences.
    p_adjusted : float64 array (W,)
        Holm-corrected over the words.
    """

    words: tuple[str, ...]
    sentences: np.ndarray
    log_odds: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_adjusted: np.ndarray


def word_odds(words: Sequence[frozenset[str]], marked: ArrayLike, *, fewest: int = MIN_SENTENCES) -> WordOdds:
    """Compare the words of marked sentences with those of the others (Monroe, Colaresi and Quinn 2008, section 3.3).

    A word counts once a sentence. The prior of each word is its share of all words, worth a tenth of them: it pulls
    rare words, about which little is known, to 0. `words` are the distinct words of each sentence; those in fewer than
    `fewest` sentences are left out, and all where all sentences are marked, or none, or where they have one word only.

    Examples
    --------
    >>> word_odds([frozenset({"a"}), frozenset({"b"})] * 9, [True, False] * 9).words
    ('a', 'b')
    """
    from scipy.stats import norm

    is_marked = np.asarray(marked, dtype=bool)
    if is_marked.shape != (len(words),):
        raise CubeError("marked sentences", got=f"shape {is_marked.shape}", expected=f"one mark for {len(words)}")
    vocabulary = sorted(frozenset().union(*words))
    position = {word: place for place, word in enumerate(vocabulary)}
    counts = np.zeros((2, len(vocabulary)))
    for own, mark in zip(words, is_marked, strict=True):
        counts[int(mark), [position[word] for word in own]] += 1
    total = counts.sum(axis=0)
    kept = np.flatnonzero(total >= fewest)
    if not len(kept) or len(vocabulary) == 1 or is_marked.all() or not is_marked.any():
        nothing = np.zeros(0)
        return WordOdds((), nothing.astype(int), nothing, nothing, nothing, nothing)
    prior = PRIOR * total
    known = counts + prior
    others = known.sum(axis=1, keepdims=True) - known
    with np.errstate(divide="ignore"):  # a word that is all there is has no odds
        odds = np.log(known) - np.log(others)
    difference, error = (odds[1] - odds[0])[kept], np.sqrt((1 / known).sum(axis=0))[kept]
    reach = norm.ppf((1 + CONFIDENCE) / 2) * error
    p_value = 2 * norm.sf(np.abs(difference) / error)
    order = np.argsort(-difference, kind="stable")
    return WordOdds(
        tuple(vocabulary[place] for place in kept[order]),
        total[kept][order].astype(int),
        difference[order],
        (difference - reach)[order],
        (difference + reach)[order],
        adjust(p_value, "holm")[order],
    )
