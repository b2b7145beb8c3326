"""Distances against scipy, one pair at a time."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from psa_core.stats.wasserstein import (
    disparities,
    group_fairness,
    individual_fairness,
    pairs,
    pairwise_w1,
)


def audit(kind: str, seed: int = 0) -> np.ndarray:
    """Scores (3, 5, 40) of a kind."""
    random = np.random.default_rng(seed)
    scores = random.random((3, 5, 40)) ** random.uniform(0.5, 2, (3, 5, 1))
    if kind == "tied":
        scores = np.round(scores, 1)
    if kind == "ragged":
        scores[random.random(scores.shape) < 0.2] = np.nan
    return scores.astype(np.float32)


def kept(row: np.ndarray) -> np.ndarray:
    return row[np.isfinite(row)].astype(np.float64)


@pytest.mark.parametrize("kind", ["equal", "tied", "ragged"])
def test_equal_scipys(kind: str) -> None:
    scores = audit(kind)
    each = [
        wasserstein_distance(kept(template[a]), kept(template[b]))
        for template in scores
        for a, b in itertools.combinations(range(5), 2)
    ]
    assert np.abs(np.concatenate([pairwise_w1(template) for template in scores]) - each).max() < 1e-9
    assert abs(individual_fairness(scores) - np.mean(each)) < 1e-9
    groups = ["x", "y", "x", "z", "y"]
    everything = kept(scores.ravel())
    total = 0.0
    for group in "xyz":
        members = [a for a in range(5) if groups[a] == group]
        total += wasserstein_distance(kept(scores[:, members].ravel()), everything)
    assert abs(group_fairness(scores, groups) - total) < 1e-9


def test_equal_sizes_are_the_mean_difference_of_sorted_scores() -> None:
    scores = audit("equal")[0]
    ordered = np.sort(scores.astype(np.float64), axis=1)
    first, second = pairs(5)
    assert np.allclose(pairwise_w1(scores), np.abs(ordered[first] - ordered[second]).mean(axis=1), atol=1e-12)


def test_an_empty_row_has_no_distance() -> None:
    scores = np.array([[0.1, 0.2], [np.nan, np.nan], [0.3, 0.2]])
    found = pairwise_w1(scores)
    assert np.isnan(found[[0, 2]]).all() and found[1] == pytest.approx(0.1)


def test_disparity_is_the_difference_of_shares_at_or_above_the_threshold() -> None:
    scores = np.array([[[0.5, 0.2], [0.4, np.nan]], [[0.9, 0.9], [0.6, 0.1]]])
    assert disparities(scores, 0.5).mean(axis=0).tolist() == [0.5]


def test_the_largest_audit_of_the_paper_is_measured_alike_in_little_memory() -> None:
    scores = np.random.default_rng(0).random((10, 29, 1000)).astype(np.float32)
    groups = ["a" if value < 9 else "b" for value in range(29)]
    tracemalloc.start()
    try:
        individual, group = individual_fairness(scores), group_fairness(scores, groups)
        assert tracemalloc.get_traced_memory()[1] < 32 * 2**20
    finally:
        tracemalloc.stop()
    first, second = pairs(29)
    ordered = np.sort(scores.astype(np.float64), axis=2)
    by_template = [np.abs(row[first] - row[second]).mean() for row in ordered]
    assert abs(individual - np.mean(by_template)) < 1e-9
    parts = [scores[:, :9].ravel(), scores[:, 9:].ravel()]
    by_scipy = sum(wasserstein_distance(part.astype(np.float64), scores.ravel().astype(np.float64)) for part in parts)
    assert abs(group - by_scipy) < 1e-9


def test_one_row_has_no_pair() -> None:
    assert pairwise_w1(np.array([[0.0, 1.0]])).tolist() == []
