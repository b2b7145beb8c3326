"""Means over sentences: intervals, paired tests, corrections for many tests, effect sizes, the sentences needed."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.plurals import counted
from psa_core.stats.families import Families
from psa_core.stats.scores import sentence_moments

CONFIDENCE = 0.95
#: The level of every test here: what is below it, after correction, is called significant.
SIGNIFICANT = 0.05
SMALL_SAMPLE = 30
CORRECTIONS: Mapping[str, str] = {
    "none": "No correction",
    "bonferroni": "Bonferroni (family-wise error)",
    "holm": "Holm (family-wise error)",
    "fdr_bh": "Benjamini–Hochberg (false discovery rate)",
}


class Interval(NamedTuple):
    """A value with the bounds of its confidence interval; NaN where one sentence tells nothing of the spread."""

    value: float
    low: float
    high: float


class Intervals(NamedTuple):
    """The same for many values at once: float64 arrays of one shape."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def mean_interval(
    differences: ArrayLike, *, confidence: float = CONFIDENCE, families: Families | None = None
) -> Intervals:
    """Mean over sentences with its t interval, for all names at once.

    Where sentences come in families, the interval holds the means that a t-test over these (`Families.rows`) does not
    rule out (Fieller 1954).

    Of signed values (S,) or (S, N): arrays () or (N,). Values that are all equal have the interval [mean, mean]; one
    sentence and too few families have NaN bounds.

    Examples
    --------
    >>> [round(float(bound), 3) for bound in mean_interval([0.0, 0.1, 0.2])]
    [0.1, -0.148, 0.348]
    """
    from scipy.stats import t

    if not 0 < confidence < 1:
        raise OptionError("confidence", got=f"{confidence}", expected="a number between 0 and 1", fix="Try 0.95.")
    values = np.asarray(differences, dtype=np.float64)
    families = families or Families.none(len(values))
    sums = families.rows(values)
    count, mean, deviation = sentence_moments(sums)
    if np.max(count) == 1:
        return Intervals(mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan))
    edge = t.ppf((1 + confidence) / 2, count - 1)
    if not families.any or np.ndim(count) or np.isnan(sums).any():
        half_width = edge * deviation / np.sqrt(count)
        return Intervals(mean, mean - half_width, mean + half_width)
    # Fieller's interval of a ratio of means: of the families' sums and of their sizes.
    sizes = families.rows(np.ones(len(families.labels)))
    reach = edge**2 / count
    together = (sizes - 1) @ (sums - mean) / (count - 1)
    scale = 1 - reach * sizes.var(ddof=1)
    middle = (mean - reach * together) / scale if scale > 0 else np.full_like(mean, np.nan)
    half = np.sqrt(np.maximum(middle**2 - (mean**2 - reach * deviation**2) / scale, 0))
    return Intervals(mean, middle - half, middle + half)


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
    return 2 * t.sf(np.abs(t_statistic(mean, deviation, count)), count - 1)


def t_statistic(mean: np.ndarray, deviation: np.ndarray, count: int | np.ndarray = 1) -> np.ndarray:
    """``mean / (deviation / √count)``; with zero spread ±infinity, or 0 for a mean of 0; NaN for one sentence."""
    without_spread = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    without_spread = np.where(np.isnan(deviation), np.nan, without_spread)
    with np.errstate(over="ignore"):  # a mean far from 0 in deviations is infinitely far
        return np.divide(mean, deviation / np.sqrt(count), out=without_spread, where=deviation > 0)


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


def needed_sentences(deviation: float, half_width: float) -> int:
    """Sentences (at least 2) needed for a 95 % t interval of at most ``mean ± half_width``, at the spread seen so far.

    `deviation` is the standard deviation over sentences of the quantity whose mean is wanted, on the same scale. Raises
    `OptionError` when `half_width` is not positive or `deviation` is negative or missing.

    Examples
    --------
    >>> needed_sentences(0.1, 0.02)
    99
    """
    from scipy.stats import norm, t

    level = (1 + CONFIDENCE) / 2
    if not half_width > 0:
        raise OptionError("half-width", got=f"{half_width}", expected="a number greater than 0")
    if not deviation >= 0:
        raise OptionError("standard deviation", got=f"{deviation}", expected="a number of at least 0")
    needed = max(2, ceil((norm.ppf(level) * deviation / half_width) ** 2))
    while t.ppf(level, needed - 1) * deviation / needed**0.5 > half_width:
        needed += 1
    return needed


def small_sample_warning(sentences: int, deviation: float, *, half_width: float, shown: str = "") -> str:
    """A warning if there are too few sentences for reliable statements, with the number needed; else empty.

    `deviation` is that of the difference in question over sentences, NaN where it is not known (one sentence),
    `half_width` the precision to aim at, for example a hundredth of the target's range, `shown` how it is written.

    Examples
    --------
    >>> small_sample_warning(8, 0.1, half_width=0.02)
    'Only 8 sentences: for an interval of ±0.02 about 99 would be needed.'
    """
    if sentences >= SMALL_SAMPLE:
        return ""
    few = f"Only {counted(sentences, 'sentence')}"
    if not np.isfinite(deviation):
        return f"{few}: an interval needs at least 2, and {SMALL_SAMPLE} or more to be trusted."
    needed = max(SMALL_SAMPLE, needed_sentences(deviation, half_width))
    return f"{few}: for an interval of ±{shown or format(half_width, 'g')} about {needed:,} would be needed."
