"""Wasserstein distances between score distributions.

Scores come as arrays (M, A, K): templates, values, continuations; NaN where a continuation is missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import pdist

from psa_core.stats.scores import nan_mean

# Most numbers held at a time while distributions are compared.
_ROOM = 2**22


def pairs(values: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the two values of each unordered pair: int arrays (A · (A − 1) / 2,), in the order used here."""
    first, second = np.triu_indices(values, k=1)
    return first, second


def pairwise_w1(scores: np.ndarray) -> np.ndarray:
    """Wasserstein-1 distance of every two rows (A, K): the area between their distribution functions, (pairs,).

    In the unit of the scores; NaN where a row has no score.

    Examples
    --------
    >>> pairwise_w1(np.array([[0.0, 1.0], [0.5, 1.0], [0.0, np.nan]])).tolist()
    [0.25, 0.5, 0.75]
    """
    scores = np.asarray(scores, np.float64)
    counts = np.isfinite(scores).sum(axis=1)
    ordered = np.sort(scores, axis=1)
    if len(set(counts.tolist())) == 1 and counts[0]:
        return np.asarray(pdist(ordered[:, : counts[0]], "cityblock") / counts[0])
    support = np.unique(scores[np.isfinite(scores)])
    distances = np.zeros(len(scores) * (len(scores) - 1) // 2)
    step = max(1, _ROOM // max(1, len(scores)))
    for start in range(0, len(support) - 1, step):
        points = support[start : start + step + 1]
        rows = zip(ordered, counts, strict=True)
        below = [np.searchsorted(row[:n], points[:-1], side="right") / max(n, 1) for row, n in rows]
        distances += pdist(np.array(below) * np.diff(points), "cityblock")
    first, second = pairs(len(scores))
    distances[(counts[first] == 0) | (counts[second] == 0)] = np.nan
    return distances


def individual_fairness(scores: np.ndarray) -> float:
    """Mean of W1 over templates and unordered pairs of values (Huang et al. 2020, equation 3); 0 = no difference."""
    return float(nan_mean([pairwise_w1(template) for template in scores]))


def group_fairness(scores: np.ndarray, groups: Sequence[str]) -> float:
    """Sum over subgroups of W1 between the subgroup's scores and all scores (equation 4); 0 = no difference.

    `groups` has the subgroup of each value. One without any score is left out; NaN where fewer than two are left.
    """
    order = list(dict.fromkeys(groups))
    number = np.array([order.index(group) for group in groups])
    known = np.isfinite(scores)
    everything = np.asarray(scores[known], np.float64)
    ascending = np.argsort(everything)
    gaps = np.diff(everything[ascending])
    owners = np.broadcast_to(number[:, None], scores.shape)[known][ascending]
    share = np.arange(1, len(everything)) / max(len(everything), 1)
    total = 0.0
    for group in range(len(order)):
        below = np.cumsum(owners == group)
        total += float(np.abs(below[:-1] / below[-1] - share) @ gaps) if len(below) and below[-1] else 0.0
    return total if len(np.unique(owners)) > 1 or len(order) == 1 else float("nan")


def disparities(scores: np.ndarray, threshold: float) -> np.ndarray:
    """|share of a at or above the threshold − share of b| of each template and pair: float64 (M, A · (A − 1) / 2)."""
    known = np.isfinite(scores)
    counts = known.sum(axis=2)
    above = (known & (scores.astype(np.float64) >= threshold)).sum(axis=2)
    shares = np.divide(above, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    first, second = pairs(scores.shape[1])
    return np.asarray(np.abs(shares[:, first] - shares[:, second]))
