"""LabelDist and flips at given thresholds, also for weighted (resampled) sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.scores import checked_thresholds, effective_threshold, paired_scores

COUNTS_IN_MEMORY = 4_000_000


@dataclass(frozen=True, eq=False)
class ThresholdGrid:
    """Exact label counts at K thresholds, from which LabelDist and flips follow.

    Attributes
    ----------
    thresholds : float64 array (K,)
        As given, in any order.
    labelled : float64 array (K,)
        Sentences whose original score is at or above each threshold: ``|A|``.
    worn : float64 array (N, K)
        Sentences at or above it when they wear name n: ``|B_n|``.
    both : float64 array (N, K)
        Sentences at or above it either way: ``|A∩B_n|``.
    """

    thresholds: np.ndarray
    labelled: np.ndarray
    perturbed: np.ndarray
    both: np.ndarray

    @property
    def label_dist(self) -> np.ndarray:
        """Jaccard distance of each name's labels from the original ones: float64 (N, K) in [0, 1]; both empty → 0."""
        return _jaccard_distance(self.labelled, self.perturbed, self.both)

    @property
    def flips_up(self) -> np.ndarray:
        """Sentences that get the label with the name only: int64 (N, K)."""
        return np.rint(self.perturbed - self.both).astype(np.int64)

    @property
    def flips_down(self) -> np.ndarray:
        """Sentences that lose the label with the name: int64 (N, K)."""
        return np.rint(self.labelled - self.both).astype(np.int64)


def threshold_grid(original: ArrayLike, perturbed: ArrayLike, thresholds: ArrayLike) -> ThresholdGrid:
    """Count labels at each threshold: O(S N log K + N K), without a loop over thresholds or sentences.

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)
    thresholds : array (K,) or one number

    Raises
    ------
    CubeError
        As `paired_scores`.
    OptionError
        When a threshold is not finite.

    Examples
    --------
    >>> threshold_grid([0.2, 0.8], [[0.6], [0.8]], [0.5]).label_dist
    array([[0.5]])
    """
    base, perturbed = paired_scores(original, perturbed)
    grid = np.atleast_1d(checked_thresholds(thresholds))
    bins = _Bins.of(base, perturbed, grid)
    once = np.ones((len(base), 1), dtype=np.float32)
    labelled = bins.count(bins.original[:, None], once)[:, 0, 0].astype(np.float64)
    blocks = list(bins.weighted_counts(once))
    worn_counts, both_counts = (
        np.concatenate([block[part][..., 0].T for block in blocks]).astype(np.float64) for part in (0, 1)
    )
    reached = effective_threshold(grid, base, perturbed)
    as_given = np.searchsorted(np.sort(reached), reached)
    return ThresholdGrid(grid, labelled[as_given], worn_counts[:, as_given], both_counts[:, as_given])


def flip_counts(original: ArrayLike, perturbed: ArrayLike, thresholds: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Flipped cells over all names at each threshold, by direction.

    Returns
    -------
    up, down : int64 arrays (K,)
        Cells with ``f(x) < c <= f(x_n)`` and with ``f(x_n) < c <= f(x)``.

    Raises
    ------
    CubeError, OptionError
        As `threshold_grid`.

    Examples
    --------
    >>> flip_counts([0.2, 0.8], [[0.6, 0.1], [0.4, 0.9]], [0.5])
    (array([1]), array([1]))
    """
    base, perturbed = paired_scores(original, perturbed)
    grid = np.atleast_1d(checked_thresholds(thresholds))
    reached = effective_threshold(grid, base, perturbed)
    ascending = np.sort(reached)
    before = np.searchsorted(ascending, base, side="right")[:, None]
    after = np.searchsorted(ascending, perturbed, side="right")
    as_given = np.searchsorted(ascending, reached)
    up = _covering(np.minimum(before, after), after, len(grid))
    down = _covering(np.minimum(before, after), np.broadcast_to(before, after.shape), len(grid))
    return up[as_given], down[as_given]


def bootstrap_label_dist(
    original: np.ndarray, perturbed: np.ndarray, thresholds: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """LabelDist (mean over names) when sentence s counts ``weights[s, b]`` times: float64 (K, B).

    Parameters
    ----------
    original, perturbed : float64 arrays (S,), (S, N)
    thresholds : float64 array (K,)
    weights : float32 array (S, B)
        How often each resample draws each sentence.
    """
    bins = _Bins.of(original, perturbed, thresholds)
    labelled = bins.count(bins.original[:, None], weights)
    total = np.zeros((len(thresholds), weights.shape[1]))
    for perturbed, both in bins.weighted_counts(weights):
        total += _jaccard_distance(labelled, perturbed, both).sum(axis=1)
    reached = effective_threshold(thresholds, original, perturbed)
    as_given = np.searchsorted(np.sort(reached), reached)
    return total[as_given] / perturbed.shape[1]


def _covering(start: np.ndarray, stop: np.ndarray, size: int) -> np.ndarray:
    """How many of the index ranges [start, stop) hold each index: int64 (size,)."""
    opened = np.bincount(start.ravel(), minlength=size + 1)
    closed = np.bincount(stop.ravel(), minlength=size + 1)
    return np.cumsum(opened - closed)[:size]


def _jaccard_distance(labelled: np.ndarray, perturbed: np.ndarray, both: np.ndarray) -> np.ndarray:
    union = labelled + perturbed
    union -= both
    return 1 - np.divide(both, union, out=np.ones(union.shape), where=union > 0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Bins:
    """For each score, how many of the ascending thresholds it reaches: 0 … K."""

    original: np.ndarray
    perturbed: np.ndarray
    size: int

    @classmethod
    def of(cls, base: np.ndarray, perturbed: np.ndarray, thresholds: np.ndarray) -> _Bins:
        if thresholds.ndim != 1 or len(thresholds) == 0:
            raise OptionError("thresholds", got=f"shape {thresholds.shape}", expected="one number or a list of numbers")
        ascending = np.sort(effective_threshold(thresholds, base, perturbed))
        return cls(
            np.searchsorted(ascending, base, side="right"),
            np.searchsorted(ascending, perturbed, side="right"),
            len(thresholds),
        )

    def weighted_counts(self, weights: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """|B_n| and |A∩B_n| for blocks of names: two float32 arrays (K, names, B) each, bounded in size."""
        names_at_once = max(1, COUNTS_IN_MEMORY // ((self.size + 1) * weights.shape[1]))
        for first in range(0, self.perturbed.shape[1], names_at_once):
            reached = self.perturbed[:, first : first + names_at_once]
            yield self.count(reached, weights), self.count(np.minimum(reached, self.original[:, None]), weights)

    def count(self, reached: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weighted number of sentences that reach each threshold: (S, n) and (S, B) to float32 (K, n, B).

        Whole numbers up to 16 million are exact in float32.
        """
        from scipy.sparse import csr_array

        sentences, names = reached.shape
        cell = (reached * names + np.arange(names)).ravel()
        column = np.repeat(np.arange(sentences), names)
        one_hot = csr_array(
            (np.ones(cell.size, dtype=np.float32), (cell, column)), shape=((self.size + 1) * names, sentences)
        )
        counts = (one_hot @ weights).reshape(self.size + 1, names, -1)
        # Whoever reaches a threshold reaches all lower ones. In place: np.cumsum takes ten times as long here.
        for index in range(self.size - 1, 0, -1):
            counts[index] += counts[index + 1]
        return counts[1:]
