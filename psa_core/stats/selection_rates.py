"""Selection rates: how often texts with names of a group are selected, and the ratio to the highest rate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.families import Families
from psa_core.stats.groups import Contrast, compare_groups
from psa_core.stats.means import CONFIDENCE
from psa_core.stats.scores import labels_at


class SelectionRates(NamedTuple):
    """Selection rates of G groups; arrays (G,).

    ``names`` counts a group's names, ``texts`` their texts (sentence and name) with an answer; ``selected`` those
    selected, where a tie at the edge of a document's top counts in part; ``rate`` is ``selected / texts``.
    ``impact_ratio`` is the rate over the highest rate of a group of two names or more (NaN for a group of one name, or
    where none is selected), with its 95 % interval ``low, high`` over sentences and names: NaN for the group with the
    highest rate, whose ratio is 1 by definition, and where a group has none selected. ``p_adjusted`` is of the
    difference from the highest rate, over sentences and over names, corrected over all pairs of groups, since any of
    them could have been the highest and the lowest.
    """

    names: np.ndarray
    texts: np.ndarray
    selected: np.ndarray
    rate: np.ndarray
    impact_ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_adjusted: np.ndarray


def select_at(scores: ArrayLike, threshold: float) -> np.ndarray:
    """1 where a score reaches the threshold, else 0; NaN where it is missing: float64 array of the scores' shape.

    Examples
    --------
    >>> select_at([[0.4, 0.5, float("nan")]], 0.5)
    array([[ 0.,  1., nan]])
    """
    given = np.asarray(scores)
    return np.where(np.isnan(given), np.nan, labels_at(given, threshold))


def select_top(scores: ArrayLike, count: int) -> np.ndarray:
    """1 for the so many highest names of each sentence, else 0; those that tie for the last places share them.

    Of scores (S, N): NaN, a missing answer, is not selected and counts in no rate. `count` is at least 1; all are
    selected where there are no more.

    Examples
    --------
    >>> select_top([[0.9, 0.5, 0.5, 0.1]], 2)
    array([[1. , 0.5, 0.5, 0. ]])
    """
    given = np.asarray(scores, dtype=np.float64)
    if count < 1:
        raise CubeError("top", got=str(count), expected="at least 1")
    ranked = -np.sort(-np.where(np.isnan(given), -np.inf, given), axis=1)
    edge = ranked[:, [min(count, given.shape[1]) - 1]]
    above, tied = given > edge, given == edge
    places = count - above.sum(axis=1, keepdims=True)
    share = np.minimum(1.0, places / np.maximum(tied.sum(axis=1, keepdims=True), 1))
    return np.where(np.isnan(given), np.nan, np.where(above, 1.0, np.where(tied, share, 0.0)))


def selection_rates(
    selected: ArrayLike,
    groups: Sequence[np.ndarray],
    *,
    families: Families | None = None,
) -> SelectionRates:
    """How often each group is selected, and the ratio to the highest rate.

    The interval of a ratio is that of its logarithm by Student's t: its variance over sentences (or families) and over
    the names of both groups, added, which counts what is of neither twice and so is rather wide.

    `selected` (S, N) is by `select_at` or `select_top`; `groups` has the names of each, bool (N,).

    Examples
    --------
    >>> first = np.array([True, True, False, False])
    >>> found = selection_rates([[1, 1, 1, 0], [1, 1, 0, 1]], [first, ~first])
    >>> found.rate.tolist(), found.impact_ratio.tolist()
    ([1.0, 0.5], [1.0, 0.5])
    """
    chosen = np.asarray(selected, dtype=np.float64)
    families = Families.none(len(chosen)) if families is None else families
    is_given = ~np.isnan(chosen)
    texts = np.array([is_given[:, names].sum() for names in groups])
    counts = np.array([np.nansum(chosen[:, names]) for names in groups])
    sizes = np.array([names.sum() for names in groups])
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = counts / texts
    ratio, low, high, p_adjusted = np.full((4, len(groups)), np.nan)
    real = np.flatnonzero((sizes > 1) & (texts > 0))
    if len(real) < 2 or not rate[real].max() > 0:
        return SelectionRates(sizes, texts, counts, rate, ratio, low, high, p_adjusted)
    highest = int(real[np.argmax(rate[real])])
    ratio[real] = rate[real] / rate[highest]
    pairs = list(combinations(real.tolist(), 2))
    contrasts = [Contrast.between(*(groups[g] for g in pair)) for pair in pairs]
    p_of_pair = compare_groups(chosen, contrasts, families=families).p_adjusted
    for pair, p_value in zip(pairs, p_of_pair, strict=True):
        if highest in pair:
            p_adjusted[sum(pair) - highest] = p_value
    for g in (g for g in real.tolist() if g != highest and rate[g] > 0):
        low[g], high[g] = _ratio_interval(chosen, groups[g], groups[highest], families)
    return SelectionRates(sizes, texts, counts, rate, ratio, low, high, p_adjusted)


def _ratio_interval(chosen: np.ndarray, one: np.ndarray, other: np.ndarray, families: Families) -> tuple[float, float]:
    from scipy.stats import t

    variances, freedoms, log_ratio = [], [], 0.0
    by_sentence = np.zeros(len(chosen))
    for sign, names in ((1.0, one), (-1.0, other)):
        given = chosen[:, names]
        rate = np.nansum(given) / (~np.isnan(given)).sum()
        # What each sentence and each name adds to the rate, over the rate: 0 on average.
        moved = np.where(np.isnan(given), 0.0, given - rate) / rate
        scale = given.size / (~np.isnan(given)).sum()
        by_sentence += sign * moved.mean(axis=1) * scale
        of_names = moved.mean(axis=0) * scale
        variances.append(float(of_names.var(ddof=1)) / len(of_names))
        freedoms.append(len(of_names) - 1)
        log_ratio += sign * float(np.log(rate))
    rows = families.rows(by_sentence)
    if len(rows) < 2:
        return float("nan"), float("nan")
    variances.append(float(rows.var(ddof=1)) / len(rows))
    freedoms.append(len(rows) - 1)
    total = sum(variances)
    if not total:
        return float(np.exp(log_ratio)), float(np.exp(log_ratio))
    freedom = total**2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
    half = float(t.ppf((1 + CONFIDENCE) / 2, freedom)) * total**0.5
    return float(np.exp(log_ratio - half)), float(np.exp(log_ratio + half))
