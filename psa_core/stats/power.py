"""Statistical power of a study of a given size."""

from __future__ import annotations

import numpy as np

from psa_core.errors import OptionError
from psa_core.stats.significance import SIGNIFICANT

POWER = 0.8
QUANTILES = 4000


def detectable_effect(sentences: int, names: int, *, power: float = POWER) -> float:
    """The standardised effect of one name that a study finds in 80 % of the cases, after correction for all names.

    For the paired t-test at 5 % divided by the number of names: what Bonferroni does, and Holm at least. Multiply it by
    the standard deviation of the differences over sentences to have it on the scale of the score.

    Parameters
    ----------
    sentences, names : int
        The size of the study.
    power : float
        Share of studies that find it, from 0.5 to below 1.

    Returns
    -------
    float
        Cohen's d_z, greater than 0; smaller = finer.

    Raises
    ------
    OptionError
        For fewer than two sentences, no name, or a power that is no share.

    Examples
    --------
    >>> round(detectable_effect(1000, 100), 2)
    0.14
    """
    from scipy.optimize import brentq
    from scipy.stats import t

    if sentences < 2 or names < 1:
        raise OptionError("study", got=f"{sentences} sentences and {names} names", expected="at least 2 and 1")
    if not 0.5 <= power < 1:
        raise OptionError("power", got=f"{power}", expected="a number from 0.5 to below 1", fix="Try 0.8.")
    edge = float(t.isf(SIGNIFICANT / names / 2, sentences - 1))
    spread = _spread_quantiles(sentences - 1)
    shift = brentq(lambda shift: _found(shift, edge, spread) - power, 0, 10 * edge + 10)
    return float(shift / sentences**0.5)


def _spread_quantiles(freedom: int) -> np.ndarray:
    """Estimated over true standard deviation, at the middles of 4,000 equally likely ranges."""
    from scipy.stats import chi2

    return np.sqrt(chi2.ppf((np.arange(QUANTILES) + 0.5) / QUANTILES, freedom) / freedom)


def _found(shift: float, edge: float, spread: np.ndarray) -> float:
    """How often a t statistic shifted by so many standard errors lies beyond the edge, on the side of the shift.

    By averaging over the estimated spread: scipy's noncentral t is NaN for many of the sizes in question.
    """
    from scipy.special import ndtr

    return float(ndtr(shift - edge * spread).mean())
