"""Fairness with floor, corrected value, interval and p."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as distributions

from psa_core.stats.fairness import (
    _tail,
    measure,
    measure_groups,
    noise_corrected,
    noise_corrected_audit,
    noise_corrected_pair,
)
from psa_core.stats.families import Families
from psa_core.stats.wasserstein import group_fairness, individual_fairness, pairwise_w1, permute, scarcity

VALUES = [str(a) for a in range(6)]


def scores(shift: float, seed: int = 0, k: int = 60, common: float = 0.0) -> np.ndarray:
    """Logit-normal scores (10, 6, k): half of the values are moved; `common` is the share that continuations share."""
    random = np.random.default_rng(seed)
    noise = np.sqrt(common) * random.normal(size=(10, 1, k)) + np.sqrt(1 - common) * random.normal(size=(10, 6, k))
    moved = shift * (np.arange(6) < 3)
    return 1 / (1 + np.exp(-(random.normal(0, 0.5, (10, 1, 1)) + moved[:, None] + 1.5 * noise)))


def test_the_correction_is_in_quadrature() -> None:
    assert noise_corrected(0.5, 0.3) == pytest.approx(0.4)
    assert noise_corrected(0.3, 0.5) == 0


def test_the_distance_of_one_pair_is_corrected_by_what_noise_does_to_one_difference() -> None:
    random = np.random.default_rng(0)
    noise = random.normal(size=400_000)
    for difference in (0.0, 0.5, 1.5, 4.0):
        measured = float(np.abs(difference + noise).mean())
        assert noise_corrected_pair(measured, np.sqrt(2 / np.pi)) == pytest.approx(difference, abs=0.08)
    assert noise_corrected_pair(0.5, 0.0) == 0.5
    assert noise_corrected_pair(0.3, 0.5) == 0
    assert noise_corrected_pair(100.0, 0.5) == pytest.approx(100.0)


def test_an_audit_below_its_floor_counts_as_much_less_than_nothing() -> None:
    w1, floors = np.full((2, 3), 0.3), np.full((2, 3), 0.5)
    assert noise_corrected_audit(w1, floors, floors.mean(axis=1)) == pytest.approx(-0.4)
    below = measure(scores(0.0, seed=4), VALUES, n_permutations=99).individual
    assert 0 <= below.low <= below.corrected <= below.high


def test_the_interval_of_few_templates_leans_on_the_continuations_too() -> None:
    equal = np.tile(scores(1.0)[:1], (5, 1, 1))  # templates that do not differ say nothing of chance
    found = measure(equal, VALUES, n_permutations=99).individual
    assert found.high - found.low > 0.01


def test_near_copies_of_a_template_count_once_in_intervals() -> None:
    once = scores(1.0)[:, :, :20]
    twice, families = np.repeat(once, 2, axis=0), Families(np.repeat(np.arange(10), 2))
    alone, taken_for_new, counted = (
        measure(each, VALUES, n_permutations=199, families=given)
        for each, given in ((once, None), (twice, None), (twice, families))
    )
    for name in ("individual", "disparity", "group"):
        found = [getattr(one, name) for one in (alone, taken_for_new, counted)]
        wide, narrow, same = (number.high - number.low for number in found)
        assert same > narrow
        if name != "individual":  # which leans on the continuations too, of which there are more
            assert same == pytest.approx(wide, rel=0.15) and narrow < 0.8 * wide
    few = measure(twice[:6], VALUES, n_permutations=99, families=Families(np.repeat(np.arange(3), 2)))
    by_continuation = measure(twice[:3], VALUES, n_permutations=99)
    assert np.isfinite([few.individual.low, by_continuation.individual.low]).all(), "the continuations stand in"


def test_no_difference_is_not_above_noise_and_a_difference_is() -> None:
    none = measure(scores(0.0), VALUES, n_permutations=199)
    assert not none.individual.above_noise and not none.group.above_noise
    assert np.isnan(none.individual.needed)
    some = measure(scores(1.0), VALUES, n_permutations=199)
    truth = individual_fairness(scores(1.0, 9, k=4000))
    assert some.individual.above_noise and some.group.above_noise and some.disparity.above_noise
    assert some.individual.corrected == pytest.approx(truth, rel=0.12)
    assert some.individual.low < truth < some.individual.high
    assert 10 < some.individual.needed < 200


def test_names_that_differ_among_themselves_are_no_difference_of_groups() -> None:
    """20 names in two groups, each with a level of its own; then one group is moved too."""
    groups, false, found = ["f", "m"] * 10, 0, 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        levels = 0.4 + random.normal(0, 0.06, (20, 1))
        given = np.clip(levels + random.normal(0, 0.15, (2, 20, 20)), 0, 1)
        false += measure(given, groups, n_permutations=99, seed=seed).group.above_noise
        given[:, ::2] = np.clip(given[:, ::2] + 0.15, 0, 1)
        found += measure(given, groups, n_permutations=99, seed=seed).group.above_noise
    assert false <= 2 and found >= 11
    few = measure(given[:, :4], groups[:4], n_permutations=199).group
    assert not few.above_noise, "of four names there are three ways to make two groups"


def test_a_small_difference_needs_more_continuations() -> None:
    small, large = (
        measure(scores(shift, 3, k=200), VALUES, n_permutations=99).individual.needed for shift in (0.5, 1.5)
    )
    assert small > 2 * large


def test_common_random_numbers_lower_the_floor() -> None:
    alone, shared = (measure(scores(0.5, 2, common=c), VALUES, n_permutations=99).individual for c in (0.0, 0.9))
    assert shared.floor < 0.7 * alone.floor


def test_pairs_are_told_apart() -> None:
    found = measure(scores(1.5), VALUES, n_permutations=199)
    first, second = np.triu_indices(6, k=1)
    differ = (first < 3) != (second < 3)
    assert found.mean_p[differ].max() < 0.01 < 0.05 < np.median(found.mean_p[~differ])
    assert found.mean_corrected[differ].min() > found.mean_corrected[~differ].max()
    assert found.w1.shape == found.pair_floors.shape == found.pair_p.shape == (10, 15)


def test_fewer_kept_continuations_have_a_higher_floor() -> None:
    some = scores(0.0)
    some[:, 0, 20:] = np.nan
    found = measure(some, VALUES, n_permutations=99)
    first, _ = np.triu_indices(6, k=1)
    assert found.mean_floors[first == 0].mean() > 1.2 * found.mean_floors[first != 0].mean()


def test_a_value_without_any_continuation_is_left_out_and_the_others_are_measured() -> None:
    some = scores(1.0)
    some[:, 5] = np.nan
    found, rest = measure(some, VALUES, n_permutations=99), measure(some[:, :5], VALUES[:5], n_permutations=99)
    second = np.triu_indices(6, k=1)[1]
    assert np.isnan(found.mean_w1[second == 5]).all() and np.isnan(found.mean_p[second == 5]).all()
    assert found.mean_w1[second < 5] == pytest.approx(rest.mean_w1)
    for number in ("individual", "group", "disparity"):
        assert getattr(found, number).value == pytest.approx(getattr(rest, number).value)
    alone = measure(np.stack([some[:1, 0], some[:1, 5]], axis=1), ["a", "b"], n_permutations=99)
    assert np.isnan([alone.individual.value, alone.group.value, alone.disparity.value]).all()


def test_disparity_counts_scores_above_the_threshold_over_what_is_there() -> None:
    perturbed = np.full((2, 3, 4), 0.1, np.float32)
    perturbed[:, 0] = 0.8
    perturbed[:, 1] = 0.7  # 0.69999999: at the threshold, not above it
    perturbed[0, 2] = np.nan
    # by pair: 1, 1 and 0 in the second template; 1 in the first
    assert measure(perturbed, VALUES[:3], threshold=0.7, n_permutations=99).disparity.value == pytest.approx(3 / 4)


def test_few_templates_and_continuations_have_a_number_and_no_interval() -> None:
    found = measure(scores(3.0)[:2, :, :8], VALUES, n_permutations=99).group
    assert found.corrected == pytest.approx(np.sqrt(found.value**2 - found.floor**2)) and found.corrected > 0
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("groups", [VALUES, list("aabbcc")])
def test_the_interval_over_templates_is_the_jackknife_s(groups: list[str]) -> None:
    given = scores(1.0)
    found = measure(given, groups, n_permutations=99).group
    # The noise of values grows when a template is left out; what values of a group differ by does not.
    floor = found.floor * (np.sqrt(10 / 9) if groups == VALUES else 1.0)
    without = np.array(
        [np.sqrt(group_fairness(np.delete(given, t, axis=0), groups) ** 2 - floor**2) for t in range(10)]
    )
    half = distributions.t.ppf(0.975, 9) * np.sqrt(9 / 10 * ((without - without.mean()) ** 2).sum())
    assert (found.low, found.high) == pytest.approx((found.corrected - half, found.corrected + half))


def test_groups_of_any_column_are_tested_by_permuting_whole_values() -> None:
    random = np.random.default_rng(3)
    own = random.normal(0, 0.1, (1, 12, 1))  # names differ, their groups do not
    scores = np.clip(0.5 + own + random.normal(0, 0.05, (4, 12, 10)), 0, 1)
    groups = ["a", "b"] * 6
    found = measure_groups(scores, groups, n_permutations=199)
    assert found.value == pytest.approx(group_fairness(scores, groups)) and not found.above_noise
    shifted = np.clip(scores + 0.3 * np.array([0, 1] * 6)[None, :, None], 0, 1)
    assert measure_groups(shifted, groups, n_permutations=199).p < 0.02
    assert measure(shifted, groups, n_permutations=199).group.value == pytest.approx(
        measure_groups(shifted, groups, n_permutations=199).value
    )


def test_one_template_and_one_continuation() -> None:
    one = measure(scores(1.0)[:1], VALUES, n_permutations=99)
    assert 0 <= one.individual.low < one.individual.high
    single = measure(scores(1.0, k=1), VALUES, n_permutations=99)
    assert single.individual.value == pytest.approx(single.individual.floor, rel=0.5)


def _missing(kind: str, perturbed: np.ndarray) -> None:
    if kind == "value":
        perturbed[:, 0] = np.nan
    elif kind == "template":
        perturbed[0] = np.nan
    elif kind == "cell":
        perturbed[0, 0] = np.nan
    else:
        perturbed[:, 0, 1:] = np.nan


@pytest.mark.parametrize("kind", ["value", "template", "cell", "all but one of each"])
def test_what_is_missing_is_no_difference(kind: str) -> None:
    found = []
    for seed in range(40):
        perturbed = np.random.default_rng(seed).random((3, 3, 8))
        _missing(kind, perturbed)
        measured = measure(perturbed, ["x", "y", "y"], n_permutations=99, seed=seed)
        individual = measured.individual
        pairs = measured.mean_p[np.isfinite(measured.mean_w1)]
        found.append(
            (individual.p, measured.group.p, measured.disparity.p, individual.value / individual.floor, *pairs)
        )
    averages = np.mean(found, axis=0)
    assert averages[:3].min() > 0.35 and averages[4:].min() > 0.3
    assert averages[3] == pytest.approx(1, abs=0.08)


def test_a_template_that_nothing_was_kept_of_changes_nothing() -> None:
    some = scores(1.0)
    whole = measure(some, VALUES, n_permutations=199)
    with_empty = measure(np.concatenate([some, np.full_like(some[:1], np.nan)]), VALUES, n_permutations=199)
    assert with_empty.individual.floor == pytest.approx(whole.individual.floor, rel=0.05)
    assert with_empty.mean_floors == pytest.approx(whole.mean_floors, rel=0.05)
    assert with_empty.individual.corrected == pytest.approx(whole.individual.corrected, rel=0.05)


def test_p_is_the_share_of_dealt_audits_that_reach_the_value() -> None:
    given = scores(0.25, seed=11, k=20)
    found, dealt = (
        measure(given, VALUES, n_permutations=199, seed=3),
        permute(given, VALUES, threshold=0.5, n_permutations=199, seed=3),
    )
    numbers = (found.individual, dealt.individual), (found.group, dealt.group), (found.disparity, dealt.disparity)
    for number, null in numbers:
        reached = np.count_nonzero(null >= number.value * (1 - 1e-7))
        assert number.p == pytest.approx((1 + reached) / (1 + len(null)))
    assert all(number.p < 0.5 and number.value > np.median(null) for number, null in numbers)


def test_a_value_that_few_chance_values_reach_has_a_small_p() -> None:
    null = np.array([0.3, 0.1, 0.4, np.nan, 0.2])
    assert _tail(null, np.array([0.5, 0.4, 0.25, 0.05])).tolist() == [0.2, 0.4, 0.6, 1.0]
    assert np.isnan(_tail(null, np.array([np.nan]))).all()


def test_far_above_noise_pairs_are_corrected_alone_and_near_it_together() -> None:
    floors, floor = np.full((2, 3), 0.1), np.full(2, 0.1)
    near = np.full((2, 3), 0.12)
    assert noise_corrected_audit(near, floors, floor) == pytest.approx(np.sqrt(0.12**2 - 0.1**2))
    far = np.tile([0.2, 0.5, 0.9], (2, 1))
    alone = noise_corrected_pair(far[0], floors[0])
    assert noise_corrected_audit(far, floors, floor) == pytest.approx(alone.mean())
    # Half way between: √(value² − floor²) is one and a half times the floor.
    between = np.tile(np.array([0.8, 1.0, 1.2]) * np.sqrt(1.5**2 + 1) * 0.1, (2, 1))
    together, apart = 0.15, float(noise_corrected_pair(between[0], floors[0]).mean())
    assert noise_corrected_audit(between, floors, floor) == pytest.approx((together + apart) / 2, abs=0.001)


def test_where_nothing_differs_every_chance_is_as_far() -> None:
    found = measure(np.full((5, 3, 20), 0.5), VALUES[:3], n_permutations=99)
    assert found.individual.value == found.individual.corrected == 0 and found.individual.p == 1
    assert found.mean_p.tolist() == [1, 1, 1] and (found.pair_p == 1).all()
    assert found.mean_corrected.tolist() == [0, 0, 0]


def test_a_pair_of_few_scores_is_noisier_than_a_pair_of_many() -> None:
    first, second, third = (1 / 4 + 1 / 16) ** 0.5, (1 / 4 + 1 / 64) ** 0.5, (1 / 16 + 1 / 64) ** 0.5
    mean = (first + second + third) / 3
    found = scarcity(np.array([[4, 16, 64], [64, 4, 16]]))
    assert found[0] == pytest.approx(np.array([first, second, third]) / mean)
    assert found[1] == pytest.approx(np.array([second, third, first]) / mean)


def test_the_interval_of_individual_fairness_by_hand() -> None:
    """Two thirds of the variance come from leaving out templates, one third from leaving out tenths of the answers."""
    given = scores(1.0, k=25)
    found = measure(given, VALUES, n_permutations=99)
    null = permute(given, VALUES, threshold=0.5, n_permutations=99)
    floors = np.array([each.mean() for each in null.template_pairs])

    def error(numbers: list[float]) -> float:
        n, values = len(numbers), np.array(numbers)
        return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))

    every = range(len(given))
    templates = [
        noise_corrected_audit(*(np.delete(each, t, axis=0) for each in (found.w1, found.pair_floors, floors)))
        for t in every
    ]
    answers = []
    for tenth in np.array_split(np.arange(25), 10):
        noisier = np.sqrt(25 / (25 - len(tenth)))
        part = np.array([pairwise_w1(np.delete(given[t], tenth, axis=1)) for t in every])
        answers.append(noise_corrected_audit(part, noisier * found.pair_floors, noisier * floors))
    pooled = np.sqrt(2 / 3 * error(templates) ** 2 + 1 / 3 * error(answers) ** 2)
    half = distributions.t.ppf(0.975, len(given) - 1) * pooled
    one = found.individual
    assert one.corrected == pytest.approx(noise_corrected_audit(found.w1, found.pair_floors, floors))
    assert (one.low, one.high) == pytest.approx((one.corrected - half, one.corrected + half), rel=1e-5)
    needed = 25 * (distributions.norm.ppf(0.975) * error(answers) / one.corrected / 0.2) ** 2
    assert one.needed == pytest.approx(max(1, np.ceil(needed)))
