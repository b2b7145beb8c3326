"""Comparisons of groups of names as weighted sums of means: a group against others, and what crossed groups add."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike


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
        """The comparison in each row of scores (S, N): float64 array (S,).

        Where a score is missing (NaN), a set's mean is over the names that have one; NaN where a set has none.
        """
        given = np.asarray(scores, dtype=np.float64)
        if not np.isnan(given).any():
            return np.asarray(sum(weight * given[:, names].mean(axis=1) for weight, names in self.terms))
        is_given = ~np.isnan(given)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = [
                weight * np.where(is_given, given, 0)[:, names].sum(axis=1) / is_given[:, names].sum(axis=1)
                for weight, names in self.terms
            ]
        return np.asarray(sum(parts))

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


def centred_name_means(scores: ArrayLike) -> np.ndarray:
    """Each name's mean over sentences of its score less the sentence's mean: float64 array (N,).

    Comparisons of names are those of their mean scores. Where answers are missing (NaN), a name that is missing in
    sentences of high scores is not taken for a low one.

    Examples
    --------
    >>> centred_name_means([[0.0, 1.0], [float("nan"), 9.0]])
    array([-0.5 ,  0.25])
    """
    given = np.asarray(scores, dtype=np.float64)
    if not np.isnan(given).any():
        return np.asarray((given - given.mean(axis=1, keepdims=True)).mean(axis=0))
    is_given = ~np.isnan(given)
    counts = np.maximum(is_given.sum(axis=1, keepdims=True), 1)
    moved = np.where(is_given, given - np.where(is_given, given, 0).sum(axis=1, keepdims=True) / counts, 0)
    return np.asarray(moved.sum(axis=0) / np.maximum(is_given.sum(axis=0), 1))


def interaction_contrasts(first: ArrayLike, second: ArrayLike) -> dict[tuple[str, str], Contrast]:
    """For each pair of groups: by how much its names differ from what both groups alone add up to.

    A difference of differences: of the names of one group of the first column, between one group of the second and the
    others; less the same difference of the names of the other groups of the first column. In a two-by-two crossing
    there is one such number, so only the first pair is listed; with two groups in one column, the pairs of its first.

    Parameters
    ----------
    first, second : arrays (N,) of str or None
        Groups of each name. Groups that do not occur with every group of the other column, twice, are left out: those
        of the second column first.

    Returns
    -------
    dict
        Pair of groups to the comparison; empty where fewer than two by two groups are left.
    """
    rows, columns = np.array(first, dtype=object), np.array(second, dtype=object)
    known = np.array([a is not None and b is not None for a, b in zip(rows, columns, strict=True)])
    levels, others = distinct(rows, known).tolist(), distinct(columns, known).tolist()
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


def distinct(labels: ArrayLike, among: np.ndarray) -> np.ndarray:
    """The labels of some names, in order of appearance."""
    return np.array(list(dict.fromkeys(np.asarray(labels, dtype=object)[among].tolist())), dtype=object)
