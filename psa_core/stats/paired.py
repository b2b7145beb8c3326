"""The same quantity of the same sentences, measured twice: do the two means differ?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.bootstrap import DRAWN_AT_ONCE, affordable, share_as_far
from psa_core.stats.intervals import CONFIDENCE, mean_interval
from psa_core.stats.moments import sentence_moments
from psa_core.stats.scores import effective_threshold, paired_scores
from psa_core.stats.significance import paired_t_p

FEW_SENTENCES = 10


class Difference(NamedTuple):
    """Mean of first minus second, with the bounds of its 95 % interval and a two-sided p-value."""

    value: float
    low: float
    high: float
    p: float


def paired_difference(first: ArrayLike, second: ArrayLike, *, n_resamples: int = 2000, seed: int = 0) -> Difference:
    """Difference of two means over the same sentences, by the paired t-test and by a bootstrap, which must agree.

    The t-test is too sure of skewed differences, the studentised bootstrap (bootstrap-t) over sentences of rare ones.
    So the interval is the wider one and the p-value the larger one, and both say the same. From 30 sentences on no
    kind of difference that was simulated is called sure too often; with 12, one-sided rare ones are in 10 % of the
    studies (`docs/statistics.md`). Under 10 sentences, and where all differences are equal, there is only the t-test.

    Parameters
    ----------
    first, second : arrays (S,)
    resamples : int
        At most this many; fewer for very many sentences.
    seed : int
        The same seed gives the same interval.

    Returns
    -------
    Difference
        Signed, first minus second; ``p`` is at least 2 / (resamples + 1) where it is drawn. NaN bounds and p-value for
        one sentence.

    Raises
    ------
    CubeError
        When the lengths differ, a value is not finite, or there is no sentence.

    Examples
    --------
    >>> paired_difference([0.25, 0.5, 0.75], [0.25, 0.5, 0.75])
    Difference(value=0.0, low=0.0, high=0.0, p=1.0)
    """
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 1 or one.shape != two.shape:
        raise CubeError("paired difference", got=f"shapes {one.shape} and {two.shape}", expected="one length")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise CubeError("paired difference", got="missing or infinite values", expected="finite values")
    differences = one - two
    count, mean, deviation = (float(moment) for moment in sentence_moments(differences))
    value, low, high = (float(bound) for bound in mean_interval(differences))
    p_value = float(paired_t_p(differences))
    # A spread within rounding of the values is none.
    if count < FEW_SENTENCES or not deviation > 1e-12 * np.abs([one, two]).max():
        return Difference(value, low, high, p_value)
    error = deviation / count**0.5
    studentised = _studentised_draws(differences, mean, affordable(n_resamples, len(one)), seed)
    tail = (1 - CONFIDENCE) / 2
    drawn_low, drawn_high = mean - error * np.quantile(studentised, [1 - tail, tail])
    drawn_p = share_as_far(studentised, mean / error)
    return Difference(value, min(low, float(drawn_low)), max(high, float(drawn_high)), max(p_value, drawn_p))


def label_dist_parts(original: ArrayLike, perturbed: ArrayLike, threshold: float) -> np.ndarray:
    """Each sentence's part of LabelDist: the mean over sentences is LabelDist, their spread is its own.

    LabelDist is a ratio of counts; this is its linear approximation by the influence function, good where about ten
    sentences or more have the label.

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)
    threshold : float

    Returns
    -------
    float64 array (S,)

    Raises
    ------
    CubeError, OptionError
        As `paired_scores`; when the threshold is not finite.

    Examples
    --------
    >>> label_dist_parts([0.75, 0.75], [[0.75], [0.25]], 0.5).tolist()
    [0.0, 1.0]
    """
    base, perturbed = paired_scores(original, perturbed)
    level = effective_threshold(threshold, base, perturbed)
    before, after = base[:, None] >= level, perturbed >= level
    both, either = before & after, before | after
    union = either.mean(axis=0)
    shared = np.divide(both.mean(axis=0), union, out=np.ones(len(union)), where=union > 0)
    # d(1 - B/U) = -(dB - (B/U) dU) / U, and B - (B/U) U = 0 on average.
    influence = np.divide(shared * either - both, union, out=np.zeros(perturbed.shape), where=union > 0)
    return (1 - shared + influence).mean(axis=1)


def _studentised_draws(differences: np.ndarray, centre: float, n_resamples: int, seed: int) -> np.ndarray:
    """How many of its own standard errors each resample's mean is from the sample's."""
    random = np.random.default_rng(seed)
    count = len(differences)
    rows = max(1, DRAWN_AT_ONCE // count)
    draws = []
    for start in range(0, n_resamples, rows):
        drawn = differences[random.integers(0, count, (min(rows, n_resamples - start), count))]
        error = drawn.std(axis=1, ddof=1) / count**0.5
        draws.append((drawn.mean(axis=1) - centre)[error > 0] / error[error > 0])
    return np.concatenate(draws)
