"""Pearson correlation with p-value and interval; NaN where it is not defined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.bootstrap import DRAWN_AT_ONCE, affordable, share_as_far
from psa_core.stats.families import Families
from psa_core.stats.intervals import CONFIDENCE

FEW_POINTS = 10
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
        """Why there is no correlation; empty when there is one."""
        return (
            "" if np.isfinite(self.r) else "one of the two quantities does not vary, or there are fewer than 3 points"
        )


UNDEFINED = Correlation(*[float("nan")] * 4)


def pearson(first: ArrayLike, second: ArrayLike) -> Correlation:
    """Correlation of two quantities, with the interval by Fisher's z, which presumes that both are about normal.

    Parameters
    ----------
    first, second : arrays (S,)

    Returns
    -------
    Correlation
        ``r`` in [-1, 1]; all NaN with a `reason` when one quantity is constant or there are fewer than 3 points: "no
        correlation can be computed" is not "the correlation is 0".

    Raises
    ------
    CubeError
        When the lengths differ or a value is not finite.

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
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise CubeError("correlation", got="missing or infinite values", expected="finite values")
    if len(one) < 3 or not (_varies(one) and _varies(two)):
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
    resamples : int
        At most this many; fewer for very many sentences.
    n_permutations : int
        The same.
    seed : int
        The same seed gives the same interval.
    families : Families, optional
        What is drawn and put in random order in place of single sentences. NaN bounds and p-value where they are too
        few; ``r`` stays that over sentences.

    Returns
    -------
    Correlation
        As `pearson`, with the same ``r``; ``p`` is at least 2 / (n_permutations + 1).

    Raises
    ------
    CubeError
        As `pearson`.

    Examples
    --------
    >>> found = sentence_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 9])
    >>> round(found.r, 2), found.low < 0 < found.high, found.p > 0.05
    (0.81, True, True)
    """
    normal = pearson(first, second)
    points = np.stack([np.asarray(values, dtype=np.float64) for values in (first, second)])
    families = families or Families.none(points.shape[1])
    if not np.isfinite(normal.r) or families.too_few:
        return normal._replace(p=float("nan"), low=float("nan"), high=float("nan"))
    units = np.stack([families.means(values) for values in points])
    count = units.shape[1]
    by_chance = _permuted_r(units, affordable(n_permutations, count), seed)
    p_value = max(normal.p if not families.any else 0.0, share_as_far(by_chance, _r(units)))
    if not abs(normal.r) < 1 - 1e-9:
        return normal._replace(p=p_value)
    centre, error = _fisher_z(points, families)
    tail = (1 - CONFIDENCE) / 2
    if count < FEW_POINTS:
        nearest = [(normal.low, normal.high)]
    else:
        studentised = _studentised_draws(units, affordable(n_resamples, count), seed)
        nearest = [tuple(np.tanh(centre - error * np.quantile(studentised, [1 - tail, tail])))]
        p_value = max(p_value, share_as_far(studentised, float(centre / error)))
    nearest.append(tuple(np.tanh(centre - np.arctanh(np.quantile(by_chance, [1 - tail, tail])))))
    low, high = np.nanmin([low for low, _ in nearest]), np.nanmax([high for _, high in nearest])
    return normal._replace(p=p_value, low=float(low), high=float(high))


def _r(points: np.ndarray) -> float:
    """Pearson's r of points (2, S)."""
    return float(np.corrcoef(points)[0, 1])


def _permuted_r(points: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """Pearson's r with the second quantity in random orders, float64 (permutations,); within (-1, 1)."""
    random = np.random.default_rng([seed, 2])
    one, two = (points - points.mean(axis=1, keepdims=True)) / points.std(axis=1, keepdims=True)
    rows = max(1, DRAWN_AT_ONCE // len(one))
    parts = []
    for start in range(0, permutations, rows):
        orders = random.permuted(np.broadcast_to(two, (min(rows, permutations - start), len(two))), axis=1)
        parts.append(orders @ one / len(one))
    return np.clip(np.concatenate(parts), -1 + 1e-9, 1 - 1e-9)


def _studentised_draws(points: np.ndarray, n_resamples: int, seed: int) -> np.ndarray:
    """How many standard errors each resample's Fisher z is from the sample's; `points` are (2, S)."""
    random = np.random.default_rng(seed)
    count = points.shape[1]
    centre, _ = _fisher_z(points)
    rows = max(1, DRAWN_AT_ONCE // count)
    draws = []
    for first in range(0, n_resamples, rows):
        drawn, error = _fisher_z(points[:, random.integers(0, count, (min(rows, n_resamples - first), count))])
        draws.append((drawn - centre)[error > 0] / error[error > 0])
    return np.concatenate(draws)


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


def _varies(values: np.ndarray) -> bool:
    """Whether there is more spread than rounding of the values makes."""
    return bool(np.ptp(values) > 1e-12 * np.abs(values).max())
