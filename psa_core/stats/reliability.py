"""Is the names' ranking reliable? Split halves of the sentences, and the sentences needed for a stable top."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.bootstrap import Correlation, sentence_correlation
from psa_core.stats.means import CONFIDENCE, Interval
from psa_core.stats.name_effects import BLOCKS
from psa_core.stats.scores import nan_mean, paired_scores, subsample_names

SPLITS, DRAWS, MIN_DRAWS = 40, 199, 119
RANKED_VALUES = 4_000_000
MIN_SENTENCES, MIN_NAMES = 4, 3
STABLE, TOP = 0.9, 10
TOP_DRAWS, MAX_SENTENCES = 200, 1_000_000
ROUNDING = 1e-9
NORMAL = 1.96


class TopStability(NamedTuple):
    """How stable the set of names with the largest effects is.

    ``top`` says how many names that is: 10, or half of a list of fewer than 20; ``share``, in [0, 1], which share of
    them another study of as many sentences is expected to have in its top, too; ``sentences`` from how many sentences
    on that share is at least 0.9, infinite where more than a million would be needed.
    """

    top: int
    share: float
    sentences: float


def order_reliability(perturbed: ArrayLike, *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Rank correlation of the names' order with that of another study of as many sentences, from split halves.

    The sentences are halved at random many times; the mean of the halves' Spearman correlations is stepped up to the
    full number of sentences (Spearman–Brown, 2r / (1 + r)). The interval comes from what chance gives where no name
    differs: each sentence's residuals with a random sign, so that names which move together still do. As for Cronbach's
    alpha (Feldt 1965), ``1 - reliability`` is the scale on which it is moved. In simulated studies of pure noise, 30 to
    400 sentences and 20 or 100 names, it contains 0 in 94 to 97.5 %; in 98 % and more where events are rare and
    sentences few (`docs/statistics.md`).

    Of scores (S, N), of more than 2,000 names so many at random. In [-1, 1]; 1 = the same order again, 0 = no more than
    chance. NaN with NaN bounds under 4 sentences or 3 names and where no name ever differs from another. `draws` are
    those of chance; fewer, down to 119, where there are more than 250 names. With so few as 39 the bounds are as right,
    but less steady.

    Examples
    --------
    >>> order_reliability([[0.1, 0.2, 0.3]] * 4).value
    1.0
    """
    centred = subsample_names(_centred(perturbed), seed)
    sentences, names = centred.shape
    if sentences < MIN_SENTENCES or names < MIN_NAMES or not centred.any():
        return Interval(*[float("nan")] * 3)
    random = np.random.default_rng(seed)
    # The same blocks of sentences stand in both tables, so that the halves are those of the same sentences.
    table = np.hstack([centred, centred - centred.mean(axis=0)])[random.permutation(sentences)]
    starts = np.linspace(0, sentences, min(BLOCKS, sentences), endpoint=False).astype(int)
    rows, left_over = np.hsplit(np.add.reduceat(table, starts, axis=0), 2)
    first_half = np.tile(np.arange(len(rows)) < len(rows) // 2, (SPLITS, 1))
    first_half = random.permuted(first_half, axis=1).astype(np.float64)
    observed = _repetition(rows, first_half)
    affordable = max(RANKED_VALUES // (2 * SPLITS * names), MIN_DRAWS)
    signs = random.choice([-1.0, 1.0], (min(draws, affordable), len(rows), 1))
    null = [_repetition(turned * left_over, first_half) for turned in signs]
    tail = (1 - CONFIDENCE) / 2
    lowest, highest = np.quantile(null, [tail, 1 - tail], method="inverted_cdf")
    return Interval(_bound(observed, 0.0), _bound(observed, highest), _bound(observed, lowest))


def top_stability(perturbed: ArrayLike, *, top: int = TOP, seed: int = 0) -> TopStability:
    """Expected overlap of the top names in a replication, and the sentences needed for an overlap of 90 %.

    Two studies are drawn many times, with the sentences' own covariance as normal errors, around effects of the names
    that are drawn, too: from what this study leaves possible, shrunk by what of their spread is error. Taken as they
    were found, effects would look further apart than they are. `top` is at most half of the names. NaN share and
    sentences under 4 sentences or 3 names and where no name ever differs from another.

    Examples
    --------
    >>> top_stability([[0.1, 0.2, 0.9, 0.2], [0.2, 0.1, 0.9, 0.2]] * 4, top=1).share
    1.0
    """
    centred = _centred(perturbed)
    sentences, names = centred.shape
    top = max(1, min(top, names // 2))
    if sentences < MIN_SENTENCES or names < MIN_NAMES or not centred.any():
        return TopStability(top, float("nan"), float("nan"))
    random = np.random.default_rng(seed)
    means = centred.mean(axis=0)
    left_over = centred - means
    error = (left_over**2).sum() / (sentences - 1) / (names - 1) / sentences
    spread = means.var(ddof=1)
    certain = max(0.0, 1 - error / spread) if spread else 0.0
    own, *deviations = (
        random.normal(size=(TOP_DRAWS, sentences)) @ left_over / np.sqrt(sentences - 1) for _ in range(3)
    )
    effects = certain * means + np.sqrt(certain / sentences) * own
    ties = [random.uniform(0, ROUNDING * np.abs(centred).max(), (TOP_DRAWS, names)) for _ in "ab"]

    def share(size: float) -> float:
        tops = [_most_extreme(effects + d / np.sqrt(size) + t, top) for d, t in zip(deviations, ties, strict=True)]
        return float((tops[0] & tops[1]).sum(axis=1).mean() / top)

    return TopStability(top, share(sentences), _first_stable(share))


def order_agreement(first: ArrayLike, second: ArrayLike) -> Correlation:
    """Spearman correlation of two studies' effects (N,) of the same names, with its interval over names.

    1 = the same order, -1 = the opposite one. The interval is the studentised bootstrap of the ranks' correlation; see
    `sentence_correlation`. Where the order is exactly the same, as sure as so many names allow.

    Examples
    --------
    >>> order_agreement([1, 2, 3, 4], [10, 20, 40, 30]).r
    0.8
    """
    from scipy.stats import rankdata

    ranks = [rankdata(_steady(values)) for values in (first, second)]
    found = sentence_correlation(*ranks)
    if not abs(found.r) >= 1 - ROUNDING:
        return found
    # An order repeated or reversed exactly is as sure as its places allow, ties being one place. The p-value is that of
    # all orders; the interval is Fisher's, half a swap of two neighbours short of 1.
    places = min(len(np.unique(each)) for each in ranks)
    p_value = 2 / factorial(places)
    if places < 4:
        return found._replace(p=p_value, low=float("nan"), high=float("nan"))
    nearest = 1 - 6 / (places**3 - places)
    bound = float(np.tanh(np.arctanh(nearest) - NORMAL / np.sqrt(places - 3)))
    return found._replace(p=p_value, **({"low": bound, "high": 1.0} if found.r > 0 else {"low": -1.0, "high": -bound}))


def _centred(perturbed: ArrayLike) -> np.ndarray:
    """Scores minus their sentence's mean over names; 0 for rounding errors, and where a score is missing."""
    _, perturbed = paired_scores(np.zeros(len(np.asarray(perturbed))), perturbed)
    centred = perturbed - nan_mean(perturbed, axis=1)[:, None]
    none = np.isnan(centred) | (np.abs(centred) <= ROUNDING * np.nanmax(np.abs(perturbed), initial=0.0))
    return np.where(none, 0.0, centred)


def _repetition(rows: np.ndarray, first_half: np.ndarray) -> float:
    """Mean over splits of the Spearman correlation of the names' sums over the two halves; 0 where one is constant."""
    one = first_half @ rows
    ranks = _ranks(np.stack([one, rows.sum(axis=0) - one]))
    ranks -= ranks.mean(axis=-1, keepdims=True)
    norms = np.sqrt((ranks**2).sum(axis=-1)).prod(axis=0)
    products = (ranks[0] * ranks[1]).sum(axis=-1)
    return float(np.divide(products, norms, out=np.zeros_like(products), where=norms > 0).mean())


def _ranks(sums: np.ndarray) -> np.ndarray:
    """Average ranks along the last axis; sums that differ only in their last bits are tied."""
    from scipy.stats import rankdata

    steady = _steady(sums)
    if not np.diff(np.sort(steady, axis=-1), axis=-1).all():
        return rankdata(steady, axis=-1)
    ranks, places = np.empty_like(steady), np.broadcast_to(np.arange(steady.shape[-1]), steady.shape)
    np.put_along_axis(ranks, np.argsort(steady, axis=-1), places, -1)  # a third of the time
    return ranks


def _steady(values: ArrayLike) -> np.ndarray:
    """Values on a grid of a billionth of the largest, so that the order of a sum makes no difference."""
    given = np.asarray(values, dtype=np.float64)
    if given.size == 0:
        raise CubeError("effects of names", got="none", expected="at least one name")
    largest = np.abs(given).max()
    return np.round(given / largest / ROUNDING) if largest > 0 else given


def _bound(observed: float, null: float) -> float:
    """Reliability where chance gives the half correlation `null` (0: Spearman–Brown), in [-1, 1]."""
    if _ratio(observed) == np.inf:
        return 1.0
    return float(max(-1.0, 1 - _ratio(null) / ratio)) if (ratio := _ratio(observed)) > 0 else -1.0


def _ratio(half: float) -> float:
    """``1 / (1 - reliability)``: what an F statistic is to Cronbach's alpha."""
    return np.inf if half >= 1 - ROUNDING else max(0.0, (1 + half) / (1 - half))


def _most_extreme(effects: np.ndarray, top: int) -> np.ndarray:
    """The `top` names furthest from the median in each row: bool (draws, N)."""
    distances = np.abs(effects - np.median(effects, axis=1, keepdims=True))
    found = np.zeros(effects.shape, dtype=bool)
    np.put_along_axis(found, np.argpartition(-distances, top - 1, axis=1)[:, :top], True, axis=1)
    return found


def _first_stable(share: Callable[[float], float]) -> float:
    """The fewest sentences (two digits) at which the share is large enough; infinite above a million."""
    if share(MAX_SENTENCES) < STABLE:
        return np.inf
    low, high = float(MIN_SENTENCES), float(MAX_SENTENCES)
    if share(low) >= STABLE:
        return low
    while high > 1.02 * low:
        middle = np.sqrt(low * high)
        low, high = (low, middle) if share(middle) >= STABLE else (middle, high)
    step = 10 ** max(0, int(np.floor(np.log10(high))) - 1)
    return float(np.ceil(high / step) * step)
