"""Confidence intervals over sentences, and the sentences needed for a narrower one or a smaller effect."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.plurals import counted
from psa_core.stats.families import Families
from psa_core.stats.scores import sentence_moments

CONFIDENCE = 0.95
SMALL_SAMPLE = 30


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

    Of signed values (S,) or (S, N): Intervals of arrays () or (N,). Values that are all equal have the interval
    [mean, mean]; one sentence and too few families have NaN bounds.

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
    edge = t.ppf((1 + confidence) / 2, np.maximum(count - 1, 1))
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


def small_sample_warning(sentences: int, deviation: float, *, half_width: float) -> str:
    """A warning if there are too few sentences for reliable statements, with the number needed; else empty.

    `deviation` is that of the difference in question over sentences, NaN where it is not known (one sentence),
    `half_width` the precision to aim at, for example a hundredth of the target's range.

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
    return f"{few}: for an interval of ±{half_width:g} about {needed:,} would be needed."
