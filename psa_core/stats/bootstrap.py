"""Resampling sentences: intervals of a mean, of a difference of two means and of a correlation, with their tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.families import Families
from psa_core.stats.means import CONFIDENCE, Interval, mean_interval, paired_t_p
from psa_core.stats.scores import sentence_moments

DRAWN_VALUES, DRAWN_AT_ONCE = 20_000_000, 1_000_000
BCA_SENTENCES, FEW_SENTENCES = 500, 10
#: Points in a fifth of the range of x from which its mean is compared with the others'.
MIN_IN_FIFTH = 5
#: Random orders of a permutation test.
N_PERMUTATIONS = 1999
TAIL = (1 - CONFIDENCE) / 2


def bootstrap_interval(
    values: ArrayLike,
    *,
    n_resamples: int = 2000,
    seed: int = 0,
    families: Families | None = None,
) -> Interval:
    """Mean of a per-sentence quantity (ScoreDev, ScoreRange, …) with its bootstrap interval over sentences.

    Bias-corrected and accelerated (BCa) up to 500 sentences; above, where the two agree, the percentile interval,
    which needs no jackknife. For very many sentences fewer resamples are drawn (never under 200), to bound the time.
    Where sentences come in families, a bootstrap of few and unequal ones is too narrow: there it is `mean_interval`.

    Of values (S,); sentences whose value is missing (NaN) are left out. [value, value] when all values are equal; NaN
    bounds for one sentence. `n_resamples` at most.

    Examples
    --------
    >>> bootstrap_interval([0.25, 0.25])
    Interval(value=0.25, low=0.25, high=0.25)
    """
    from scipy.stats import bootstrap

    sample = np.ravel(np.asarray(values, dtype=np.float64))
    known = ~np.isnan(sample)
    if known.any() and not known.all():
        sample, families = sample[known], families and families.subset(known)
    if families is not None and families.any:
        value, low, high = map(float, mean_interval(sample, families=families))
        # The t interval of few families reaches below 0 where no spread, range or share can.
        return Interval(value, max(low, 0.0) if sample.min() >= 0 else low, high)
    count, mean, deviation = sentence_moments(sample)
    if count == 1 or deviation == 0:
        bound = float(mean) if count > 1 else float("nan")
        return Interval(float(mean), bound, bound)
    # The jackknife inside BCa divides by the spread, which must not vanish in rounding.
    has_spread = deviation > 1e-9 * np.abs(sample).max()
    low, high = bootstrap(
        (sample,),
        np.mean,
        confidence_level=CONFIDENCE,
        n_resamples=affordable(n_resamples, count),
        batch=max(1, DRAWN_VALUES // (10 * count)),
        method="BCa" if has_spread and count <= BCA_SENTENCES else "percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(mean), float(low), float(high))


class Difference(NamedTuple):
    """Mean difference (first minus second) with its 95 % interval and two-sided p-value."""

    value: float
    low: float
    high: float
    p: float


def paired_difference(first: ArrayLike, second: ArrayLike, *, n_resamples: int = 2000, seed: int = 0) -> Difference:
    """Difference of two paired means: significant only by both the paired t-test and a bootstrap.

    The t-test is too sure of skewed differences, the studentised bootstrap (bootstrap-t) over sentences of rare ones.
    So the interval is the wider one and the p-value the larger one, and both say the same. From 30 sentences on no
    kind of difference that was simulated is called significant too often; with 12, one-sided rare ones are in 10 % of
    the studies (`docs/statistics.md`). Under 10 sentences, and where all differences are equal, there is only the
    t-test.

    Of arrays (S,): first minus second, with NaN bounds and p-value for one sentence. `n_resamples` at most; fewer for
    very many sentences. ``p`` is at least 2 / (n_resamples + 1) where it is drawn.

    Examples
    --------
    >>> paired_difference([0.25, 0.5, 0.75], [0.25, 0.5, 0.75])
    Difference(value=0.0, low=0.0, high=0.0, p=1.0)
    """
    one, two = _complete_pairs(first, second, "paired difference")
    if not len(one):
        raise CubeError("paired difference", got="no pair of values", expected="finite values")
    differences = one - two
    count, mean, deviation = (float(moment) for moment in sentence_moments(differences))
    value, low, high = (float(bound) for bound in mean_interval(differences))
    p_value = float(paired_t_p(differences))
    # A spread within rounding of the values is none.
    if count < FEW_SENTENCES or not deviation > 1e-12 * np.abs([one, two]).max():
        return Difference(value, low, high, p_value)

    def resampled(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        drawn = differences[positions]
        return drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / count**0.5

    found = mean, deviation / count**0.5
    drawn = _bootstrap_t(resampled, mean, found, len(one), affordable(n_resamples, len(one)), seed)
    return Difference(value, min(low, drawn[0]), max(high, drawn[1]), max(p_value, drawn[2]))


class Correlation(NamedTuple):
    """Pearson r with its two-sided p-value and the bounds of its 95 % interval.

    ``r`` is NaN where a correlation is not defined (`reason` says why); the bounds are NaN under four points.
    """

    r: float
    p: float
    low: float
    high: float

    @property
    def reason(self) -> str:
        """Why the correlation is undefined; empty if it is defined."""
        why = "one of the two quantities does not vary, or there are fewer than 3 points"
        return "" if np.isfinite(self.r) else why


UNDEFINED = Correlation(*[float("nan")] * 4)


def pearson(first: ArrayLike, second: ArrayLike) -> Correlation:
    """Correlation of two quantities (S,) with Fisher's z interval, which assumes that both are roughly normal.

    All NaN with a `reason` when one quantity is constant or there are fewer than 3 points: "no correlation can be
    computed" is not "the correlation is 0". A pair of which one is missing (NaN) is left out.

    Examples
    --------
    >>> round(pearson([1, 2, 3, 4], [2, 1, 4, 3]).r, 2)
    0.6
    >>> pearson([1, 1, 1], [1, 2, 3]).reason
    'one of the two quantities does not vary, or there are fewer than 3 points'
    """
    from scipy.stats import pearsonr

    one, two = _complete_pairs(first, second, "correlation")
    # More spread than rounding of the values makes.
    varies = all(np.ptp(values) > 1e-12 * np.abs(values).max() for values in (one, two) if len(values))
    if len(one) < 3 or not varies:
        return UNDEFINED
    result = pearsonr(one, two)
    if len(one) < 4 or abs(result.statistic) == 1:
        bound = float(result.statistic) if len(one) > 3 else float("nan")
        return Correlation(float(result.statistic), float(result.pvalue), bound, bound)
    low, high = result.confidence_interval(CONFIDENCE)
    return Correlation(float(result.statistic), float(result.pvalue), float(low), float(high))


def sentence_correlation(
    first: ArrayLike,
    second: ArrayLike,
    *,
    n_resamples: int = 1000,
    n_permutations: int = N_PERMUTATIONS,
    seed: int = 0,
    families: Families | None = None,
) -> Correlation:
    """Correlation of two quantities of sentences, by a bootstrap and a permutation test, which must agree.

    Scores crowd at the ends of their range, and sensitivities spread with the score; there Fisher's z interval holds
    the true value in 90 % of the studies, not 95 %. The studentised bootstrap (bootstrap-t) over sentences on Fisher's
    scale, with the standard error by the influence function, holds it, but is too sure of a correlation of two skewed
    quantities that have none. The permutation test (one quantity in random order) is exact there. So the interval is
    the wider one and the p-value the larger one, and both say the same. Under 10 sentences Fisher's interval stands in
    for the bootstrap.

    `n_resamples` and `n_permutations` at most; fewer for very many sentences. `families` are drawn and put in random
    order in place of single sentences: NaN bounds and p-value where they are too few; ``r`` stays that over sentences,
    as `pearson` has it, and ``p`` is at least 2 / (n_permutations + 1).

    Examples
    --------
    >>> found = sentence_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 9])
    >>> round(found.r, 2), found.low < 0 < found.high, found.p > 0.05
    (0.81, True, True)
    """
    normal = pearson(first, second)
    points = np.stack([np.asarray(values, dtype=np.float64) for values in (first, second)])
    families = families or Families.none(points.shape[1])
    if np.isnan(points).any() and np.isfinite(normal.r):
        paired = np.flatnonzero(~np.isnan(points).any(axis=0))
        points, families = points[:, paired], families.subset(paired)
    if not np.isfinite(normal.r) or families.too_few:
        return normal._replace(p=float("nan"), low=float("nan"), high=float("nan"))
    units = np.stack([families.means(values) for values in points])
    count = units.shape[1]
    by_chance = _permuted_r(units, affordable(n_permutations, count), seed)
    p_value = max(normal.p if not families.any else 0.0, _share_as_far(by_chance, float(np.corrcoef(units)[0, 1])))
    if not abs(normal.r) < 1 - 1e-9:
        return normal._replace(p=p_value)
    centre, error = (float(part) for part in _fisher_z(points, families))
    low, high = np.tanh(centre - np.arctanh(np.quantile(by_chance, [1 - TAIL, TAIL])))
    if count < FEW_SENTENCES:
        nearest = normal.low, normal.high
    else:
        around, n_drawn = _fisher_z(units)[0], affordable(n_resamples, count)
        drawn = _bootstrap_t(lambda chosen: _fisher_z(units[:, chosen]), around, (centre, error), count, n_drawn, seed)
        nearest, p_value = (float(np.tanh(drawn[0])), float(np.tanh(drawn[1]))), max(p_value, drawn[2])
    return normal._replace(p=p_value, low=float(np.fmin(low, nearest[0])), high=float(np.fmax(high, nearest[1])))


def trend_shape(x: ArrayLike, y: ArrayLike) -> str:
    """The shape of y over x, which a correlation does not show.

    Means of y are compared between thirds of x, between fifths where there are 50 points, and between fifths of the
    range of x, so that a turn among the few high values of a skewed x is seen, as it is in a chart. A later mean
    against the direction of the thirds by more than two standard errors is a turn.

    One of ``rising``, ``falling``, ``peak`` and ``dip`` (the middle third is highest, lowest), ``mixed``, and
    ``unknown`` under 6 points and where x does not vary.

    Examples
    --------
    >>> trend_shape(range(9), range(9)), trend_shape(range(9), [0, 1, 2, 3, 3, 3, 2, 1, 0])
    ('rising', 'peak')
    """
    one, two = _complete_pairs(x, y, "trend")
    ordered = two[np.argsort(one, kind="stable")]
    if len(ordered) < 6 or np.ptp(one) == 0:
        return "unknown"
    low, middle, high = (part.mean() for part in np.array_split(ordered, 3))
    if middle > max(low, high) or middle < min(low, high):
        return "peak" if middle > max(low, high) else "dip"
    side = np.sign(high - low)
    edges = np.linspace(np.min(one), np.max(one), 6)[1:-1]
    by_value = [part for part in np.split(ordered, np.searchsorted(np.sort(one), edges)) if len(part) >= MIN_IN_FIFTH]
    for parts in (np.array_split(ordered, 5 if len(ordered) >= 50 else 3), by_value):
        means = np.array([part.mean() for part in parts])
        errors = np.array([part.var(ddof=1) / len(part) for part in parts])
        higher = means[:, None] - means[None, :] > 2 * np.sqrt(errors[:, None] + errors[None, :])
        if side == 0 or np.triu(higher if side > 0 else higher.T, k=1).any():
            top, bottom = int(means.argmax()), int(means.argmin())
            is_peak, is_dip = higher[top, [0, -1]].all(), higher[[0, -1], bottom].all()
            return "mixed" if is_peak == is_dip else "peak" if is_peak else "dip"
    return "rising" if side > 0 else "falling"


def _complete_pairs(first: ArrayLike, second: ArrayLike, field: str) -> tuple[np.ndarray, np.ndarray]:
    """Two lists of one length as float64, without the pairs of which one is missing (NaN)."""
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 1 or one.shape != two.shape:
        raise CubeError(field, got=f"shapes {one.shape} and {two.shape}", expected="two lists of one length")
    if np.isinf(one).any() or np.isinf(two).any():
        raise CubeError(field, got="infinite values", expected="finite values")
    paired = ~np.isnan(one) & ~np.isnan(two)
    return one[paired], two[paired]


def affordable(n_resamples: int, sentences: int) -> int:
    """Number of resamples: as requested, fewer for very many sentences, never under 200."""
    return max(200, min(n_resamples, DRAWN_VALUES // sentences))


def _bootstrap_t(
    statistic: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    around: float | np.ndarray,
    found: tuple[float, float],
    count: int,
    n_resamples: int,
    seed: int,
) -> tuple[float, float, float]:
    """Studentised bootstrap of what was `found` with its standard error: low, high and two-sided p-value.

    `statistic` gives values and standard errors of resamples, whose positions (r, count) it is given; they lie `around`
    its value for all positions.
    """
    random, draws = np.random.default_rng(seed), []
    rows = max(1, DRAWN_AT_ONCE // count)
    for first in range(0, n_resamples, rows):
        drawn, errors = statistic(random.integers(0, count, (min(rows, n_resamples - first), count)))
        draws.append((drawn - around)[errors > 0] / errors[errors > 0])
    studentised, (value, error) = np.concatenate(draws), found
    low, high = value - error * np.quantile(studentised, [1 - TAIL, TAIL])
    return float(low), float(high), _share_as_far(studentised, value / error)


def _share_as_far(drawn: np.ndarray, observed: float) -> float:
    """Twice the smaller tail share at the observed value, which is counted among the draws."""
    extreme = min(int((drawn >= observed).sum()), int((drawn <= observed).sum()))
    return min(1.0, 2 * (1 + extreme) / (1 + len(drawn)))


def permuted_rows(values: np.ndarray, count: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """So many random orders of values (N,), in blocks (rows, N), so that memory stays bounded."""
    rows = max(1, DRAWN_AT_ONCE // len(values))
    for start in range(0, count, rows):
        yield random.permuted(np.broadcast_to(values, (min(rows, count - start), len(values))), axis=1)


def _permuted_r(points: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """Pearson's r with the second quantity permuted, float64 (permutations,); within (-1, 1)."""
    random = np.random.default_rng([seed, 2])
    one, two = (points - points.mean(axis=1, keepdims=True)) / points.std(axis=1, keepdims=True)
    parts = [orders @ one / len(one) for orders in permuted_rows(two, permutations, random)]
    return np.clip(np.concatenate(parts), -1 + 1e-9, 1 - 1e-9)


def _fisher_z(points: np.ndarray, families: Families | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Fisher's z of points (2, …, S) and its standard error, both (…); the error is NaN or 0 where nothing varies.

    With families, for points (2, S), the error is over these.
    """
    # A resample may hold one point many times; what is undefined for it is left out by the caller.
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = points - points.mean(axis=-1, keepdims=True)
        one, two = centred / centred.std(axis=-1, keepdims=True)
        r = (one * two).mean(axis=-1)
        influence = one * two - r[..., None] * (one**2 + two**2) / 2
        if families is not None:
            influence = families.rows(influence)
        error = influence.std(axis=-1, ddof=1) / (1 - r**2) / np.sqrt(influence.shape[-1])
        return np.arctanh(r), np.where(np.isfinite(error) & (np.abs(r) < 1), error, np.nan)
