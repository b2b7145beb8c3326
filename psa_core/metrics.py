"""The paper's metrics as plain functions on arrays.

All take ``original`` (S,) and ``perturbed`` (S, N) scores of one target, accumulate in float64, and raise `CubeError`
when these are no numbers, shapes disagree, a score is infinite, or there is no sentence or no name: none answers 0
for "could not". A missing score (NaN: the model gave no valid answer) is left out, with what it would be compared with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.methods.score_dev import ScoreDev
from psa_core.methods.score_range import ScoreRange
from psa_core.methods.score_sens import ScoreSens
from psa_core.stats import (
    Correlation,
    checked_thresholds,
    nan_mean,
    paired_scores,
    sensitivities,
    sentence_correlation,
    threshold_grid,
)


def score_sens(original: ArrayLike, perturbed: ArrayLike) -> np.ndarray:
    """Mean over sentences of ``f(x_n) - f(x)``: float64 (N,), signed, positive where the name raises the score.

    Prabhakaran et al. 2019, section 2.

    Examples
    --------
    >>> score_sens([0.5, 0.25], [[0.75, 0.5], [0.25, 0.0]])
    array([ 0.125, -0.125])
    """
    return ScoreSens()(*paired_scores(original, perturbed))


def score_dev(original: ArrayLike, perturbed: ArrayLike, ddof: int = 0) -> float:
    """Mean over sentences of the standard deviation over names of ``f(x_n)``; at least 0, larger = more sensitive.

    Prabhakaran et al. 2019, section 2. `ddof` 0 is the population deviation (the paper gives none), 1 the sample's.

    `OptionError` when there are not more names than `ddof`.

    Examples
    --------
    >>> score_dev([0.5], [[0.25, 0.75]])
    0.25
    """
    return float(nan_mean(ScoreDev(ddof=ddof)(*paired_scores(original, perturbed))))


def score_range(original: ArrayLike, perturbed: ArrayLike) -> float:
    """Mean over sentences of the largest minus the smallest ``f(x_n)``; at least 0, larger = more sensitive.

    Prabhakaran et al. 2019, section 2.

    Examples
    --------
    >>> score_range([0.5], [[0.25, 0.5, 0.75]])
    0.5
    """
    return float(nan_mean(ScoreRange()(*paired_scores(original, perturbed))))


def label_dist(original: ArrayLike, perturbed: ArrayLike, thresholds: ArrayLike) -> float | np.ndarray:
    """Mean over names of ``1 - |A∩B_n| / |A∪B_n|``, in [0, 1]; larger = more labels change.

    Prabhakaran et al. 2019, section 2. A score at or above the threshold has the label, compared in float64; where no
    sentence has the label either way, the distance is 0.

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)
    thresholds : float or array (K,)
        On the scale of the target: a number for a number, float64 (K,) for an array. `OptionError` when one is not a
        finite number.

    Examples
    --------
    >>> label_dist([0.2, 0.8], [[0.6], [0.8]], 0.5)
    0.5
    >>> label_dist([0.2, 0.8], [[0.6], [0.8]], [0.1, 0.5])
    array([0. , 0.5])
    """
    checked = checked_thresholds(thresholds)
    if not checked.size:
        return np.empty(checked.shape)
    distances = threshold_grid(original, perturbed, checked.ravel()).label_dist.mean(axis=0).reshape(checked.shape)
    return distances if checked.ndim else float(distances)


def sensitivity_correlation(original: ArrayLike, perturbed: ArrayLike) -> Correlation:
    """Pearson correlation over sentences of ``mean_n |f(x_n) - f(x)|`` with ``f(x)``.

    Prabhakaran et al. 2019, section 3.2, find -0.48: sentences with a high score move less.

    ``(r, p, low, high)`` with the 95 % bootstrap interval over sentences. Where a correlation is not defined (all
    sentences have one score or one sensitivity, or there are fewer than 3) all four are NaN and ``.reason`` says why.

    Examples
    --------
    >>> round(sensitivity_correlation([0.1, 0.2, 0.3, 0.4], [[0.5], [0.5], [0.5], [0.5]]).r, 6)
    -1.0
    """
    base, perturbed = paired_scores(original, perturbed)
    return sentence_correlation(sensitivities(base, perturbed), base)
