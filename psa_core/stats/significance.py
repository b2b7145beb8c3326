"""Paired tests, correction for multiple tests, and standardised effect sizes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.moments import sentence_moments

CORRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "none": "No correction",
        "bonferroni": "Bonferroni (family-wise error)",
        "holm": "Holm (family-wise error)",
        "fdr_bh": "Benjamini–Hochberg (false discovery rate)",
    }
)

#: The level of every test here: what is below it, after correction, is called significant.
SIGNIFICANT = 0.05


def paired_t_p(differences: ArrayLike) -> np.ndarray:
    """Two-sided p-values of the paired t-test over sentences, for all names at once.

    Parameters
    ----------
    differences : array (S,) or (S, N)
        Signed differences from the baseline.

    Returns
    -------
    float64 array () or (N,)
        In [0, 1]; smaller = less compatible with a mean of zero. Differences that are all zero give 1, all equal to
        another value give 0, and one sentence gives NaN, since there is no spread to judge by.

    Raises
    ------
    CubeError
        When there is no sentence.

    Examples
    --------
    >>> paired_t_p([[0.0, 0.1], [0.0, 0.2], [0.0, 0.3]]).round(3)
    array([1.   , 0.074])
    """
    from scipy.stats import t

    count, mean, deviation = sentence_moments(differences)
    return 2 * t.sf(np.abs(t_statistic(mean, deviation, count)), max(count - 1, 1))


def adjust(p_values: ArrayLike, correction: str = "holm") -> np.ndarray:
    """P-values corrected for the number of names tested.

    Parameters
    ----------
    p_values : array (N,)
        NaN entries stay NaN and do not count.
    correction : {"none", "bonferroni", "holm", "fdr_bh"}

    Returns
    -------
    float64 array (N,)

    Raises
    ------
    OptionError
        When the correction is unknown.

    Examples
    --------
    >>> adjust([0.01, 0.04], "holm")
    array([0.02, 0.04])
    """
    if correction not in CORRECTIONS:
        raise OptionError("correction", got=repr(correction), expected=f"one of {', '.join(CORRECTIONS)}")
    adjusted = np.array(p_values, dtype=np.float64)
    tested = np.isfinite(adjusted)
    if correction == "holm":
        adjusted[tested] = _holm(adjusted[tested])
    elif correction != "none" and tested.any():
        from statsmodels.stats.multitest import multipletests

        adjusted[tested] = multipletests(adjusted[tested], method=correction)[1]
    return adjusted


def standardised_effect(differences: ArrayLike) -> np.ndarray:
    """Cohen's d_z: mean difference over its standard deviation across sentences.

    Parameters
    ----------
    differences : array (S,) or (S, N)

    Returns
    -------
    float64 array () or (N,)
        Signed, without unit; about 0.2 is called small, 0.8 large. 0 where no sentence differs; NaN where it is not
        defined (one sentence, or the same difference other than zero in all).

    Raises
    ------
    CubeError
        When there is no sentence.

    Examples
    --------
    >>> standardised_effect([0.1, 0.2, 0.3]).round(2)
    np.float64(2.0)
    """
    _, mean, deviation = sentence_moments(differences)
    undefined = np.where((deviation == 0) & (mean == 0), 0.0, np.nan)
    return np.divide(mean, deviation, out=undefined, where=deviation > 0)


def _holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's step-down. statsmodels has it too, but collects all the process's garbage each time: 0.1 s and more."""
    order = np.argsort(p_values)
    scaled = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def t_statistic(mean: np.ndarray, deviation: np.ndarray, count: int) -> np.ndarray:
    """``mean / (deviation / √count)``; without any spread ±infinity, or 0 for a mean of 0; NaN for one sentence."""
    without_spread = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    without_spread = np.where(np.isnan(deviation), np.nan, without_spread)
    with np.errstate(over="ignore"):  # a mean far from 0 in deviations is infinitely far
        return np.divide(mean, deviation / np.sqrt(count), out=without_spread, where=deviation > 0)
