"""Pearson correlation with p-value and interval; NaN where it is not defined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.bootstrap import DRAWN_AT_ONCE, affordable, share_as_far, studentised_draws
from psa_core.stats.families import Families
from psa_core.stats.intervals import CONFIDENCE

FEW_POINTS = 10
#: Points in a fifth of the range of x from which its mean is compared with the others'.
MIN_IN_FIFTH = 5
#: Random orders of a permutation test.
N_PERMUTATIONS = 1999


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

    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 1 or one.shape != two.shape:
        raise CubeError("correlation", got=f"shapes {one.shape} and {two.shape}", expected="two lists of one length")
    if np.isinf(one).any() or np.isinf(two).any():
        raise CubeError("correlation", got="infinite values", expected="finite values")
    paired = ~np.isnan(one) & ~np.isnan(two)
    one, two = one[paired], two[paired]
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

    Parameters
    ----------
    first, second : arrays (S,)
    n_resamples : int
        At most this many; fewer for very many sentences.
    n_permutations : int
        The same.
    families : Families, optional
        What is drawn and put in random order in place of single sentences. NaN bounds and p-value where they are too
        few; ``r`` stays that over sentences.

    Returns
    -------
    Correlation
        As `pearson`, with the same ``r``; ``p`` is at least 2 / (n_permutations + 1).

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
    p_value = max(normal.p if not families.any else 0.0, share_as_far(by_chance, float(np.corrcoef(units)[0, 1])))
    if not abs(normal.r) < 1 - 1e-9:
        return normal._replace(p=p_value)
    centre, error = _fisher_z(points, families)
    tail = (1 - CONFIDENCE) / 2
    if count < FEW_POINTS:
        nearest = [(normal.low, normal.high)]
    else:
        own, _ = _fisher_z(units)
        drawn = affordable(n_resamples, count)
        studentised = studentised_draws(lambda chosen: _fisher_z(units[:, chosen]), own, count, drawn, seed)
        nearest = [tuple(np.tanh(centre - error * np.quantile(studentised, [1 - tail, tail])))]
        p_value = max(p_value, share_as_far(studentised, float(centre / error)))
    nearest.append(tuple(np.tanh(centre - np.arctanh(np.quantile(by_chance, [1 - tail, tail])))))
    low, high = np.nanmin([low for low, _ in nearest]), np.nanmax([high for _, high in nearest])
    return normal._replace(p=p_value, low=float(low), high=float(high))


def trend_shape(x: ArrayLike, y: ArrayLike) -> str:
    """The shape of y over x, which a correlation does not show.

    Means of y are compared between thirds of x, between fifths where there are 50 points, and between fifths of the
    range of x, so that a turn among the few high values of a skewed x is seen, as it is in a chart. A later mean
    against the direction of the thirds by more than two standard errors is a turn.

    Parameters
    ----------
    x, y : arrays (S,)

    Returns
    -------
    {"rising", "falling", "peak", "dip", "mixed", "unknown"}
        ``peak`` and ``dip``: the middle third is highest, lowest; ``unknown`` under 6 points and where x does not vary.

    Examples
    --------
    >>> trend_shape(range(9), range(9)), trend_shape(range(9), [0, 1, 2, 3, 3, 3, 2, 1, 0])
    ('rising', 'peak')
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    paired = ~np.isnan(one) & ~np.isnan(two)
    one, two = one[paired], two[paired]
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


def _permuted_r(points: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """Pearson's r with the second quantity permuted, float64 (permutations,); within (-1, 1)."""
    random = np.random.default_rng([seed, 2])
    one, two = (points - points.mean(axis=1, keepdims=True)) / points.std(axis=1, keepdims=True)
    rows = max(1, DRAWN_AT_ONCE // len(one))
    parts = []
    for start in range(0, permutations, rows):
        orders = random.permuted(np.broadcast_to(two, (min(rows, permutations - start), len(two))), axis=1)
        parts.append(orders @ one / len(one))
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
