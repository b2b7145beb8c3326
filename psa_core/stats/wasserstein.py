"""Wasserstein distances between score distributions, and what they are when scores are permuted among the values.

Scores come as arrays (M, A, K): templates, values, continuations; NaN where a continuation is missing.

A permutation exchanges the values' scores inside each template and continuation number, so that what continuation k has
in common for all values, its random numbers, stays together. What is missing stays missing where it was: every value
keeps as many scores as it has, and with them its noise. Scores that no other value has beside them change places with
each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import pdist

from psa_core.stats.scores import nan_mean

N_PERMUTATIONS = 999
MIN_PERMUTATIONS = 250
# Points at which distribution functions are compared in permutations; all scores where there are fewer.
POINTS = 256
MAX_PAIRS, ORDERS = 512, 4096
# Scores that all permutations of an audit may come to before templates are permuted fewer than 999 times each.
_BUDGET = 60_000_000
# Most numbers held at a time while distributions are compared, and while scores are permuted.
_ROOM, _CHUNK = 2**22, 2_000_000


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


class NullDistribution(NamedTuple):
    """Permuted and observed distances, on the same grid of points: of D audits, M templates with R permutations each.

    ``individual``, ``group`` and ``disparity`` (I.F., G.F. and the mean demographic disparity) are float64 (D,), and
    ``observed`` has those of the scores as they are. ``template_pairs`` is the W1 of some pairs of each permuted
    template, float32 (M, R, Q), as if they had as many scores as its pairs have on average, NaN where a value has none;
    ``pair_means`` (D, Q) their means over templates. ``spread`` (M,) is ∫√(F(1 − F)) of each template, all values
    together; ``pair_spread`` (M, P) that of each two.
    """

    individual: np.ndarray
    group: np.ndarray
    disparity: np.ndarray
    template_pairs: np.ndarray
    pair_means: np.ndarray
    observed: tuple[float, ...]
    spread: np.ndarray
    pair_spread: np.ndarray


def permute(
    scores: np.ndarray,
    groups: Sequence[str],
    *,
    threshold: float = 0.5,
    n_permutations: int = N_PERMUTATIONS,
    seed: int = 0,
) -> NullDistribution:
    """Permute scores (M, A, K), NaN where there is none, among values, many times; `groups` are those of the A values.

    A large audit permutes each template 250 times and puts these together at random.
    """
    m, a, k = scores.shape
    each = int(np.clip(_BUDGET // max(1, m * a * k), min(n_permutations, MIN_PERMUTATIONS), n_permutations))
    random = np.random.default_rng([seed, 1])
    first, second = pairs(a)
    chosen = np.arange(len(first))  # the pairs that are kept for `template_pairs`
    if len(first) > MAX_PAIRS:
        chosen = random.choice(len(first), MAX_PAIRS, replace=False)
    first, second = first[chosen], second[chosen]
    scarce = scarcity(np.isfinite(scores).sum(axis=2))[:, chosen].astype(np.float32)
    grid = _Grid.of(scores, groups, threshold)
    gaps, membership, at_threshold = grid.gaps, grid.membership, slice(grid.threshold_gap, grid.threshold_gap + 1)
    # Of each template as it is, in the first place, and of its permutations.
    individual, disparity = np.zeros((m, 1 + each)), np.zeros((m, 1 + each))
    of_groups = np.empty((m, 1 + each, len(gaps), membership.shape[1]), np.float32)
    of_pairs = np.empty((m, each, len(chosen)), np.float32)
    n_pairs, spread, pair_spread = np.zeros(m), np.empty(m), np.empty((m, a * (a - 1) // 2))
    of_values = np.zeros((len(gaps), a))
    for t in range(m):
        bins = grid.bins(scores[t].T)
        as_is = _counts(bins[None], len(gaps))
        of_values += as_is[0]
        spread[t], pair_spread[t] = _spreads(as_is[0], gaps)
        known = as_is[0].any(axis=0)  # a permutation leaves every value as many scores as it has
        n_pairs[t] = known.sum() * (known.sum() - 1) / 2
        start = 0
        for counts in chain([as_is], _permuted(bins, len(gaps), each, random)):
            part = slice(start, start + len(counts))
            running = counts.cumsum(axis=1)
            below = np.asarray(running / np.maximum(running[:, -1:], 1))  # distribution functions at each gap's end
            if n_pairs[t]:
                individual[t, part] = _mean_over_pairs(below[:, :, known], gaps)
                disparity[t, part] = _mean_over_pairs(below[:, at_threshold][:, :, known], np.ones(1))
            of_groups[t, part] = counts @ membership
            if start:
                columns = np.ascontiguousarray(below.transpose(0, 2, 1))
                w1 = [np.abs(row[first] - row[second]) @ gaps.astype(np.float32) for row in columns]
                of_pairs[t, start - 1 : part.stop - 1] = np.stack(w1) / scarce[t]
            start = part.stop
    if each < n_permutations:
        choice = random.integers(0, each, (n_permutations, m))
    else:
        choice = np.tile(np.arange(n_permutations)[:, None], m)
    every = np.arange(m)
    pair_means = np.array([nan_mean(of_pairs[every, row], axis=0) for row in choice])
    weights = n_pairs / n_pairs.sum() if n_pairs.any() else np.full(m, np.nan)

    def of_audits(choice: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """I.F., G.F. and disparity of audits that are put together from one row of each template: `choice` (D, M)."""
        by_group = [_group_distance(of_groups[every, row].sum(axis=0), gaps) for row in choice]
        return individual[every, choice] @ weights, np.array(by_group), disparity[every, choice] @ weights

    as_they_are = tuple(float(numbers[0]) for numbers in of_audits(np.zeros((1, m), np.int64)))
    of_individuals, group, of_disparities = of_audits(1 + choice)
    if membership.shape[1] < a:
        group = _whole_values(of_values, grid, n_permutations, random)
    return NullDistribution(
        of_individuals, group, of_disparities, of_pairs, pair_means, as_they_are, spread, pair_spread
    )


def group_null(
    scores: np.ndarray, groups: Sequence[str], *, n_permutations: int = N_PERMUTATIONS, seed: int = 0
) -> tuple[float, np.ndarray]:
    """G.F. by one grouping of the values, and what it is when whole values are permuted: float and float64 (D,)."""
    grid = _Grid.of(scores, groups, 0.5)
    bins = grid.bins(scores).transpose(0, 2, 1).reshape(1, -1, scores.shape[1])
    of_values = _counts(bins, len(grid.gaps))[0].astype(np.float64)
    null = _whole_values(of_values, grid, n_permutations, np.random.default_rng([seed, 1]))
    return _group_distance(of_values @ grid.membership, grid.gaps), null


def _whole_values(of_values: np.ndarray, grid: _Grid, n_permutations: int, random: np.random.Generator) -> np.ndarray:
    """G.F. of each permuted audit. Values differ among themselves without any effect of their groups, so whole values
    change groups, with all their scores: counts (gaps, A)."""
    orders = random.permuted(np.tile(np.arange(of_values.shape[1]), (n_permutations, 1)), axis=1)
    return np.array([_group_distance(of_values @ grid.membership[order], grid.gaps) for order in orders])


@dataclass(frozen=True, eq=False)
class _Grid:
    """Ascending points (G + 1,) at which distributions are compared, the gaps between them, and who is in which group.

    The points are all distinct scores, or as many quantiles, with the ends and the threshold; `threshold_gap` ends at
    the threshold; `membership` is float32 (A, groups).
    """

    points: np.ndarray
    gaps: np.ndarray
    threshold_gap: int
    membership: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, groups: Sequence[str], threshold: float) -> _Grid:
        known = scores[np.isfinite(scores)]
        support = np.unique(known.astype(np.float64))
        if len(support) > POINTS:
            support = np.unique(np.quantile(known, np.linspace(0, 1, POINTS)))
        low, high = (support[0], support[-1]) if len(support) else (0.0, 1.0)
        ends = [threshold, min(low, threshold) - 1e-9, max(high, threshold) + 1e-9]
        points = np.unique(np.concatenate([support, ends]))
        order = list(dict.fromkeys(groups))
        membership = np.array([[group == one for one in order] for group in groups], np.float32)
        return cls(points, np.diff(points), int(np.searchsorted(points, threshold)) - 1, membership)

    def bins(self, scores: np.ndarray) -> np.ndarray:
        """The gap that each score lies in; the number of gaps where there is no score."""
        found = np.searchsorted(self.points, scores.astype(np.float64), side="right") - 1
        return np.where(np.isfinite(scores), found, len(self.gaps))


def _group_distance(counts: np.ndarray, gaps: np.ndarray) -> float:
    """Sum over groups that have scores of ∫|F_g − F|, from counts (gaps, groups)."""
    running = counts.astype(np.float64).cumsum(axis=0)
    shares = running / np.maximum(running[-1], 1)
    everything = running.sum(axis=1) / max(running[-1].sum(), 1)
    return float((gaps @ np.abs(shares - everything[:, None])) @ (running[-1] > 0))


def _permuted(bins: np.ndarray, gaps: int, n_permutations: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Counts of permuted templates, some at a time: float32 (r, gaps, A)."""
    k, a = bins.shape
    orders = np.argsort(random.random((ORDERS, a)), axis=1)
    step = max(1, _CHUNK // max(bins.size, gaps * a))
    for start in range(0, n_permutations, step):
        chosen = orders[random.integers(0, ORDERS, (min(step, n_permutations - start), k))]
        measures = np.take_along_axis(bins[None], chosen, axis=2)
        yield _counts(_with_gaps_in_place(measures, bins, gaps, random), gaps)


def _with_gaps_in_place(measures: np.ndarray, bins: np.ndarray, gaps: int, random: np.random.Generator) -> np.ndarray:
    """Permutations (r, K, A) in which exactly the scores are missing that were missing before (K, A)."""
    present = bins < gaps
    rows = np.flatnonzero(present.any(axis=1) & ~present.all(axis=1))
    if not len(rows):
        return measures
    present, moved = present[rows], measures[:, rows]
    found, known = moved < gaps, present.sum(axis=1)
    slots = np.argsort(~present, axis=1, kind="stable")
    rank = np.where(found, found.cumsum(axis=2), (~found).cumsum(axis=2) + known[:, None]) - 1
    np.put_along_axis(moved, np.take_along_axis(slots[None], rank, axis=2), moved.copy(), axis=2)
    alone = np.flatnonzero(known == 1)
    owner = slots[alone, 0]
    moved[:, alone, owner] = random.permuted(moved[:, alone, owner], axis=1)
    measures[:, rows] = moved
    return measures


def _counts(bins: np.ndarray, gaps: int) -> np.ndarray:
    """Number of scores of each value in each gap, from bins (r, K, A): float32 (r, gaps, A)."""
    r, _, a = bins.shape
    cell = (np.arange(r)[:, None, None] * (gaps + 1) + bins) * a + np.arange(a)
    found = np.bincount(cell.ravel(), minlength=r * (gaps + 1) * a).reshape(r, gaps + 1, a)
    return found[:, :gaps].astype(np.float32)


def _mean_over_pairs(below: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Mean of ∫|F_a − F_b| over pairs: float64 (r,). Sorted, each value is counted against all others at once."""
    a = below.shape[2]
    weights = (2 * np.arange(a) - a + 1) / (a * (a - 1) / 2)
    return np.asarray((np.sort(below, axis=2) @ weights) @ gaps)


def _spreads(counts: np.ndarray, gaps: np.ndarray) -> tuple[float, np.ndarray]:
    """∫√(F(1 − F)) of all values together, and of each two: float and float64 (P,)."""
    running = counts.astype(np.float64).cumsum(axis=0)
    total = running.sum(axis=1)
    share = total / max(total[-1], 1)
    first, second = pairs(counts.shape[1])
    own = np.empty(len(first))
    for start in range(0, len(first), 1024):
        part = slice(start, start + 1024)
        two = running[:, first[part]] + running[:, second[part]]
        two /= np.maximum(two[-1], 1)
        own[part] = gaps @ np.sqrt(two * (1 - two))
    return float(gaps @ np.sqrt(share * (1 - share))), own


def scarcity(counts: np.ndarray) -> np.ndarray:
    """How much noisier a pair's distance is than a template's pairs are on average, for the number of its scores alone.

    From these numbers (M, A): √(1/n + 1/m), with mean 1 in each template, (M, pairs); NaN where a value has no score.

    Examples
    --------
    >>> scarcity(np.array([[4, 4, 0]]))
    array([[ 1., nan, nan]])
    """
    first, second = pairs(counts.shape[1])
    with np.errstate(divide="ignore"):
        noise = np.sqrt(1 / counts[:, first] + 1 / counts[:, second])
    noise[~np.isfinite(noise)] = np.nan
    return np.asarray(noise / nan_mean(noise, axis=1)[:, None])
