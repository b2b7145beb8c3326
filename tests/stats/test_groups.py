from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test

from psa_core.errors import CubeError
from psa_core.stats import group_difference, groups, noise_floors

RANDOM = np.random.default_rng(11)


def test_difference_per_sentence_by_hand() -> None:
    perturbed = [[0.0, 0.5, 1.0], [0.25, 0.25, 0.75]]
    assert group_difference(perturbed, [False, True, True]).tolist() == [0.75, 0.25]
    assert group_difference(perturbed, [True, False, False], [False, False, True]).tolist() == [-1.0, -0.5]


@pytest.mark.parametrize(("members", "others"), [([0, 0], None), ([1, 1], None), ([1, 0], [1, 1])])
def test_groups_that_cannot_be_compared(members: list[int], others: list[int] | None) -> None:
    with pytest.raises(CubeError, match="groups"):
        group_difference([[0.1, 0.2]], members, others)


def test_noise_floor_equals_scipys_permutation_test() -> None:
    means, labels = RANDOM.normal(0, 1, 14), np.array(["a"] * 5 + ["b"] * 9)
    floor = noise_floors(means, labels, n_permutations=40_000)["a"]
    exact = permutation_test(
        (means[:5], means[5:]), lambda a, b, axis: np.abs(a.mean(axis) - b.mean(axis)),
        permutation_type="independent", alternative="greater", vectorized=True, n_resamples=np.inf,
    )  # fmt: skip
    assert floor.observed == pytest.approx(means[:5].mean() - means[5:].mean())
    assert floor.p_value == pytest.approx(exact.pvalue, abs=0.01)
    assert floor.high == pytest.approx(np.quantile(exact.null_distribution, 0.95), rel=0.05)
    assert floor.low == pytest.approx(-floor.high, rel=0.1)


def test_two_groups_are_mirror_images() -> None:
    floors = noise_floors([0.1, 0.4, 0.2, 0.9], ["x", "x", "y", "y"])
    assert list(floors) == ["x", "y"]
    assert floors["x"].observed == pytest.approx(-floors["y"].observed)
    assert floors["x"].p_value == floors["y"].p_value


def test_names_that_all_score_the_same_have_no_noise() -> None:
    floor = noise_floors(np.full(6, 0.3), list("aabbbb"))["a"]
    assert floor.observed == pytest.approx(0, abs=1e-15)
    assert (floor.p_value, floor.is_above) == (1.0, False)


def test_a_group_apart_is_above_the_floor() -> None:
    means = np.concatenate([np.full(20, 0.9), np.full(20, 0.1)]) + RANDOM.normal(0, 0.01, 40)
    labels = ["a"] * 20 + ["b"] * 20
    assert noise_floors(means, labels)["a"].is_above


def test_draws_repeat_with_the_seed_and_in_any_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    means, labels = RANDOM.random(10), list("aaabbbcccc")
    assert noise_floors(means, labels, seed=1) == noise_floors(means, labels, seed=1)
    assert noise_floors(means, labels, seed=1) != noise_floors(means, labels, seed=2)
    whole = noise_floors(means, labels, n_permutations=999)
    monkeypatch.setattr(groups, "DRAWN_NAMES", 70)
    assert noise_floors(means, labels, n_permutations=999) == whole


@pytest.mark.parametrize("labels", [["a", "a", "a"], ["a", "b"]])
def test_one_group_or_a_missing_label_is_refused(labels: list[str]) -> None:
    with pytest.raises(CubeError):
        noise_floors([0.1, 0.2, 0.3], labels)


def test_one_far_name_makes_no_group() -> None:
    # two names that a lexicon knows, all others within next to nothing of each other
    means = np.concatenate([[-0.4, 0.1], RANDOM.normal(0, 1e-4, 98)])
    labels = np.array(["leader", "musician", *RANDOM.choice(["leader", "musician", "actor"], 98)])
    assert not any(floor.is_above for floor in noise_floors(means, labels).values())


def test_a_group_that_is_far_by_one_name_only_is_not_above_noise() -> None:
    # By the means alone this pair is found: another pair reaches so far only where it has the far name, 1 in 30.
    means = np.concatenate([[50.0, 0.0], np.linspace(-1, 1, 58)])
    found = noise_floors(means, ["a", "a"] + ["b"] * 58)["a"]
    assert found.p_value < 0.05 < 0.2 < found.p_adjusted
    assert found.observed > found.high and not found.is_above
