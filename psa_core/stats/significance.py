"""Paired tests, correction for multiple tests, and standardised effect sizes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.scores import sentence_moments

CORRECTIONS: Mapping[str, str] = {
    "none": "No correction",
    "bonferroni": "Bonferroni (family-wise error)",
    "holm": "Holm (family-wise error)",
    "fdr_bh": "Benjamini–Hochberg (false discovery rate)",
}

#: The level of every test here: what is below it, after correction, is called significant.
SIGNIFICANT = 0.05


def paired_t_p(differences: ArrayLike) -> np.ndarray:
    """Two-sided p-values () or (N,) of the paired t-test over sentences of signed differences (S,) or (S, N).

    Differences that are all zero give 1, all equal to another value give 0, and one sentence gives NaN, since there is
    no spread to judge by.

    Examples
    --------
    >>> paired_t_p([[0.0, 0.1], [0.0, 0.2], [0.0, 0.3]]).round(3)
    array([1.   , 0.074])
    """
    from scipy.stats import t

    count, mean, deviation = sentence_moments(differences)
    return 2 * t.sf(np.abs(t_statistic(mean, deviation, count)), np.maximum(count - 1, 1))


def adjust(p_values: ArrayLike, correction: str = "holm") -> np.ndarray:
    """P-values (N,) corrected for the number of names tested; NaN entries stay NaN and do not count.

    `correction` is ``none``, ``bonferroni``, ``holm`` or ``fdr_bh``; another one is an `OptionError`.

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
        # The step-down of statsmodels collects all the process's garbage each time: 0.1 s and more.
        given = adjusted[tested]
        order = np.argsort(given)
        ascending = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
        given[order] = np.minimum(ascending, 1.0)
        adjusted[tested] = given
    elif correction != "none" and tested.any():
        from statsmodels.stats.multitest import multipletests

        adjusted[tested] = multipletests(adjusted[tested], method=correction)[1]
    return adjusted


def standardised_effect(differences: ArrayLike) -> np.ndarray:
    """Cohen's d_z of differences (S,) or (S, N): their mean over their standard deviation across sentences.

    Signed, without unit; about 0.2 is called small, 0.8 large. 0 where no sentence differs; NaN where it is not defined
    (one sentence, or the same difference other than zero in all).

    Examples
    --------
    >>> standardised_effect([0.1, 0.2, 0.3]).round(2)
    np.float64(2.0)
    """
    _, mean, deviation = sentence_moments(differences)
    undefined = np.where((deviation == 0) & (mean == 0), 0.0, np.nan)
    return np.divide(mean, deviation, out=undefined, where=deviation > 0)


def t_statistic(mean: np.ndarray, deviation: np.ndarray, count: int) -> np.ndarray:
    """``mean / (deviation / √count)``; with zero spread ±infinity, or 0 for a mean of 0; NaN for one sentence."""
    without_spread = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    without_spread = np.where(np.isnan(deviation), np.nan, without_spread)
    with np.errstate(over="ignore"):  # a mean far from 0 in deviations is infinitely far
        return np.divide(mean, deviation / np.sqrt(count), out=without_spread, where=deviation > 0)
