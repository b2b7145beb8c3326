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
    permute,
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


GROUPS = ["a", "b", "a", "b", "c"]


def noise(shape: tuple[int, int, int], seed: int = 0, digits: int = 16) -> np.ndarray:
    return np.round(np.random.default_rng(seed).random(shape), digits)


@pytest.mark.parametrize("digits", [1, 16])
def test_the_scores_as_they_are_are_measured_alike(digits: int) -> None:
    scores = noise((3, 5, 30), digits=digits)
    scores[0, 0, :7] = np.nan
    found = permute(scores, GROUPS, threshold=0.4, n_permutations=20)
    exact = individual_fairness(scores), group_fairness(scores, GROUPS), disparities(scores, 0.4).mean()
    # With few distinct scores every one is a point of the grid, and nothing is rounded.
    assert np.allclose(found.observed, exact, rtol=1e-5 if digits == 1 else 0.02)


def test_the_floor_is_what_dealing_by_hand_shows() -> None:
    scores = noise((2, 4, 25), digits=1)
    random = np.random.default_rng(5)
    by_hand = []
    for _ in range(400):
        permuted = random.permuted(scores, axis=1)
        by_hand.append((individual_fairness(permuted), group_fairness(permuted, list("abcd"))))
    individual, group = np.array(by_hand).T
    found = permute(scores, list("abcd"), n_permutations=999)
    assert found.individual.mean() == pytest.approx(individual.mean(), rel=0.02)
    assert found.individual.std() == pytest.approx(individual.std(), rel=0.15)
    assert found.group.mean() == pytest.approx(group.mean(), rel=0.05)
    assert found.template_pairs.mean() == pytest.approx(individual.mean(), rel=0.02)
    assert found.pair_means.shape == (999, 6), "of each pair of four values the mean over templates"
    assert found.pair_means.mean() == pytest.approx(individual.mean(), rel=0.02)


def test_whole_values_change_groups() -> None:
    """Of four values in two groups there are three ways; each is measured as it is."""
    scores = noise((2, 4, 25), digits=1)
    found = permute(scores, list("aabb"), n_permutations=999)
    ways = [group_fairness(scores, list(groups)) for groups in ("aabb", "abab", "abba")]
    assert found.observed[1] == pytest.approx(ways[0])
    shares = [np.isclose(found.group, way).mean() for way in ways]
    assert sum(shares) == 1 and shares == pytest.approx([1 / 3] * 3, abs=0.06)


def test_the_floor_is_near_its_formula() -> None:
    scores = noise((10, 6, 100))
    found = permute(scores, [str(a) for a in range(6)], n_permutations=200)
    formula = 2 / np.sqrt(np.pi) * np.pi / 8 / np.sqrt(100)
    assert found.individual.mean() == pytest.approx(formula, rel=0.05)


def test_what_the_random_numbers_have_in_common_stays_together() -> None:
    common = noise((4, 1, 60))
    same = np.repeat(common, 5, axis=1)
    assert permute(same, GROUPS, n_permutations=50).individual.max() < 1e-12
    nearly = same + 0.01 * noise((4, 5, 60), 1)
    assert permute(nearly, GROUPS, n_permutations=50).individual.mean() < 0.004


@pytest.mark.slow
def test_large_audits_deal_each_template_less_often() -> None:
    found = permute(noise((10, 12, 1000)), [str(a) for a in range(12)], n_permutations=999)
    assert found.individual.shape == (999,) and 250 <= found.template_pairs.shape[1] < 999
    assert len(np.unique(found.individual)) > 990


def test_every_value_keeps_as_many_scores_as_it_has() -> None:
    """Two values that never have a score at the same k still change places."""
    scores = np.full((1, 2, 40), np.nan)
    scores[0, 0, :30], scores[0, 1, 30:] = 0.0, 1.0
    found = permute(scores, ["a", "b"], n_permutations=400).individual
    random = np.random.default_rng(1)
    by_hand = [
        abs(order[:30].mean() - order[30:].mean())
        for order in (random.permutation(np.repeat([0.0, 1.0], [30, 10])) for _ in range(4000))
    ]
    assert found.mean() == pytest.approx(np.mean(by_hand), rel=0.1)


def test_values_with_one_score_are_measured_as_they_are() -> None:
    scores = noise((3, 5, 1), digits=1)
    scores[1, 2] = scores[2, :2] = np.nan
    found = permute(scores, GROUPS, threshold=0.4, n_permutations=20)
    one = [pairwise_w1(template) for template in scores]
    known = np.concatenate([each[np.isfinite(each)] for each in one])
    assert found.observed[0] == pytest.approx(known.mean())
    assert found.observed[1] == pytest.approx(group_fairness(scores, GROUPS))
    assert found.observed[2] == pytest.approx(np.nanmean(disparities(scores, 0.4)))
    assert np.isnan(found.template_pairs[1][:, [1, 4, 7, 8]]).all() and not np.isnan(found.template_pairs[0]).any()
    assert (found.spread >= 0).all() and found.pair_spread[0] == pytest.approx(np.abs(one[0]) / 2, abs=1e-6)
