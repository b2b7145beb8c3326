"""Compare how far names move a score with how far neutral edits do: the brittleness floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.families import Families
from psa_core.stats.intervals import CONFIDENCE

#: Fewer families, names or edits than that say too little about how a spread varies.
MIN_UNITS = 5


class Floor(NamedTuple):
    """The spread of scores over names beside that over neutral edits.

    Attributes
    ----------
    names, edits : float
        Standard deviation (ddof 1) of a sentence's scores over names, and over edits: root mean square over sentences.
    ratio, low, high : float
        Names' over edits' spread with its 95 % interval, over other sentences, other names and other edits; infinite
        where no edit changes a score, NaN where it cannot be estimated.
    p : float
        Of the ratio being 1, two-sided.
    """

    names: float
    edits: float
    ratio: float
    low: float
    high: float
    p: float


def brittleness_floor(perturbed: ArrayLike, controls: ArrayLike, *, families: Families | None = None) -> Floor:
    """Whether names move the scores (S, N) more than neutral edits do: `controls` (S, C), others in each sentence.

    The logarithm of the ratio of mean variances, with the jackknife's variances over families of sentences and over
    names added up, against Student's t with the lesser degrees of freedom; and signed ranks of the families'
    differences, which have to agree. In simulations in which names are as strong as edits, names were called the
    stronger ones in at most 5 % (docs/statistics.md). Raises `CubeError` when shapes disagree, or there is one name or
    one edit.

    Examples
    --------
    >>> floor = brittleness_floor([[0.0, 0.1, 0.2, 0.3, 0.4]] * 6, [[0.0, 0.0]] * 6)
    >>> round(floor.names, 3), floor.edits, floor.ratio
    (0.158, 0.0, inf)
    """
    from scipy.stats import t

    scores, edits = (np.asarray(given, np.float64) for given in (perturbed, controls))
    if scores.ndim != 2 or edits.ndim != 2 or len(scores) != len(edits) or min(scores.shape[1], edits.shape[1]) < 2:
        got = f"arrays of shape {scores.shape} and {edits.shape}"
        raise CubeError("controls", got=got, expected="(S, N) and (S, C), with two names and two edits or more")
    grouped = families or Families.none(len(scores))
    of_names, of_edits = scores.var(axis=1, ddof=1), edits.var(axis=1, ddof=1)
    names, floor = of_names.mean(), of_edits.mean()
    spreads = float(np.sqrt(names)), float(np.sqrt(floor))
    unknown = Floor(*spreads, float("nan"), float("nan"), float("nan"), float("nan"))
    count, width = grouped.count, scores.shape[1]
    if min(count, width) < MIN_UNITS or not names:
        return unknown
    if not floor:
        return Floor(*spreads, float("inf"), float("inf"), float("inf"), 0.0)
    # Without one family: sums over the sentences that are left.
    sums = [np.bincount(grouped.labels, values, minlength=count) for values in (of_names, of_edits)]
    left = [values.sum() - part for values, part in zip((of_names, of_edits), sums, strict=True)]
    if min(*left[0], *left[1]) <= 0:  # one family has all of the spread
        return unknown
    by_family = np.log(left[0]) - np.log(left[1])
    # Without one name: its square is taken out of each sentence's sum of squares.
    centred = scores - scores.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1, keepdims=True) - centred**2 * width / (width - 1)
    by_name = np.log(np.maximum(squares.mean(axis=0) / (width - 2), 1e-300))
    variance = sum((len(one) - 1) / len(one) * float(((one - one.mean()) ** 2).sum()) for one in (by_family, by_name))
    if not variance:
        return unknown
    error, middle = np.sqrt(variance), float(np.log(names) - np.log(floor))
    freedom = min(count, width) - 1
    margin = float(t.ppf((1 + CONFIDENCE) / 2, freedom) * error)
    ratio, low, high = (float(np.exp(value / 2)) for value in (middle, middle - margin, middle + margin))
    p = max(float(2 * t.sf(abs(middle) / error, freedom)), _paired_p(scores, edits, grouped))
    return Floor(*spreads, ratio, low, high, p)


def _paired_p(scores: np.ndarray, edits: np.ndarray, families: Families) -> float:
    """The same without a distribution: signed ranks of the families' differences, over as many names as edits.

    A few sentences with a very large spread decide means of variances; if names are as strong as edits, the difference
    of two spreads of equally many scores is as often above as below zero, however scores are distributed.
    """
    from scipy.stats import wilcoxon

    width = min(scores.shape[1], edits.shape[1])
    draw = np.random.default_rng(0)
    some = draw.permuted(scores, axis=1)[:, :width].std(axis=1), draw.permuted(edits, axis=1)[:, :width].std(axis=1)
    differences = families.means(some[0] - some[1])
    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0
