"""Differences between groups of names, with intervals and noise floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.intervals import CONFIDENCE
from psa_core.stats.permutation import two_sided_share

DRAWN_NAMES = 1_000_000
N_PERMUTATIONS = 4999
PERMUTATIONS_PER_GROUP = 100
ROUNDING = 1e-12


@dataclass(frozen=True)
class NoiseFloor:
    """How far groups of the same sizes differ when the names are dealt to them at random.

    Attributes
    ----------
    observed : float
        The statistic of the groups as they are: a signed difference of means, or the range over groups.
    low, high : float
        In 95 % of the draws *all* groups fall between their bounds; `low` is 0 for a range.
    p_value : float
        How often a group of this size is as extreme as `observed`, the observed grouping counted among the draws.
    p_adjusted : float
        How often any of the groups is as extreme for its size, by the names' means and by their ranks (the larger of
        both), so that one far name makes no group. NaN for a group of one name, which is no group, and is never above
        its floor: that reaches from the lowest to the highest name.
    """

    observed: float
    low: float
    high: float
    p_value: float
    p_adjusted: float

    @property
    def is_above(self) -> bool:
        """Whether the groups differ by more than arbitrary ones do, and not in rounding only."""
        return self.p_adjusted < 1 - CONFIDENCE and not self.low - ROUNDING <= self.observed <= self.high + ROUNDING


def group_difference(perturbed: ArrayLike, members: ArrayLike, others: ArrayLike | None = None) -> np.ndarray:
    """Difference of two groups' mean scores in each sentence.

    One value per sentence is what an interval over sentences must be made of: the scores of one sentence are
    correlated, so (sentence, name) cells are not independent observations.

    Parameters
    ----------
    perturbed : array (S, N)
    members, others : bool arrays (N,)
        The two groups; by default the others are all names that are no members.

    Returns
    -------
    float64 array (S,)
        Signed; positive where members score higher.

    Raises
    ------
    CubeError
        When a group is empty or both share a name.

    Examples
    --------
    >>> group_difference([[0.25, 0.5, 0.75]], [True, False, False])
    array([-0.375])
    """
    perturbed = np.asarray(perturbed, dtype=np.float64)
    inside = np.asarray(members, dtype=bool)
    outside = ~inside if others is None else np.asarray(others, dtype=bool)
    if not (inside.any() and outside.any()) or (inside & outside).any():
        raise CubeError(
            "groups of names", got="an empty group or a shared name", expected="two groups with a name each"
        )
    return perturbed[:, inside].mean(axis=1) - perturbed[:, outside].mean(axis=1)


def difference_without_furthest(name_means: ArrayLike, members: ArrayLike, others: ArrayLike) -> float:
    """What remains of a group's difference from other names without the one name that makes most of it.

    Parameters
    ----------
    name_means : array (N,)
        Mean score of each name.
    members, others : bool arrays (N,)

    Returns
    -------
    float
        Signed as the difference itself; the smallest that leaving out one name gives in that direction, also of the
        other sign. 0 where a side is one name: without it there is nothing to compare.

    Examples
    --------
    >>> means = np.array([0.0, 0.0, 0.0, 0.5, 0.0, 0.0])
    >>> difference_without_furthest(means, [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    0.0
    """
    means = np.asarray(name_means, dtype=np.float64)
    sides = [means[np.asarray(side, dtype=bool)] for side in (members, others)]
    if min(map(len, sides)) < 2:
        return 0.0
    inside, outside = ((side.sum() - side) / (len(side) - 1) for side in sides)  # the mean without each name
    difference = sides[0].mean() - sides[1].mean()
    left = np.concatenate([inside - sides[1].mean(), sides[0].mean() - outside])
    return float(left.min() if difference >= 0 else left.max())


def noise_floors(
    name_means: ArrayLike, groups: ArrayLike, *, n_permutations: int = N_PERMUTATIONS, seed: int = 0
) -> dict[str, NoiseFloor]:
    """For each group against the rest: the difference of means, and the band of arbitrary groups of the same sizes.

    A permutation test over names. Since all sentences wear all names, the difference of group means is a difference of
    means of the names' mean scores, so only those are needed. One set of random orders serves all groups, and says how
    far out the most extreme of them lies (the smallest p-value, Westfall and Young 1993), so that picking the largest
    of many groups is no finding by itself.

    Parameters
    ----------
    name_means : array (N,)
        Mean score (or mean difference) of each name over the sentences.
    groups : array (N,) of str
        Group of each name.
    resamples : int
        At least; more where there are very many groups.

    Returns
    -------
    dict
        Group, in order of appearance, to its noise floor; two-sided.

    Raises
    ------
    CubeError
        When there are fewer than two groups or lengths differ.

    Examples
    --------
    >>> floors = noise_floors([0.0, 0.0, 1.0, 1.0], ["a", "a", "b", "b"])
    >>> floors["b"].observed, floors["b"].is_above
    (1.0, False)
    """
    from scipy.stats import rankdata

    means, labels = _checked_groups(name_means, groups)
    # Means that are equal but for rounding are ties, not an order.
    ranks = rankdata(np.round(means / max(np.abs(means).max(), np.finfo(float).tiny), 12))
    by_rank = {name: floor.p_adjusted for name, floor in _floors(ranks, labels, {}, n_permutations, seed).items()}
    return _floors(means, labels, by_rank, n_permutations, seed)


def _floors(
    means: np.ndarray, labels: np.ndarray, by_rank: dict[str, float], n_permutations: int, seed: int
) -> dict[str, NoiseFloor]:
    """Floors by the values given; `by_rank` are adjusted p-values that the answers' may not fall below."""
    names = list(dict.fromkeys(labels.tolist()))
    drawn = _permuted_differences(means, labels, names, max(n_permutations, PERMUTATIONS_PER_GROUP * len(names)), seed)
    # A draw is already among the draws that it is compared with, the observed grouping is not.
    twice = 2 / (1 + len(drawn))
    shares = np.column_stack([two_sided_share(column, np.sort(column)) - twice for column in drawn.T])
    floors = {}
    tested = [index for index, name in enumerate(names) if (labels == name).sum() > 1]
    smallest = np.sort(shares[:, tested].min(axis=1)) if tested else np.empty(0)
    level = float(np.quantile(smallest, 1 - CONFIDENCE, method="inverted_cdf")) if tested else 1 - CONFIDENCE
    for index, name in enumerate(names):
        observed = float(means[labels == name].mean() - means[labels != name].mean())
        column = np.sort(drawn[:, index])
        p_value = float(two_sided_share(np.array([observed]), column)[0])
        if index not in tested:
            floors[name] = NoiseFloor(observed, float(column[0]), float(column[-1]), p_value, float("nan"))
            continue
        p_adjusted = max(_share_below(smallest, p_value), by_rank.get(name, 0.0))
        low, high = np.quantile(column, [level / 2, 1 - level / 2])
        floors[name] = NoiseFloor(observed, float(low), float(high), p_value, p_adjusted)
    return floors


def _share_below(smallest: np.ndarray, p_value: float) -> float:
    """How often the most extreme of all dealt groups is at least as extreme; `smallest` ascends."""
    return (1 + int(np.searchsorted(smallest, p_value + ROUNDING))) / (1 + len(smallest))


def _permuted_differences(
    means: np.ndarray, labels: np.ndarray, names: list[str], n_permutations: int, seed: int
) -> np.ndarray:
    """Each group's difference from the rest when names are dealt at random: float64 (draws, groups)."""
    sizes = np.array([(labels == name).sum() for name in names])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    total, rest = means.sum(), len(means) - sizes
    sums = np.concatenate([np.add.reduceat(block, starts, axis=1) for block in _shuffles(means, n_permutations, seed)])
    return sums / sizes - (total - sums) / rest


def range_noise_floor(
    name_means: ArrayLike, groups: ArrayLike, *, n_permutations: int = N_PERMUTATIONS, seed: int = 0
) -> NoiseFloor:
    """Range over all groups' means (largest - smallest), and the range that arbitrary groups of the same sizes show.

    Parameters
    ----------
    name_means, groups : arrays (N,)
        As for `noise_floors`.

    Returns
    -------
    NoiseFloor
        One-sided: `low` is 0, `high` the 95th percentile of arbitrary groups.

    Raises
    ------
    CubeError
        When there are fewer than two groups or lengths differ.

    Examples
    --------
    >>> range_noise_floor([0.0, 0.0, 0.5, 0.5], ["a", "a", "b", "b"]).observed
    0.5
    """
    means, labels = _checked_groups(name_means, groups)
    _, indices, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    grouped = means[np.argsort(indices, kind="stable")]
    observed = float(np.ptp(np.add.reduceat(grouped, starts) / sizes))
    blocks = _shuffles(means, n_permutations, seed)
    drawn = np.concatenate([np.ptp(np.add.reduceat(block, starts, axis=1) / sizes, axis=1) for block in blocks])
    high = float(np.quantile(drawn, CONFIDENCE))
    p_value = _share_as_extreme(drawn, observed)
    return NoiseFloor(observed, 0.0, high, p_value, p_value)


def _share_as_extreme(drawn: np.ndarray, observed: float) -> float:
    # The same sum in another order may differ in its last bits; such a draw is as extreme as the observed one.
    return float((1 + np.count_nonzero(drawn >= observed - ROUNDING)) / (1 + len(drawn)))


def _shuffles(values: np.ndarray, n_permutations: int, seed: int) -> Iterator[np.ndarray]:
    """Random orders of the values, in blocks of rows, so that memory stays bounded."""
    generator = np.random.default_rng(seed)
    rows = max(1, DRAWN_NAMES // len(values))
    for first in range(0, n_permutations, rows):
        block = np.broadcast_to(values, (min(rows, n_permutations - first), len(values)))
        yield generator.permuted(block, axis=1)


def _checked_groups(name_means: ArrayLike, groups: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    means, labels = np.asarray(name_means, dtype=np.float64), np.array(groups, dtype=object)
    if means.ndim != 1 or means.shape != labels.shape:
        raise CubeError(
            "groups of names", got=f"{labels.shape} groups for {means.shape} names", expected="one per name"
        )
    labels[:] = [str(label) for label in labels]  # objects: one long text would widen each of an array of strings
    if len(set(labels)) < 2:
        raise CubeError(
            "groups of names",
            got="fewer than two groups",
            expected="at least two",
            fix="Choose a column that tells names apart.",
        )
    return means, labels
