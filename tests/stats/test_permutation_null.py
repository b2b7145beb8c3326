"""Deals: what chance alone shows."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.stats.permutation_null import permute
from psa_core.stats.wasserstein import disparities, group_fairness, individual_fairness

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
