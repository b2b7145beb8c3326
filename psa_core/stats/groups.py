"""Groups of names as weighted sums of means, tested over sentences and over names: would others show the same?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.stats.bootstrap import permuted_rows
from psa_core.stats.families import Families
from psa_core.stats.means import CONFIDENCE, SIGNIFICANT, Intervals, adjust, mean_interval, paired_t_p
from psa_core.stats.name_effects import two_sided_share
from psa_core.stats.scores import nan_mean

N_PERMUTATIONS = 4999
PERMUTATIONS_PER_GROUP = 100
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Contrast:
    """A comparison of groups of names: a weighted sum of the means of sets of names.

    Attributes
    ----------
    terms : tuple of (float, bool array (N,))
        A weight and the names whose mean it weighs; the weights add up to 0. A group against the rest is
        ``((1, members), (-1, others))``.

    Examples
    --------
    >>> Contrast.between([True, True, False], [False, False, True]).of([[1.0, 2.0, 5.0]])
    array([-3.5])
    """

    terms: tuple[tuple[float, np.ndarray], ...]

    @classmethod
    def between(cls, members: ArrayLike, others: ArrayLike) -> Contrast:
        """The mean of some names less that of others."""
        return cls(((1.0, np.asarray(members, dtype=bool)), (-1.0, np.asarray(others, dtype=bool))))

    @property
    def is_of_groups(self) -> bool:
        """Whether the first set, and where there are more than two each of them, has two names or more."""
        sets = self.terms if len(self.terms) > 2 else self.terms[:1]
        return all(names.sum() > 1 for _, names in sets)

    @property
    def weights(self) -> np.ndarray:
        """What each name's score counts: float64 array (N,), adding up to 0."""
        return np.asarray(sum(weight * names / names.sum() for weight, names in self.terms))

    def of(self, scores: ArrayLike) -> np.ndarray:
        """The comparison in each row of scores (S, N): float64 (S,); a set's mean is over the names that have a score.

        NaN where a set has none.
        """
        given = np.asarray(scores, dtype=np.float64)
        return np.asarray(sum(weight * nan_mean(given[:, names], axis=1) for weight, names in self.terms))

    def without_extreme(self, name_means: ArrayLike) -> float:
        """The comparison of the names' means (N,) without the one name that makes most of it.

        Signed as the comparison itself: the smallest that leaving out one name gives in that direction, also of the
        other sign. 0 where a set is one name: without it there is nothing to compare.

        Examples
        --------
        >>> means = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]
        >>> Contrast.between([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]).without_extreme(means)
        0.0
        """
        means, left = np.asarray(name_means, dtype=np.float64), []
        value = float(self.of(means[None, :])[0])
        for weight, names in self.terms:
            inside = means[names]
            if len(inside) < 2:
                return 0.0
            without = (inside.sum() - inside) / (len(inside) - 1)
            left.append(value + weight * (without - inside.mean()))
        every = np.concatenate(left)
        return float(every.min() if value >= 0 else every.max())


def interaction_contrasts(first: ArrayLike, second: ArrayLike) -> dict[tuple[str, str], Contrast]:
    """For each pair of groups: by how much its names differ from what both groups alone add up to.

    A difference of differences: of the names of one group of the first column, between one group of the second and the
    others; less the same difference of the names of the other groups of the first column. In a two-by-two crossing
    there is one such number, so only the first pair is listed; with two groups in one column, the pairs of its first.

    `first` and `second` (N,) are the groups of each name, or None. Groups that do not occur with every group of the
    other column, twice, are left out: those of the second column first. Empty where fewer than two by two are left.
    """
    rows, columns = np.array(first, dtype=object), np.array(second, dtype=object)
    known = np.array([a is not None and b is not None for a, b in zip(rows, columns, strict=True)])
    levels, others = (list(dict.fromkeys(labels[known].tolist())) for labels in (rows, columns))
    cell = {(a, b): (rows == a) & (columns == b) for a, b in product(levels, others)}
    full = [b for b in others if all(cell[a, b].sum() > 1 for a in levels)]
    if len(full) < 2:
        full = others
        levels = [a for a in levels if all(cell[a, b].sum() > 1 for b in full)]
    if min(len(levels), len(full)) < 2:
        return {}
    shown = product(levels[:1] if len(levels) == 2 else levels, full[:1] if len(full) == 2 else full)
    return {
        (a, b): Contrast(
            tuple(
                ((1 if x == a else -1 / (len(levels) - 1)) * (1 if y == b else -1 / (len(full) - 1)), cell[x, y])
                for x, y in product(levels, full)
            )
        )
        for a, b in shown
    }


class Comparisons(NamedTuple):
    """Comparisons of groups with both doubts; float64 arrays (K,).

    ``difference`` is the mean over sentences with its interval ``difference_low, difference_high`` over sentences (or
    families of them), ``p_value`` that of the paired t-test, not corrected. ``p_adjusted`` is the larger of the
    corrected p-values over sentences and over names; 1 where one name makes half of it or more, NaN where a set is no
    group. ``noise_low, noise_high``: in 95 % of the draws all comparisons of random groups stay between their bounds;
    wider where the comparison is not significant by all tests, so that it lies inside. ``p_noise`` is of one such
    comparison over names. ``above_noise`` (bool): whether it is outside of that band: what all tests together find, and
    nothing else. ``without_furthest`` is `Contrast.without_extreme`.
    """

    difference: np.ndarray
    difference_low: np.ndarray
    difference_high: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    noise_low: np.ndarray
    noise_high: np.ndarray
    p_noise: np.ndarray
    above_noise: np.ndarray
    without_furthest: np.ndarray


def compare_groups(
    scores: ArrayLike,
    contrasts: Sequence[Contrast],
    interactions: Sequence[Contrast] = (),
    columns: Sequence[ArrayLike] = (),
    *,
    families: Families | None = None,
    correction: str = "holm",
    n_permutations: int | None = None,
) -> Comparisons:
    """Compare groups of names; every comparison, those of `interactions` last, is corrected for all of them.

    Of `scores` (S, N), NaN where an answer is missing. `interactions` are made by `interaction_contrasts` of the
    `columns`, which hold both groups of each name; `families` says which sentences depend on each other, `correction`
    is over the comparisons.
    """
    given, means = np.asarray(scores, dtype=np.float64), centred_name_means(scores)
    every, floors = [*contrasts, *interactions], []
    if contrasts:
        floors.append(contrast_floors(means, contrasts, n_permutations=n_permutations))
    if interactions:
        floors.append(interaction_floors(means, interactions, columns, n_permutations=n_permutations))
    floor = NoiseFloors(*map(np.concatenate, zip(*floors, strict=True)))
    interval, p_values = over_sentences(np.column_stack([one.of(given) for one in every]), families)
    is_group = np.array([one.is_of_groups for one in every])
    by_sentences = adjust(np.where(is_group, p_values, np.nan), correction)
    by_names = floor.p_value if correction == "none" else np.minimum(1.0, len(floors) * floor.p_adjusted)
    without = np.array([one.without_extreme(means) for one in every])
    by_one_name = without * np.sign(interval.value) < np.abs(interval.value) / 2
    p_adjusted = np.where(by_one_name, np.maximum(by_sentences, 1.0), np.maximum(by_sentences, by_names))
    p_adjusted = np.where(is_group, p_adjusted, np.nan)
    above = floor.is_above & (p_adjusted < SIGNIFICANT)
    low = np.where(above, floor.low, np.fmin(floor.low, interval.value))
    high = np.where(above, floor.high, np.fmax(floor.high, interval.value))
    return Comparisons(*interval, p_values, p_adjusted, low, high, floor.p_value, above, without)


def centred_name_means(scores: ArrayLike) -> np.ndarray:
    """Each name's mean over sentences of its score less the sentence's mean: float64 (N,); 0 for one without a score.

    Where answers are missing (NaN), a name that is missing in sentences of high scores is not taken for a low one.

    Examples
    --------
    >>> centred_name_means([[0.0, 1.0], [float("nan"), 9.0]])
    array([-0.5 ,  0.25])
    """
    given = np.asarray(scores, dtype=np.float64)
    return np.nan_to_num(nan_mean(given - nan_mean(given, axis=1)[:, None], axis=0))


def over_sentences(values: np.ndarray, families: Families | None) -> tuple[Intervals, np.ndarray]:
    """Means of columns (S, K) with intervals and p-values over sentences; rows without a value (NaN) do not count."""
    families = Families.none(len(values)) if families is None else families
    if not np.isnan(values).any():
        return mean_interval(values, families=families), paired_t_p(families.rows(values))
    found = np.full((4, values.shape[1]), np.nan)
    for number, column in enumerate(values.T):
        is_given = ~np.isnan(column)
        if is_given.any():
            kept = families.subset(is_given)
            found[:3, number] = mean_interval(column[is_given], families=kept)
            found[3, number] = paired_t_p(kept.rows(column[is_given]))
    return Intervals(*found[:3]), found[3]


class NoiseFloors(NamedTuple):
    """How far K comparisons of groups differ when names are assigned to the groups at random; float64 arrays (K,).

    ``observed`` are the differences of the groups as they are, signed. In 95 % of the draws *all* groups fall between
    their bounds ``low`` and ``high``. ``p_value``: how often a group of this size is as extreme, the observed grouping
    counted among the draws; ``p_adjusted``: how often any of the groups is as extreme for its size, by the names' means
    and by their ranks (the larger of both), so that one far name makes no group. NaN for a group of one name, which is
    no group, and is never above its floor: that reaches from the lowest to the highest name.
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


def contrast_floors(
    name_means: ArrayLike, contrasts: Sequence[Contrast], *, n_permutations: int | None = None, seed: int = 0
) -> NoiseFloors:
    """Each comparison of groups beside the same comparison of names that are assigned to the groups at random.

    A permutation test over names. Since every sentence has every name, the difference of group means is a difference of
    means of the names' mean scores (N,), so only those are needed. One set of random orders (at least
    `n_permutations`; more where there are very many comparisons) serves all comparisons, and says how far out the most
    extreme of them lies (the smallest p-value, Westfall and Young 1993), so that picking the largest of many is no
    finding by itself.

    Examples
    --------
    >>> pair = np.array([False, False, True, True])
    >>> floors = contrast_floors([0.0, 0.0, 1.0, 1.0], [Contrast.between(pair, ~pair)])
    >>> floors.observed.tolist(), floors.is_above.tolist()
    ([1.0], [False])
    """
    weights = np.array([one.weights for one in contrasts])
    counts = (weights != 0).any(axis=0)  # a name without a group is not assigned to one
    means, weights = np.asarray(name_means, dtype=np.float64)[counts], weights[:, counts]
    count = _draws(contrasts, n_permutations)
    # Names that count the same in every comparison are added up first: a few sums instead of many names.
    kinds, kind_of = np.unique(weights.T, axis=0, return_inverse=True)
    order = np.argsort(kind_of.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(kind_of.ravel()))[:-1]])

    def drawn(values: np.ndarray) -> np.ndarray:
        orders = permuted_rows(values[order], count, np.random.default_rng(seed))
        return np.asarray(np.concatenate([np.add.reduceat(block, starts, axis=1) for block in orders]) @ kinds)

    return _by_both(contrasts, ((weights @ values, drawn(values)) for values in (_ranks(means), means)))


def interaction_floors(
    name_means: ArrayLike,
    contrasts: Sequence[Contrast],
    columns: Sequence[ArrayLike],
    *,
    n_permutations: int | None = None,
) -> NoiseFloors:
    """Interactions beside those of names whose means are what their columns add up to, plus chance.

    What is permuted over names is what the columns alone leave over (Freedman and Lane 1983), so a difference by either
    column is no interaction; each draw is measured by its own spread within cells, since leaving the columns out takes
    some of it. Corrected over the comparisons as in `contrast_floors`, and by aligned ranks as well. `contrasts` and
    `columns` as in `compare_groups`.
    """
    cells = sorted((names for _, names in contrasts[0].terms), key=np.argmax)
    used = np.any(cells, axis=0)
    values = np.asarray(name_means, dtype=np.float64)[used]
    weights = np.array([one.weights for one in contrasts])[:, used]
    labels = [np.asarray(column, dtype=object)[used] for column in columns]
    dummies = [own[:, None] == np.array(list(dict.fromkeys(own.tolist()))[1:], dtype=object) for own in labels]
    design = np.column_stack([np.ones(len(values)), *dummies]).astype(np.float64)
    per_cell = np.column_stack([names[used] / np.sqrt(names.sum()) for names in cells])

    def left_over(outcome: np.ndarray) -> np.ndarray:
        return outcome - design @ np.linalg.lstsq(design, outcome, rcond=None)[0]

    def drawn(residual: np.ndarray) -> np.ndarray:
        """Interactions of permuted residuals, in units of the draw's own spread on the scale of the names' spread."""
        total, sums, spread = float((residual**2).sum()), [], []
        for draws in permuted_rows(residual, _draws(contrasts, n_permutations), np.random.default_rng(0)):
            sums.append(draws @ weights.T)
            spread.append(total - ((draws @ per_cell) ** 2).sum(axis=1))
        deviation = np.sqrt(np.maximum(np.concatenate(spread), 0))
        own = float(np.sqrt(max(total - ((residual @ per_cell) ** 2).sum(), 0)))
        smallest = ROUNDING * max(float(np.abs(residual).max()), np.finfo(float).tiny)
        return np.concatenate(sums) * (own / np.maximum(deviation, smallest))[:, None]

    left = left_over(values)
    if np.ptp(left) <= ROUNDING * np.abs(values).max():
        left = np.zeros_like(left)  # nothing is left over but rounding
    residuals = map(left_over, (_ranks(left), left))
    return _by_both(contrasts, ((weights @ residual, drawn(residual)) for residual in residuals))


def _ranks(means: np.ndarray) -> np.ndarray:
    """Ranks of the names; means that are equal but for rounding are ties, not an order."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.round(means / max(np.abs(means).max(), np.finfo(float).tiny), 12)))


def _draws(contrasts: Sequence[Contrast], n_permutations: int | None) -> int:
    return max(n_permutations or N_PERMUTATIONS, PERMUTATIONS_PER_GROUP * len(contrasts))


def _by_both(contrasts: Sequence[Contrast], draws: Iterable[tuple[np.ndarray, np.ndarray]]) -> NoiseFloors:
    """Floors by the means, with the larger p-value of ranks and means, so that one far name makes no group.

    `draws` are comparisons as they are (K,) and as drawn (D, K): first of ranks, then of means.
    """
    tested = np.array([one.is_of_groups for one in contrasts])
    by_rank, by_mean = (_floors(observed, drawn, tested) for observed, drawn in draws)
    return by_mean._replace(p_adjusted=np.maximum(by_mean.p_adjusted, by_rank.p_adjusted))


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
    low, high = np.where(tested, np.quantile(ordered, [level / 2, 1 - level / 2], axis=0), [low, high])
    # How often the most extreme of all random groups is at least as extreme.
    p_adjusted = (1 + np.searchsorted(smallest, p_values + ROUNDING)) / (1 + len(smallest))
    return NoiseFloors(observed, low, high, p_values, np.where(tested, p_adjusted, np.nan))
