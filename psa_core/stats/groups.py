"""Tests of comparisons of groups of names, over sentences and over names: would others show the same?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from psa_core.stats.contrasts import Contrast, centred_name_means, distinct
from psa_core.stats.families import Families
from psa_core.stats.intervals import CONFIDENCE, Intervals, mean_interval
from psa_core.stats.name_effects import two_sided_share
from psa_core.stats.significance import SIGNIFICANT, adjust, paired_t_p

DRAWN_NAMES = 1_000_000
N_PERMUTATIONS = 4999
PERMUTATIONS_PER_GROUP = 100
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class NoiseFloors:
    """How far K comparisons of groups differ when names are assigned to the groups at random; float64 arrays (K,).

    Attributes
    ----------
    observed : array
        The differences of the groups as they are; signed.
    low, high : arrays
        In 95 % of the draws *all* groups fall between their bounds.
    p_value : array
        How often a group of this size is as extreme as `observed`, the observed grouping counted among the draws.
    p_adjusted : array
        How often any of the groups is as extreme for its size, by the names' means and by their ranks (the larger of
        both), so that one far name makes no group. NaN for a group of one name, which is no group, and is never above
        its floor: that reaches from the lowest to the highest name.
    """

    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray

    @property
    def is_above(self) -> np.ndarray:
        """Whether the groups differ by more than arbitrary ones do, and by more than rounding: bool (K,)."""
        is_inside = (self.low - ROUNDING <= self.observed) & (self.observed <= self.high + ROUNDING)
        return (self.p_adjusted < 1 - CONFIDENCE) & ~is_inside


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of groups with both doubts; float64 arrays (K,).

    Attributes
    ----------
    value, low, high : arrays
        Mean over sentences with its interval over sentences (or families of them).
    p_value : array
        Paired t-test over sentences, not corrected.
    p_adjusted : array
        The larger of the corrected p-values over sentences and over names; 1 where one name makes half of it or more,
        NaN where a set is no group.
    noise_low, noise_high : arrays
        In 95 % of the draws all comparisons of random groups stay between their bounds; wider where the comparison is
        not significant by all tests, so that it lies inside.
    p_noise : array
        Of one such comparison over names.
    above_noise : bool array
        Whether it is outside of that band: what all tests together find, and nothing else.
    without_extreme : array
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    noise_low: np.ndarray
    noise_high: np.ndarray
    p_noise: np.ndarray
    above_noise: np.ndarray
    without_extreme: np.ndarray


@dataclass(frozen=True, eq=False)
class Interactions:
    """What crossed groups add to each other: the comparisons, the crossed group of each name, and both columns."""

    contrasts: Sequence[Contrast]
    cells: ArrayLike
    columns: Sequence[ArrayLike]


def compare_groups(
    scores: ArrayLike,
    contrasts: Sequence[Contrast],
    interactions: Interactions | None = None,
    *,
    families: Families | None = None,
    correction: str = "holm",
    n_permutations: int | None = None,
) -> Comparisons:
    """Compare groups of names; every comparison, those of `interactions` last, is corrected for all of them.

    Parameters
    ----------
    scores : array (S, N)
        NaN where an answer is missing.
    contrasts : sequence of Contrast
    interactions : Interactions, optional
    families : Families, optional
        Which sentences depend on each other.
    correction : str
        Over the comparisons.
    """
    given, means = np.asarray(scores, dtype=np.float64), centred_name_means(scores)
    floors = [contrast_floors(means, contrasts, n_permutations=n_permutations)] if contrasts else []
    every = list(contrasts)
    if interactions is not None and interactions.contrasts:
        of_columns = (interactions.contrasts, interactions.cells, interactions.columns)
        floors.append(interaction_floors(means, *of_columns, n_permutations=n_permutations))
        every += interactions.contrasts
    floor = NoiseFloors(*(np.concatenate([getattr(one, of.name) for one in floors]) for of in fields(NoiseFloors)))
    interval, p_values = over_sentences(np.column_stack([one.of(given) for one in every]), families)
    is_group = np.array([one.is_of_groups for one in every])
    by_sentences = adjust(np.where(is_group, p_values, np.nan), correction)
    by_names = floor.p_value if correction == "none" else np.minimum(1.0, len(floors) * floor.p_adjusted)
    without = np.array([one.without_extreme(means) for one in every])
    by_one_name = without * np.sign(interval.value) < np.abs(interval.value) / 2
    p_adjusted = np.where(by_one_name, np.maximum(by_sentences, 1.0), np.maximum(by_sentences, by_names))
    p_adjusted = np.where(is_group, p_adjusted, np.nan)
    above = floor.is_above & (p_adjusted < SIGNIFICANT)
    return Comparisons(
        *interval,
        p_values,
        p_adjusted,
        np.where(above, floor.low, np.fmin(floor.low, interval.value)),
        np.where(above, floor.high, np.fmax(floor.high, interval.value)),
        floor.p_value,
        above,
        without,
    )


def over_sentences(values: np.ndarray, families: Families | None) -> tuple[Intervals, np.ndarray]:
    """Means of columns (S, K) with intervals and p-values over sentences; rows without a value (NaN) do not count."""
    families = Families.none(len(values)) if families is None else families
    if not np.isnan(values).any():
        return mean_interval(values, families=families), paired_t_p(families.rows(values))
    found: list[tuple[Any, ...]] = []
    for column in values.T:
        is_given = ~np.isnan(column)
        if not is_given.any():
            found.append((np.nan,) * 4)
            continue
        kept = Families.of(families.labels[is_given])
        found.append((*mean_interval(column[is_given], families=kept), paired_t_p(kept.rows(column[is_given]))))
    columns = np.array(found, dtype=np.float64).T
    return Intervals(*columns[:3]), columns[3]


def contrast_floors(
    name_means: ArrayLike, contrasts: Sequence[Contrast], *, n_permutations: int | None = None, seed: int = 0
) -> NoiseFloors:
    """Each comparison of groups beside the same comparison of names that are assigned to the groups at random.

    A permutation test over names. Since every sentence has every name, the difference of group means is a difference of
    means of the names' mean scores, so only those are needed. One set of random orders serves all comparisons, and says
    how far out the most extreme of them lies (the smallest p-value, Westfall and Young 1993), so that picking the
    largest of many is no finding by itself.

    Parameters
    ----------
    name_means : array (N,)
    contrasts : sequence of Contrast, length K
    n_permutations : int, optional
        At least; more where there are very many comparisons.

    Returns
    -------
    NoiseFloors
        ``p_adjusted`` is corrected over the K.

    Examples
    --------
    >>> pair = np.array([False, False, True, True])
    >>> floors = contrast_floors([0.0, 0.0, 1.0, 1.0], [Contrast.between(pair, ~pair)])
    >>> floors.observed.tolist(), floors.is_above.tolist()
    ([1.0], [False])
    """
    means, weights = np.asarray(name_means, dtype=np.float64), np.array([one.weights for one in contrasts])
    tested = np.array([one.is_of_groups for one in contrasts])
    least = max(n_permutations or N_PERMUTATIONS, PERMUTATIONS_PER_GROUP * len(contrasts))
    counts = (weights != 0).any(axis=0)  # a name without a group is not assigned to one
    means, weights, floors = means[counts], weights[:, counts], []
    for values in (_ranks(means), means):
        drawn = _permuted_sums(values, weights, least, seed)
        floors.append(_floors(weights @ values, drawn, tested))
    return _by_both(*floors)


def interaction_floors(
    name_means: ArrayLike,
    contrasts: Sequence[Contrast],
    cells: ArrayLike,
    columns: Sequence[ArrayLike],
    *,
    n_permutations: int | None = None,
    seed: int = 0,
) -> NoiseFloors:
    """Interactions beside those of names whose means are what their columns add up to, plus chance.

    What is permuted over names is what the columns alone leave over (Freedman and Lane 1983), so a difference by either
    column is no interaction; each draw is measured by its own spread within cells, since leaving the columns out takes
    some of it. Corrected over the comparisons as in `contrast_floors`, and by aligned ranks as well.

    Parameters
    ----------
    name_means : array (N,)
    contrasts : sequence of Contrast, length K
    cells : array (N,)
        The crossed group of each name; ``None`` for a name that counts in no comparison.
    columns : sequence of arrays (N,)
        The groups that are crossed.
    """
    means, labels = np.asarray(name_means, dtype=np.float64), np.array(cells, dtype=object)
    used = np.array([label is not None for label in labels])
    labels, values = labels[used], means[used]
    weights = np.array([one.weights for one in contrasts])[:, used]
    tested = np.array([one.is_of_groups for one in contrasts])
    dummies = [np.asarray(column, dtype=object)[used, None] == distinct(column, used)[None, 1:] for column in columns]
    design = np.column_stack([np.ones(len(values)), *dummies]).astype(np.float64)
    own = (labels[:, None] == np.array(list(dict.fromkeys(labels.tolist())), dtype=object)[None, :]).astype(np.float64)
    least = max(n_permutations or N_PERMUTATIONS, PERMUTATIONS_PER_GROUP * len(contrasts))
    additive = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    left = values - additive
    if np.ptp(left) <= ROUNDING * max(1.0, float(np.abs(values).max())):
        left = np.zeros_like(left)  # nothing is left over but rounding
    floors = []
    for residual in (_ranks(left) - (len(left) + 1) / 2, left):
        residual = residual - design @ np.linalg.lstsq(design, residual, rcond=None)[0]
        freedom = len(residual) - own.shape[1]
        per_cell = own / np.sqrt(own.sum(axis=0))
        total = float((residual**2).sum())
        random = np.random.default_rng(seed)
        drawn, spread = [], []
        rows = max(1, DRAWN_NAMES // len(residual))
        for block in range(0, least, rows):
            draws = random.permuted(np.broadcast_to(residual, (min(rows, least - block), len(residual))), axis=1)
            drawn.append(draws @ weights.T)
            spread.append(total - ((draws @ per_cell) ** 2).sum(axis=1))
        deviation = np.sqrt(np.maximum(np.concatenate(spread), 0) / max(freedom, 1))
        own_deviation = float(np.sqrt(max(total - ((residual @ per_cell) ** 2).sum(), 0) / max(freedom, 1)))
        smallest = ROUNDING * max(1.0, float(np.abs(residual).max()))
        # In units of the draw's own spread, put on the scale of the names' spread so that bands can be shown.
        scaled = np.concatenate(drawn) * (own_deviation / np.maximum(deviation, smallest))[:, None]
        floors.append(_floors(weights @ residual, scaled, tested))
    return _by_both(*floors)


def _ranks(means: np.ndarray) -> np.ndarray:
    """Ranks of the names; means that are equal but for rounding are ties, not an order."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.round(means / max(np.abs(means).max(), np.finfo(float).tiny), 12)))


def _permuted_sums(values: np.ndarray, weights: np.ndarray, count: int, seed: int) -> np.ndarray:
    """The comparisons of names in random orders: float64 (count, K); in blocks, so that memory stays bounded."""
    # Names that count the same in every comparison are added up first: a few sums instead of many names.
    kinds, kind_of = np.unique(weights.T, axis=0, return_inverse=True)
    order = np.argsort(kind_of.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(kind_of.ravel()))[:-1]])
    values, random, sums = values[order], np.random.default_rng(seed), []
    rows = max(1, DRAWN_NAMES // len(values))
    for start in range(0, count, rows):
        block = random.permuted(np.broadcast_to(values, (min(rows, count - start), len(values))), axis=1)
        sums.append(np.add.reduceat(block, starts, axis=1))
    return np.asarray(np.concatenate(sums) @ kinds)


def _floors(observed: np.ndarray, drawn: np.ndarray, tested: np.ndarray) -> NoiseFloors:
    """Floors of the values observed (K,), among draws (D, K); not corrected for what cannot be tested."""
    # A draw is already among the draws that it is compared with, the observed grouping is not.
    twice = 2 / (1 + len(drawn))
    order = np.argsort(drawn, axis=0)
    ordered, shares = np.take_along_axis(drawn, order, axis=0), np.empty(drawn.shape)
    # Looked up in order, which is several times faster than as drawn.
    sorted_shares = np.column_stack([two_sided_share(column, column) - twice for column in ordered.T])
    np.put_along_axis(shares, order, sorted_shares, axis=0)
    pairs = zip(observed.tolist(), ordered.T, strict=True)
    p_values = np.concatenate([two_sided_share(np.array([value]), column) for value, column in pairs])
    low, high = ordered[0], ordered[-1]
    if not tested.any():
        return NoiseFloors(observed, low, high, p_values, np.full(len(observed), np.nan))
    smallest = np.sort(shares[:, tested].min(axis=1))
    level = float(np.quantile(smallest, 1 - CONFIDENCE, method="inverted_cdf"))
    within = np.quantile(ordered, [level / 2, 1 - level / 2], axis=0)
    low, high = np.where(tested, within, [low, high])
    # How often the most extreme of all random groups is at least as extreme.
    p_adjusted = (1 + np.searchsorted(smallest, p_values + ROUNDING)) / (1 + len(smallest))
    return NoiseFloors(observed, low, high, p_values, np.where(tested, p_adjusted, np.nan))


def _by_both(by_rank: NoiseFloors, by_mean: NoiseFloors) -> NoiseFloors:
    """Floors by the means, with the larger of both adjusted p-values, so that one far name makes no group."""
    return replace(by_mean, p_adjusted=np.maximum(by_mean.p_adjusted, by_rank.p_adjusted))
