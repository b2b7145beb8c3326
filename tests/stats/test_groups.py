from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from numpy.typing import ArrayLike
from scipy.stats import permutation_test

from psa_core.stats import Contrast, bootstrap, compare_groups, interaction_contrasts
from psa_core.stats.groups import NoiseFloors, _floors, centred_name_means, contrast_floors, interaction_floors

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
    monkeypatch.setattr(bootstrap, "DRAWN_AT_ONCE", 70)
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


def people(per_cell: int, races: str = "bwh") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gender, race and crossed group of so many names of each."""
    pairs = [(gender, race) for gender in "fm" for race in races for _ in range(per_cell)]
    genders, of_race = (np.array(column, dtype=object) for column in zip(*pairs, strict=True))
    return genders, of_race, np.array([f"{gender}*{race}" for gender, race in pairs], dtype=object)


def test_missing_answers_by_hand() -> None:
    scores = [[1.0, np.nan, 4.0, 2.0], [np.nan, np.nan, 1.0, 3.0]]
    contrast = Contrast.between([True, True, False, False], [False, False, True, True])
    assert contrast.of(scores)[0] == 1.0 - 3.0
    assert np.isnan(contrast.of(scores)[1])
    # first row less its mean 7/3, second less 2
    assert centred_name_means(scores) == pytest.approx([-4 / 3, 0, (5 / 3 - 1) / 2, (-1 / 3 + 1) / 2])


def test_leaving_one_name_out_by_hand() -> None:
    contrast = Contrast.between([1, 1, 0, 0], [0, 0, 1, 1])
    assert contrast.without_extreme([0.9, 0.1, 0.0, 0.0]) == pytest.approx(0.1)
    assert Contrast.between([1, 0, 0, 0], [0, 1, 1, 1]).without_extreme([0.9, 0.1, 0.0, 0.0]) == 0.0


def test_two_by_two_is_the_difference_of_differences() -> None:
    genders, races, _ = people(2, "bw")
    means = np.array([0.5, 0.7, 0.1, 0.1, 0.2, 0.2, 0.3, 0.1])
    ((pair, contrast),) = interaction_contrasts(genders, races).items()
    assert pair == ("f", "b")
    assert contrast.of(means[None, :])[0] == pytest.approx((0.6 - 0.1) - (0.2 - 0.2))


def test_the_interaction_is_the_coefficient_of_an_additive_model_with_one_extra() -> None:
    genders, races, cells = people(4)
    means = RANDOM.normal(0, 1, len(cells))
    found = interaction_contrasts(genders, races)
    assert list(found) == [("f", "b"), ("f", "w"), ("f", "h")]
    frame = {"y": means, "g": genders.astype(str), "r": races.astype(str), "cell": (cells == "f*w").astype(float)}
    model = smf.ols("y ~ C(g) + C(r) + cell", pd.DataFrame(frame)).fit()
    # with equal sizes, what one cell has beyond the additive fit of the others
    assert found["f", "w"].of(means[None, :])[0] == pytest.approx(model.params["cell"])


def test_groups_that_do_not_meet_are_left_out() -> None:
    genders, races, _ = people(2)
    races[:2] = None  # no Black women
    assert list(interaction_contrasts(genders, races)) == [("f", "w")]
    races[races == "h"] = None
    assert interaction_contrasts(genders, races) == {}


def test_main_effects_are_no_interaction_and_an_interaction_is_found() -> None:
    genders, races, cells = people(10)
    columns, contrasts = (genders, races), interaction_contrasts(genders, races)
    additive = 3.0 * (genders == "f") + 2.0 * (races == "b") + np.random.default_rng(5).normal(0, 0.1, len(cells))
    floors = interaction_floors(additive, list(contrasts.values()), columns)
    assert floors.p_adjusted.min() > 0.1
    moved = additive + 0.5 * (cells == "f*b")
    floors = interaction_floors(moved, list(contrasts.values()), columns)
    assert floors.observed[0] == pytest.approx(0.5, abs=0.15)
    assert floors.p_adjusted[0] < 0.01 and floors.is_above[0]


def test_comparisons_are_corrected_together() -> None:
    genders, races, cells = people(5)
    scores = RANDOM.normal(0, 1, (30, len(cells)))
    own = [Contrast.between(cells == cell, cells != cell) for cell in dict.fromkeys(cells)]
    crossing = interaction_contrasts(genders, races)
    alone = compare_groups(scores, own)
    both = compare_groups(scores, own, list(crossing.values()), (genders, races))
    assert len(both.difference) == len(own) + 3
    assert (both.p_adjusted[: len(own)] >= alone.p_adjusted - 1e-12).all()
    assert both.difference[: len(own)] == pytest.approx(alone.difference)


def test_missing_cells_leave_the_rest_as_it_is() -> None:
    genders, _, cells = people(5)
    scores = RANDOM.normal(0, 1, (40, len(cells)))
    contrast = [Contrast.between(genders == "f", genders == "m")]
    whole = compare_groups(scores, contrast)
    gappy = scores.copy()
    gappy[0, genders == "f"] = np.nan
    found = compare_groups(gappy, contrast)
    assert found.difference[0] == pytest.approx(contrast[0].of(scores[1:]).mean())
    assert whole.difference[0] == pytest.approx(contrast[0].of(scores).mean())


def test_interactions_are_drawn_by_their_own_spread_within_cells() -> None:
    """Permutations of the additive model's residuals by hand (Freedman and Lane), each in units of its own spread."""
    genders, races, cells = people(4, "bw")
    random = np.random.default_rng(2)
    means = random.normal(0, 1, len(cells)) * np.where(genders == "f", 3.0, 0.3)
    found = interaction_floors(means, list(interaction_contrasts(genders, races).values()), (genders, races))
    frame = pd.DataFrame({"y": means, "g": genders.astype(str), "r": races.astype(str)})
    residual = smf.ols("y ~ C(g) + C(r)", frame).fit().resid.to_numpy()

    def measured(values: np.ndarray) -> tuple[float, float]:
        by_cell = [values[cells == cell] for cell in ("f*b", "f*w", "m*b", "m*w")]
        within = sum(float(((own - own.mean()) ** 2).sum()) for own in by_cell)
        sums = [own.mean() for own in by_cell]
        return sums[0] - sums[1] - sums[2] + sums[3], np.sqrt(within / (len(values) - 4))

    observed, spread = measured(residual)
    drawn = np.array([measured(random.permutation(residual)) for _ in range(4000)])
    scaled = drawn[:, 0] / drawn[:, 1] * spread
    assert found.observed[0] == pytest.approx(observed)
    assert found.p_value[0] == pytest.approx(np.mean(np.abs(scaled) >= abs(observed)), abs=0.03)
    low, high = np.quantile(scaled, [0.025, 0.975])
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), rel=0.08)


def test_names_that_are_in_no_full_crossing_do_not_count_in_an_interaction() -> None:
    genders, races, _ = people(3, "bw")
    more = np.array([*genders, "f", "f", None], dtype=object), np.array([*races, "x", "x", "b"], dtype=object)
    means = np.random.default_rng(4).normal(0, 1, len(genders))
    every = np.append(means, [50.0, -50.0, 90.0])
    alone = interaction_floors(means, list(interaction_contrasts(genders, races).values()), (genders, races))
    found = interaction_floors(every, list(interaction_contrasts(*more).values()), more)
    for one, other in zip(alone, found, strict=True):
        assert one == pytest.approx(other)


def test_more_comparisons_are_drawn_more_often() -> None:
    """A group further out than any that is drawn has the smallest p-value that so many draws can give."""
    means = np.concatenate([np.full(10, 9.0), np.random.default_rng(1).normal(0, 0.1, 30)])
    contrast = Contrast.between(np.arange(40) < 10, np.arange(40) >= 10)
    smallest = [contrast_floors(means, [contrast] * count, n_permutations=150).p_value[0] for count in (1, 5)]
    assert smallest == pytest.approx([2 / 151, 2 / 501])


def test_one_name_is_no_group_but_may_be_what_a_group_is_compared_with() -> None:
    pair, one = np.array([True, True, False]), np.array([False, False, True])
    assert Contrast.between(pair, one).is_of_groups and not Contrast.between(one, pair).is_of_groups


def test_of_one_comparison_there_is_nothing_to_correct() -> None:
    """Where means are their own ranks both tests are one, and the most extreme of one comparison is itself."""
    members = np.isin(np.arange(20), [3, 12, 15, 17, 19])
    found = contrast_floors(np.arange(20.0), [Contrast.between(members, ~members)], n_permutations=100)
    assert 0.1 < found.p_value[0] < 0.5 and found.p_adjusted[0] == pytest.approx(found.p_value[0], abs=0.021)


def test_the_other_groups_of_both_columns_weigh_alike_and_add_up_to_nothing() -> None:
    genders, races, cells = people(2)
    found = interaction_contrasts(races, genders)["b", "f"]
    assert found.weights.sum() == pytest.approx(0)
    by_cell = {cell: float(found.weights[cells == cell].sum()) for cell in dict.fromkeys(cells)}
    assert by_cell == pytest.approx({"f*b": 1, "f*w": -0.5, "f*h": -0.5, "m*b": -1, "m*w": 0.5, "m*h": 0.5})


def test_random_groups_are_counted_by_hand() -> None:
    """Few distinct draws, so that many tie: each is as extreme as itself, and as the observed one where they tie."""
    random = np.random.default_rng(4)
    drawn, observed = random.integers(-4, 5, (199, 3)).astype(float), np.array([4.0, 2.0, -3.0])
    tested = np.array([True, True, False])
    found = _floors(observed, drawn, tested)

    def p_of(value: float, column: np.ndarray) -> float:
        above, below = (column >= value).sum(), (column <= value).sum()
        return min(1.0, 2 * (1 + min(above, below)) / (1 + len(column)))

    assert found.p_value == pytest.approx([p_of(*each) for each in zip(observed, drawn.T, strict=True)])
    smallest = [
        min(2 * min((drawn[:, k] >= row[k]).sum(), (drawn[:, k] <= row[k]).sum()) / 200 for k in (0, 1))
        for row in drawn
    ]
    for k in (0, 1):
        reached = sum(each <= found.p_value[k] + 1e-9 for each in smallest)
        assert found.p_adjusted[k] == pytest.approx((1 + reached) / 200)
    assert np.isnan(found.p_adjusted[2])
    assert (found.low[2], found.high[2]) == (-4, 4), "of what is no group: from the lowest to the highest"
    level = sorted(smallest)[int(np.ceil(0.05 * 199)) - 1]
    for k in (0, 1):
        assert (found.low[k], found.high[k]) == pytest.approx(np.quantile(drawn[:, k], [level / 2, 1 - level / 2]))


def test_no_scale_makes_an_interaction() -> None:
    """Groups that do nothing, do something in the same way, and cross: in large scores and in tiny ones."""
    random = np.random.default_rng(1)
    first, second = ["a", "b"] * 12, ["x", "x", "y", "y"] * 6
    crossed = np.array([one == "a" and other == "x" for one, other in zip(first, second, strict=True)])
    contrasts = list(interaction_contrasts(first, second).values())
    noise = random.normal(0, 0.1, 24)
    for scale in (1.0, 1e-8):
        found = [
            interaction_floors(scale * means, contrasts, [first, second])
            for means in (noise, noise + crossed, np.zeros(24))
        ]
        assert [bool(each.is_above[0]) for each in found] == [False, scale == 1.0, False] or scale < 1
        assert found[1].p_adjusted[0] < 0.01 < found[0].p_adjusted[0]
        assert found[2].observed[0] == 0 and found[2].p_adjusted[0] == 1
    small, large = (interaction_floors(scale * noise, contrasts, [first, second]) for scale in (1, 100))
    assert (100 * small.low[0], 100 * small.high[0]) == pytest.approx((large.low[0], large.high[0]), rel=1e-9)


def test_a_group_apart_over_names_that_sentences_do_not_show_is_not_above_noise() -> None:
    """Each name of the group is as far from the others in the mean, which one sentence of three alone makes."""
    random = np.random.default_rng(0)
    names = np.arange(16) < 8
    scores = random.normal(0, 0.01, (3, 16)) + names * np.array([[4.0], [-1.0], [0.0]])
    found = compare_groups(scores, [Contrast.between(names, ~names)])
    assert found.p_noise[0] < 0.01 and found.p_adjusted[0] > 0.2 and not found.above_noise[0]
    shown = compare_groups(scores + names * np.array([[0.0], [5.0], [4.0]]), [Contrast.between(names, ~names)])
    assert shown.p_adjusted[0] < 0.05 and shown.above_noise[0]
