"""LabelDist and flips at given thresholds, exactly, with the bootstrap interval over sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.bootstrap import BCA_SENTENCES, affordable
from psa_core.stats.families import Families
from psa_core.stats.means import CONFIDENCE, Intervals
from psa_core.stats.scores import (
    checked_thresholds,
    effective_threshold,
    known_pairs,
    nan_mean,
    paired_scores,
    subsample_names,
)

COUNTS_IN_MEMORY = 4_000_000
_TAILS = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])


@dataclass(frozen=True, eq=False)
class ThresholdGrid:
    """Exact label counts at K thresholds, from which LabelDist and flips follow.

    ``thresholds`` (K,) are as given, in any order. Of the sentences with both scores, ``labelled`` counts those whose
    original score is at or above each threshold, ``|A|`` (K,), or (N, K) where scores are missing; ``perturbed`` those
    with name n, ``|B_n|`` (N, K); ``both`` those either way, ``|A∩B_n|`` (N, K). All are float64.
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
        """Sentences that get the label with the name only, ``f(x) < c <= f(x_n)``: int64 (N, K)."""
        return np.rint(self.perturbed - self.both).astype(np.int64)

    @property
    def flips_down(self) -> np.ndarray:
        """Sentences that lose the label with the name, ``f(x_n) < c <= f(x)``: int64 (N, K)."""
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


def label_dist_interval(
    original: ArrayLike,
    perturbed: ArrayLike,
    thresholds: ArrayLike,
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    families: Families | None = None,
) -> Intervals:
    """LabelDist (mean over names) at each threshold with its 95 % bootstrap interval over sentences.

    One set of resamples serves all thresholds, so the bounds move as smoothly with the threshold as the value does. BCa
    up to 500 sentences, where it matters; the percentile interval above. Of more than 2,000 names, so many at random
    say how far the mean moves with the sentences. `families`, where there are some, are drawn in place of sentences.

    Arrays (K,) in [0, 1]; larger = more labels change. NaN bounds for one sentence. To be trusted where at least about
    ten sentences have the label.

    Examples
    --------
    >>> [bound.tolist() for bound in label_dist_interval([0.2, 0.2], [[0.6], [0.6]], [0.1, 0.5])]
    [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    """
    base, perturbed = paired_scores(original, perturbed)
    grid = threshold_grid(base, perturbed, thresholds)
    value = nan_mean(grid.label_dist, axis=0)
    families = families or Families.none(len(base))
    count = families.count
    if count == 1 or families.too_few:
        return Intervals(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    # How often each resample draws each family: float32 (F, B), columns sum to F.
    n_drawn = affordable(n_resamples, count)
    drawn = np.random.default_rng(seed).integers(0, count, size=(n_drawn, count)) + np.arange(n_drawn)[:, None] * count
    counts = np.bincount(drawn.ravel(), minlength=n_drawn * count).reshape(n_drawn, count)
    weights = np.ascontiguousarray(counts.T, dtype=np.float32)[families.labels]
    some = subsample_names(perturbed, seed)
    moved = 0.0 if some is perturbed else value - nan_mean(threshold_grid(base, some, thresholds).label_dist, axis=0)
    if count > BCA_SENTENCES:
        low, high = np.quantile(bootstrap_label_dist(base, some, grid.thresholds, weights), _TAILS, axis=1)
        return Intervals(value, *np.clip([low + moved, high + moved], 0.0, 1.0))
    everyone = np.ones((len(base), 1), dtype=np.float32)
    all_but_one = (1 - np.eye(count, dtype=np.float32))[families.labels]
    answers = bootstrap_label_dist(base, some, grid.thresholds, np.hstack([everyone, all_but_one, weights]))
    shares = _bca_shares(answers[:, 0], answers[:, 1 : count + 1], answers[:, count + 1 :])
    bounds = np.array([np.quantile(row, share) for row, share in zip(answers[:, count + 1 :], shares, strict=True)])
    return Intervals(value, *np.clip([bounds[:, 0] + moved, bounds[:, 1] + moved], 0.0, 1.0))


def _bca_shares(value: np.ndarray, left_out: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Shares of the draws at which the BCa bounds lie, (K, 2): Efron & Tibshirani 1993, equations 14.9 to 14.15.

    `value` is (K,), `left_out` (K, S) the values without one sentence, `drawn` (K, B).
    """
    from scipy.stats import norm

    below = ((drawn < value[:, None]).mean(axis=1) + (drawn <= value[:, None]).mean(axis=1)) / 2
    shift = norm.ppf(np.clip(below, 0.5 / drawn.shape[1], 1 - 0.5 / drawn.shape[1]))[:, None]
    influence = left_out.mean(axis=1, keepdims=True) - left_out
    spread = 6 * (influence**2).sum(axis=1) ** 1.5
    skew = np.divide((influence**3).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    moved = shift + norm.ppf(_TAILS)
    return norm.cdf(shift + moved / (1 - skew * moved))


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
    known = known_pairs(base, perturbed)
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
        known = known_pairs(base, perturbed)
        if not known.all():
            before, after = np.where(known, before, 0), np.where(known, after, 0)
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
