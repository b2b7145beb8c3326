from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import permutation_test

from psa_core.stats import Contrast, groups
from psa_core.stats.groups import NoiseFloors, contrast_floors

RANDOM = np.random.default_rng(11)


def noise_floors(means: ArrayLike, labels: Sequence[str], **options: int) -> NoiseFloors:
    """Each group against all other names, in order of appearance."""
    each = np.array(labels)
    contrasts = [Contrast.between(each == group, each != group) for group in dict.fromkeys(labels)]
    return contrast_floors(means, contrasts, **options)


def test_difference_per_sentence_by_hand() -> None:
    perturbed = [[0.0, 0.5, 1.0], [0.25, 0.25, 0.75]]
    assert Contrast.between([False, True, True], [True, False, False]).of(perturbed).tolist() == [0.75, 0.25]
    assert Contrast.between([True, False, False], [False, False, True]).of(perturbed).tolist() == [-1.0, -0.5]


def test_noise_floor_equals_scipys_permutation_test() -> None:
    means, labels = RANDOM.normal(0, 1, 14), np.array(["a"] * 5 + ["b"] * 9)
    floor = noise_floors(means, labels, n_permutations=40_000)
    exact = permutation_test(
        (means[:5], means[5:]), lambda a, b, axis: np.abs(a.mean(axis) - b.mean(axis)),
        permutation_type="independent", alternative="greater", vectorized=True, n_resamples=np.inf,
    )  # fmt: skip
    assert floor.observed[0] == pytest.approx(means[:5].mean() - means[5:].mean())
    assert floor.p_value[0] == pytest.approx(exact.pvalue, abs=0.01)
    assert floor.high[0] == pytest.approx(np.quantile(exact.null_distribution, 0.95), rel=0.05)
    assert floor.low[0] == pytest.approx(-floor.high[0], rel=0.1)


def test_two_groups_are_mirror_images() -> None:
    floors = noise_floors([0.1, 0.4, 0.2, 0.9], ["x", "x", "y", "y"])
    assert floors.observed[0] == pytest.approx(-floors.observed[1])
    assert floors.p_value[0] == floors.p_value[1]


def test_names_that_all_score_the_same_have_no_noise() -> None:
    floor = noise_floors(np.full(6, 0.3), list("aabbbb"))
    assert floor.observed[0] == pytest.approx(0, abs=1e-15)
    assert (floor.p_value[0], floor.is_above[0]) == (1.0, False)


def test_a_group_apart_is_above_the_floor() -> None:
    means = np.concatenate([np.full(20, 0.9), np.full(20, 0.1)]) + RANDOM.normal(0, 0.01, 40)
    labels = ["a"] * 20 + ["b"] * 20
    assert noise_floors(means, labels).is_above.all()


def test_draws_repeat_with_the_seed_and_in_any_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    means, labels = RANDOM.random(10), list("aaabbbcccc")
    first, again, other = (noise_floors(means, labels, seed=seed) for seed in (1, 1, 2))
    assert first.p_value.tolist() == again.p_value.tolist() != other.p_value.tolist()
    whole = noise_floors(means, labels, n_permutations=999)
    monkeypatch.setattr(groups, "DRAWN_NAMES", 70)
    assert noise_floors(means, labels, n_permutations=999).low.tolist() == whole.low.tolist()


def test_one_far_name_makes_no_group() -> None:
    # two names that a lexicon knows, all others within next to nothing of each other
    means = np.concatenate([[-0.4, 0.1], RANDOM.normal(0, 1e-4, 98)])
    labels = np.array(["leader", "musician", *RANDOM.choice(["leader", "musician", "actor"], 98)])
    assert not noise_floors(means, labels).is_above.any()


def test_a_group_that_is_far_by_one_name_only_is_not_above_noise() -> None:
    # By the means alone this pair is found: another pair reaches so far only where it has the far name, 1 in 30.
    means = np.concatenate([[50.0, 0.0], np.linspace(-1, 1, 58)])
    found = noise_floors(means, ["a", "a"] + ["b"] * 58)
    assert found.p_value[0] < 0.05 < 0.2 < found.p_adjusted[0]
    assert found.observed[0] > found.high[0] and not found.is_above[0]
