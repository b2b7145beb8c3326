"""Permutation null of the distances: scores dealt to the values at random.

A deal exchanges the values' scores inside each template and continuation number, so that what continuation k has in
common for all values, its random numbers, stays together. What is missing stays missing where it was: every value keeps
as many scores as it has, and with them its noise. Scores that no other value has beside them change places with each
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from psa_core.stats.wasserstein import nan_mean, pairs

N_PERMUTATIONS = 999
MIN_PERMUTATIONS = 250
# Points at which distribution functions are compared in deals; all scores where there are fewer.
POINTS = 256
MAX_PAIRS = 512
PERMUTATIONS = 4096
# Scores that all deals of an audit may come to before templates are dealt fewer than 999 times each.
_BUDGET = 60_000_000
_CHUNK = 2_000_000


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """Distances under chance, and as they are, on the same grid of points.

    Attributes
    ----------
    individual : float64 array (D,)
        I.F. of each dealt audit.
    group : float64 array (D,)
        G.F. of each.
    disparity : float64 array (D,)
        Mean demographic disparity of each.
    template_pairs : float32 array (M, R, Q)
        W1 of some pairs of each dealt template, as if they had as many scores as its pairs have on average; NaN where a
        value has none.
    pair_means : float32 array (D, Q)
        The same, mean over templates, of each dealt audit.
    observed : tuple of float
        I.F., G.F. and disparity of the scores as they are.
    spread : float64 array (M,)
        ∫√(F(1 − F)) of each template, all values together.
    pair_spread : float64 array (M, P)
        The same for each two values.
    """

    individual: np.ndarray
    group: np.ndarray
    disparity: np.ndarray
    template_pairs: np.ndarray
    pair_means: np.ndarray
    observed: tuple[float, float, float]
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
    """Deal scores to values at random, again and again.

    Parameters
    ----------
    scores : float array (M, A, K)
        NaN where there is none.
    groups : sequence of str, length A
    threshold : float
    deals : int
        Dealt audits. A large audit deals each template 250 times and puts these together at random.
    seed : int

    Returns
    -------
    Deals
    """
    m, a, k = scores.shape
    each = int(np.clip(_BUDGET // max(1, m * a * k), min(n_permutations, MIN_PERMUTATIONS), n_permutations))
    random = np.random.default_rng([seed, 1])
    chosen, subset = _some_pairs(a, random)
    scarce = scarcity(np.isfinite(scores).sum(axis=2))[:, chosen].astype(np.float32)
    ruler = _Bins.of(scores, groups, threshold)
    measures = _Measures.empty(m, each, ruler)
    of_pairs = np.empty((m, each, len(chosen)), np.float32)
    observed, spread, pair_spread = _Measures.empty(m, 1, ruler), np.empty(m), np.empty((m, a * (a - 1) // 2))
    for t in range(m):
        bins = _bins(scores[t], ruler.grid)
        start = 0
        for counts in _permuted(bins, len(ruler.gaps), each, random):
            part = slice(start, start + len(counts))
            below = measures.record(t, part, counts, ruler)
            of_pairs[t, part] = _of_pairs(below, ruler.gaps, subset) / scarce[t]
            start += len(counts)
        counts = _counts(bins[None], len(ruler.gaps))
        observed.record(t, slice(1), counts, ruler)
        spread[t], pair_spread[t] = _spreads(counts[0], ruler.gaps)
    choice = (
        random.integers(0, each, (n_permutations, m))
        if each < n_permutations
        else np.tile(np.arange(n_permutations)[:, None], m)
    )
    individual, group, disparity = measures.of_audits(choice, ruler)
    if_now, gf_now, disparity_now = (float(found[0]) for found in observed.of_audits(np.zeros((1, m), np.int64), ruler))
    means = np.array([nan_mean(of_pairs[np.arange(m), row], axis=0) for row in choice])
    now = (if_now, gf_now, disparity_now)
    return NullDistribution(individual, group, disparity, of_pairs, means, now, spread, pair_spread)


@dataclass(frozen=True, eq=False)
class _Bins:
    """What scores are measured with: points, the gaps between them, the gap that ends at the threshold, the groups."""

    grid: np.ndarray
    gaps: np.ndarray
    at: int
    membership: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, groups: Sequence[str], threshold: float) -> _Bins:
        grid = _grid(scores, threshold)
        return cls(grid, np.diff(grid), int(np.searchsorted(grid, threshold)) - 1, _membership(groups))


@dataclass(frozen=True, eq=False)
class _Measures:
    """Of each template and deal: I.F. and disparity (M, R), and the counts of its groups (M, R, gaps, groups).

    `pairs` (M,) counts the pairs of values that both have scores in a template.
    """

    individual: np.ndarray
    disparity: np.ndarray
    tables: np.ndarray
    pairs: np.ndarray

    @classmethod
    def empty(cls, templates: int, n_permutations: int, ruler: _Bins) -> _Measures:
        size = (templates, n_permutations)
        tables = np.empty((*size, len(ruler.gaps), ruler.membership.shape[1]), np.float32)
        return cls(np.zeros(size), np.zeros(size), tables, np.zeros(templates))

    def record(self, t: int, part: slice, counts: np.ndarray, ruler: _Bins) -> np.ndarray:
        """Measure some deals of a template; returns their distribution functions."""
        below = _below(counts)
        known = below[:, :, counts[0].any(axis=0)]  # a deal leaves every value as many scores as it has
        n = known.shape[2]
        self.pairs[t] = n * (n - 1) / 2
        if n > 1:
            self.individual[t, part] = _mean_over_pairs(known, ruler.gaps)
            self.disparity[t, part] = _mean_over_pairs(known[:, ruler.at : ruler.at + 1], np.ones(1))
        self.tables[t, part] = counts @ ruler.membership
        return below

    def of_audits(self, choice: np.ndarray, ruler: _Bins) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """I.F., G.F. and disparity of audits put together from one deal of each template: `choice` is (D, M)."""
        every = np.arange(choice.shape[1])
        group = [_group_distance(self.tables[every, row].sum(axis=0), ruler.gaps) for row in choice]
        weights = self.pairs / self.pairs.sum() if self.pairs.any() else np.full(len(every), np.nan)
        return self.individual[every, choice] @ weights, np.array(group), self.disparity[every, choice] @ weights


def _grid(scores: np.ndarray, threshold: float) -> np.ndarray:
    """Ascending points, float64 (G + 1,): all distinct scores, or as many quantiles; the ends and the threshold too."""
    support = np.unique(scores[np.isfinite(scores)].astype(np.float64))
    if len(support) > POINTS:
        support = np.unique(np.quantile(scores[np.isfinite(scores)], np.linspace(0, 1, POINTS)))
    low, high = (support[0], support[-1]) if len(support) else (0.0, 1.0)
    points = np.unique(np.concatenate([support, [threshold, min(low, threshold) - 1e-9, max(high, threshold) + 1e-9]]))
    return np.asarray(points)


def _bins(scores: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The gap that each score (A, K) lies in, int64 (K, A); the number of gaps where there is no score."""
    found = np.searchsorted(grid, scores.T.astype(np.float64), side="right") - 1
    return np.where(np.isfinite(scores.T), found, len(grid) - 1)


def _permuted(bins: np.ndarray, gaps: int, n_permutations: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Counts of dealt templates, some at a time: float32 (r, gaps, A)."""
    k, a = bins.shape
    orders = np.argsort(random.random((PERMUTATIONS, a)), axis=1)
    step = max(1, _CHUNK // max(1, bins.size, gaps * a))
    for start in range(0, n_permutations, step):
        chosen = orders[random.integers(0, PERMUTATIONS, (min(step, n_permutations - start), k))]
        measures = np.take_along_axis(bins[None], chosen, axis=2)
        yield _counts(_with_gaps_in_place(measures, bins, gaps, random), gaps)


def _with_gaps_in_place(measures: np.ndarray, bins: np.ndarray, gaps: int, random: np.random.Generator) -> np.ndarray:
    """Deals (r, K, A) in which exactly the scores are missing that were missing before (K, A)."""
    there = bins < gaps
    rows = np.flatnonzero(there.any(axis=1) & ~there.all(axis=1))
    if not len(rows):
        return measures
    there, moved = there[rows], measures[:, rows]
    found, known = moved < gaps, there.sum(axis=1)
    slots = np.argsort(~there, axis=1, kind="stable")
    rank = np.where(found, found.cumsum(axis=2), (~found).cumsum(axis=2) + known[:, None]) - 1
    np.put_along_axis(moved, np.take_along_axis(slots[None], rank, axis=2), moved.copy(), axis=2)
    alone = np.flatnonzero(known == 1)
    owner = slots[alone, 0]
    moved[:, alone, owner] = random.permuted(moved[:, alone, owner], axis=1)
    measures[:, rows] = moved
    return measures


def _counts(bins: np.ndarray, gaps: int) -> np.ndarray:
    """How many scores of each value lie in each gap, from bins (r, K, A): float32 (r, gaps, A)."""
    r, _, a = bins.shape
    cell = (np.arange(r)[:, None, None] * (gaps + 1) + bins) * a + np.arange(a)
    found = np.bincount(cell.ravel(), minlength=r * (gaps + 1) * a).reshape(r, gaps + 1, a)
    return found[:, :gaps].astype(np.float32)


def _below(counts: np.ndarray) -> np.ndarray:
    """Distribution functions at the end of each gap: float32 (r, gaps, A)."""
    running = counts.cumsum(axis=1)
    return np.asarray(running / np.maximum(running[:, -1:], 1))


def _mean_over_pairs(below: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Mean of ∫|F_a − F_b| over pairs: float64 (r,). Sorted, each value is counted against all others at once."""
    a = below.shape[2]
    weights = (2 * np.arange(a) - a + 1) / (a * (a - 1) / 2)
    return np.asarray((np.sort(below, axis=2) @ weights) @ gaps)


def _of_pairs(below: np.ndarray, gaps: np.ndarray, subset: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    first, second = subset
    columns = np.ascontiguousarray(below.transpose(0, 2, 1))
    return np.asarray(np.stack([np.abs(row[first] - row[second]) @ gaps.astype(np.float32) for row in columns]))


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


def _group_distance(table: np.ndarray, gaps: np.ndarray) -> float:
    """Sum over groups that have scores of ∫|F_g − F| from counts (gaps, groups)."""
    running = table.astype(np.float64).cumsum(axis=0)
    shares = running / np.maximum(running[-1], 1)
    everything = running.sum(axis=1) / max(running[-1].sum(), 1)
    return float((gaps @ np.abs(shares - everything[:, None])) @ (running[-1] > 0))


def _membership(groups: Sequence[str]) -> np.ndarray:
    """Which value belongs to which group: float32 (A, groups)."""
    order = {group: g for g, group in enumerate(dict.fromkeys(groups))}
    table = np.zeros((len(groups), len(order)), np.float32)
    table[np.arange(len(groups)), [order[group] for group in groups]] = 1
    return table


def _some_pairs(values: int, random: np.random.Generator) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Positions of some pairs among all, and of the two values of each."""
    first, second = pairs(values)
    kept = np.arange(len(first))
    if len(first) > MAX_PAIRS:
        kept = random.choice(len(first), MAX_PAIRS, replace=False)
    return kept, (first[kept], second[kept])


def scarcity(counts: np.ndarray) -> np.ndarray:
    """How much noisier a pair's distance is than a template's pairs are on average, for the number of its scores alone.

    Parameters
    ----------
    counts : int array (M, A)

    Returns
    -------
    float64 array (M, A · (A − 1) / 2)
        √(1/n + 1/m), with mean 1 in each template; NaN where a value has no score.

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
