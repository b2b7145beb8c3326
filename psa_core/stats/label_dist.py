"""LabelDist and flips at given thresholds, exactly, also resampled."""

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
    labelled : float64 array (K,), or (N, K) where scores are missing
        Sentences whose original score is at or above each threshold: ``|A|``, of those with both scores.
    perturbed : float64 array (N, K)
        Sentences at or above it with name n: ``|B_n|``.
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
    """Count labels at each threshold (K,): O(S N log K + N K), without a loop over thresholds or sentences.

    Examples
    --------
    >>> threshold_grid([0.2, 0.8], [[0.6], [0.8]], [0.5]).label_dist
    array([[0.5]])
    """
    bins = _Bins.of(original, perturbed, thresholds)
    once = np.ones((len(bins.original), 1), dtype=np.float32)
    blocks = list(bins.weighted_counts(once))
    counts = [np.concatenate([block[part][..., 0].T for block in blocks]).astype(np.float64) for part in (0, 1, 2)]
    labelled, perturbed_counts, both_counts = (part[:, bins.as_given] for part in counts)
    if bins.original.shape[1] == 1:
        labelled = labelled[0]
    return ThresholdGrid(bins.thresholds, labelled, perturbed_counts, both_counts)


def flip_counts(original: ArrayLike, perturbed: ArrayLike, thresholds: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Flipped cells over all names at each threshold, up and down: int64 arrays (K,).

    Cells with ``f(x) < c <= f(x_n)`` and with ``f(x_n) < c <= f(x)``.

    Examples
    --------
    >>> flip_counts([0.2, 0.8], [[0.6, 0.1], [0.4, 0.9]], [0.5])
    (array([1]), array([1]))
    """
    bins = _Bins.of(original, perturbed, thresholds)
    before, after = np.broadcast_arrays(bins.original, bins.perturbed)
    size = len(bins.thresholds)
    opened = np.bincount(np.minimum(before, after).ravel(), minlength=size + 1)
    # A cell is flipped at the thresholds that the larger of its two scores reaches and the smaller one does not.
    up, down = (
        np.cumsum(opened - np.bincount(reached.ravel(), minlength=size + 1))[:size] for reached in (after, before)
    )
    return up[bins.as_given], down[bins.as_given]


def bootstrap_label_dist(
    original: np.ndarray, perturbed: np.ndarray, thresholds: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """LabelDist (mean over names) when sentence s counts ``weights[s, b]`` times, float32 (S, B): float64 (K, B)."""
    bins = _Bins.of(original, perturbed, thresholds)
    total = np.zeros((len(thresholds), weights.shape[1]))
    for labelled, with_name, both in bins.weighted_counts(weights):
        total += _jaccard_distance(labelled, with_name, both).sum(axis=1)
    return total[bins.as_given] / perturbed.shape[1]


def label_dist_parts(original: ArrayLike, perturbed: ArrayLike, threshold: float) -> np.ndarray:
    """Each sentence's part of LabelDist, (S,): the mean over sentences is LabelDist, their spread is its own.

    LabelDist is a ratio of counts; this is its linear approximation by the influence function, good where about ten
    sentences or more have the label. Raises `OptionError` when the threshold is not finite.

    Examples
    --------
    >>> label_dist_parts([0.75, 0.75], [[0.75], [0.25]], 0.5).tolist()
    [0.0, 1.0]
    """
    base, perturbed = paired_scores(original, perturbed)
    level = effective_threshold(threshold, base, perturbed)
    known = ~np.isnan(base)[:, None] & ~np.isnan(perturbed)
    before, after = (base[:, None] >= level) & known, (perturbed >= level) & known
    both, either = before & after, before | after
    union = either.mean(axis=0)
    shared = np.divide(both.mean(axis=0), union, out=np.ones(len(union)), where=union > 0)
    # d(1 - B/U) = -(dB - (B/U) dU) / U, and B - (B/U) U = 0 on average.
    influence = np.divide(shared * either - both, union, out=np.zeros(perturbed.shape), where=union > 0)
    return (1 - shared + influence).mean(axis=1)


def _jaccard_distance(labelled: np.ndarray, perturbed: np.ndarray, both: np.ndarray) -> np.ndarray:
    union = labelled + perturbed
    union -= both
    return 1 - np.divide(both, union, out=np.ones(union.shape), where=union > 0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Bins:
    """For each score, how many of the ascending thresholds it reaches, 0 … K; and each threshold's rank.

    `original` is (S, 1), or (S, N) where a score is missing: such a pair reaches none.
    """

    original: np.ndarray
    perturbed: np.ndarray
    thresholds: np.ndarray
    as_given: np.ndarray

    @classmethod
    def of(cls, original: ArrayLike, perturbed: ArrayLike, thresholds: ArrayLike) -> _Bins:
        base, perturbed = paired_scores(original, perturbed)
        grid = np.atleast_1d(checked_thresholds(thresholds))
        if grid.ndim != 1 or len(grid) == 0:
            raise OptionError("thresholds", got=f"shape {grid.shape}", expected="one number or a list of numbers")
        reached = effective_threshold(grid, base, perturbed)
        ascending = np.sort(reached)
        before, after = (np.searchsorted(ascending, scores, side="right") for scores in (base[:, None], perturbed))
        missing = np.isnan(base)[:, None] | np.isnan(perturbed)
        if missing.any():
            before, after = np.where(missing, 0, before), np.where(missing, 0, after)
        return cls(before, after, grid, np.searchsorted(ascending, reached))

    def weighted_counts(self, weights: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """|A|, |B_n| and |A∩B_n| for blocks of names: float32 arrays (K, names, B), bounded in size.

        |A| is (K, 1, B) where it is the same for all names.
        """
        labelled = self.count(self.original, weights) if self.original.shape[1] == 1 else None
        names_at_once = max(1, COUNTS_IN_MEMORY // ((len(self.thresholds) + 1) * weights.shape[1]))
        for first in range(0, self.perturbed.shape[1], names_at_once):
            reached = self.perturbed[:, first : first + names_at_once]
            own = self.original if labelled is not None else self.original[:, first : first + names_at_once]
            of_all = self.count(own, weights) if labelled is None else labelled
            yield of_all, self.count(reached, weights), self.count(np.minimum(reached, own), weights)

    def count(self, reached: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weighted number of sentences that reach each threshold: (S, n) and (S, B) to float32 (K, n, B).

        Whole numbers up to 16 million are exact in float32.
        """
        from scipy.sparse import csr_array

        size, (sentences, names) = len(self.thresholds), reached.shape
        cell = (reached * names + np.arange(names)).ravel()
        column = np.repeat(np.arange(sentences), names)
        one_hot = csr_array((np.ones(cell.size, np.float32), (cell, column)), shape=((size + 1) * names, sentences))
        counts = (one_hot @ weights).reshape(size + 1, names, -1)
        # Whoever reaches a threshold reaches all lower ones. In place: np.cumsum takes ten times as long here.
        for index in range(size - 1, 0, -1):
            counts[index] += counts[index + 1]
        return counts[1:]
