"""Equivalence tests for a name's effect, robust to rare large moves not yet seen."""

from __future__ import annotations

from math import ceil, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.moments import sentence_moments
from psa_core.stats.significance import SIGNIFICANT, t_statistic

STAKES = (1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
WEIGHTS = (0.5, 0.1, 0.1, 0.1, 0.1, 0.1)


def equivalence_p(
    differences: ArrayLike, margin: float, *, score_range: float = 1.0, error: ArrayLike | None = None
) -> np.ndarray:
    """P-values of the equivalence test: is the mean difference inside ``(-margin, margin)``?

    The larger of two p-values. The first is that of the two one-sided t-tests (TOST), which assumes that the sentences
    show the full spread. The second assumes only that no difference exceeds `score_range`: a mean at the margin may
    come from a few large changes that none of these sentences has, and few sentences cannot exclude that (with no
    difference in S sentences, a share of up to 3 / S of all sentences may still have one). It is the inverse of a
    betting martingale (Waudby-Smith and Ramdas 2024, section 4), here with fixed stakes.

    Parameters
    ----------
    differences : array (S,) or (S, N)
    margin : float
        The largest mean difference that would not matter, on the scale of the scores; greater than 0.
    extent : float
        The largest difference that scores can have: the width of the target's range, 1 for a probability. Where the
        scores have no range (infinite), nothing can be shown. Larger differences than this one widen it.
    error : array (N,), optional
        Standard error of the mean difference, where it is not that over the sentences alone.

    Returns
    -------
    float64 array () or (N,)
        Small = equivalent for all purposes that the margin stands for. NaN for one sentence and for scores without a
        range: what cannot be shown is not shown to be different.

    Raises
    ------
    CubeError, OptionError
        When there is no sentence; when margin or extent is not positive.

    Examples
    --------
    >>> equivalence_p(np.zeros((400, 1)), margin=0.02).round(4)
    array([0.0006])
    >>> equivalence_p(np.zeros((12, 1)), margin=0.02).round(1)
    array([0.9])
    """
    from scipy.stats import t

    if not margin > 0:
        raise OptionError("margin", got=f"{margin}", expected="a number greater than 0")
    if not score_range > 0:
        raise OptionError("extent", got=f"{score_range}", expected="a number greater than 0")
    count, mean, deviation = sentence_moments(differences)
    if not np.isfinite(score_range):
        return np.full(mean.shape, np.nan)
    spread = deviation if error is None else np.asarray(error, dtype=np.float64) * np.sqrt(count)
    freedom = max(count - 1, 1)
    above_lower = t.sf(t_statistic(mean + margin, spread, count), freedom)
    below_upper = t.cdf(t_statistic(mean - margin, spread, count), freedom)
    values = np.asarray(differences, dtype=np.float64)
    widest = max(score_range, float(np.abs(values).max()))
    unseen = np.maximum(_unseen_p(margin - values, widest - margin), _unseen_p(margin + values, widest - margin))
    return np.where(np.isnan(deviation), np.nan, np.maximum(np.maximum(above_lower, below_upper), unseen))


def equivalence_sentences(margin: float, score_range: float, names: int = 1) -> float:
    """How many sentences it takes at least to show equivalence of one of so many names, if none shows any difference.

    Infinite for scores without a range.

    Examples
    --------
    >>> equivalence_sentences(0.02, 1.0), equivalence_sentences(0.02, 1.0, names=100)
    (183, 411)
    """
    if margin >= score_range:
        return 2
    if not np.isfinite(score_range):
        return float("inf")
    return max(2, ceil(log(names / SIGNIFICANT / WEIGHTS[0]) / -log1p(-margin / score_range)))


def _unseen_p(winnings: np.ndarray, most_lost: float) -> np.ndarray:
    """P-value of a mean of at most 0 of `winnings` (S, …), each at least ``-most_lost``: () or (…)."""
    if most_lost <= 0:  # no difference reaches the margin
        return np.zeros(winnings.shape[1:])
    capital = np.zeros(winnings.shape[1:])
    with np.errstate(divide="ignore", over="ignore"):
        for stake, weight in zip(STAKES, WEIGHTS, strict=True):
            capital += weight * np.exp(np.log1p(np.maximum(winnings * (stake / most_lost), -1)).sum(axis=0))
        return np.minimum(1.0, 1 / capital)
