"""Names against the typical name: what must be found, and what must not, with scores that are not normal."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import CubeError
from psa_core.stats import adjust, name_effects

RANDOM = np.random.default_rng(0)


def sure(perturbed: np.ndarray) -> list[int]:
    return np.flatnonzero(adjust(name_effects(perturbed).p_value) < 0.05).tolist()


def test_a_lexicon_that_knows_two_names_moves_no_other() -> None:
    perturbed = np.repeat(RANDOM.normal(0, 0.3, (80, 1)).round(2), 100, axis=1)
    perturbed[:, 7] -= 0.36 * (RANDOM.random(80) < 0.9)
    perturbed[:, 30] += 0.09 * (RANDOM.random(80) < 0.9)
    effects = name_effects(perturbed)
    assert sure(perturbed) == [7, 30]
    others = np.delete(np.arange(100), [7, 30])
    assert (effects.value[others] == 0).all()
    assert (effects.p_value[others] == 1).all()


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_rare_events_make_no_name_sure(share: float) -> None:
    assert sum(bool(sure((RANDOM.random((100, 50)) < share) * 1.0)) for _ in range(20)) <= 3


def test_one_name_is_found_among_rare_events_and_takes_no_others_with_it() -> None:
    perturbed = (RANDOM.random((100, 50)) < 0.02) * 1.0
    perturbed[:, 4] = RANDOM.random(100) < 0.4
    assert sure(perturbed) == [4]


def test_moved_names_do_not_vouch_for_others() -> None:
    # little noise and rare jumps: without the second look the names that never jumped would be sure as well
    perturbed = RANDOM.normal(0, 0.005, (100, 50)) + 0.5 * (RANDOM.random((100, 50)) < 0.02)
    perturbed[:, :5] += 0.1
    assert sure(perturbed) == [0, 1, 2, 3, 4]


def test_a_name_with_a_wider_spread_is_not_sure() -> None:
    flagged = 0
    for _ in range(20):
        perturbed = RANDOM.normal(0, 0.01, (40, 30))
        perturbed[:, 0] *= 20
        flagged += 0 in sure(perturbed)
    assert flagged <= 3


def test_an_interval_leaves_out_zero_when_its_p_value_is_small() -> None:
    effects = name_effects(RANDOM.normal(0, 0.1, (60, 200)) + np.linspace(-0.1, 0.1, 200))
    outside = (effects.low > 0) | (effects.high < 0)
    assert (outside[effects.p_value < 0.049]).all()
    assert not outside[effects.p_value > 0.06].any()


def test_scores_that_never_differ() -> None:
    effects = name_effects(np.full((5, 4), 0.1))
    for numbers in (effects.value, effects.low, effects.high, effects.standardised):
        assert (numbers == 0).all()
    assert (effects.p_value == 1).all()


def test_the_same_difference_in_every_sentence() -> None:
    perturbed = np.full((12, 20), 0.25)
    perturbed[:, 3] = 0.5
    effects = name_effects(perturbed)
    assert [effects.value[3], effects.low[3], effects.high[3]] == pytest.approx([0.25, 0.25, 0.25])
    assert sure(perturbed) == [3]


def test_few_sentences_make_two_names_no_finding() -> None:
    assert sure(np.array([[0.2, 0.9]] * 3)) == []
    assert sure(np.array([[0.2, 0.9]] * 12)) == [0, 1]


def test_one_sentence_has_no_p_value() -> None:
    effects = name_effects([[0.25, 0.25, 0.5]])
    assert effects.value.tolist() == [0, 0, 0.25]
    assert np.isnan([effects.low, effects.high, effects.p_value]).all()


def test_many_sentences_are_dealt_in_blocks_to_the_same_end() -> None:
    perturbed = RANDOM.normal(0, 0.1, (1500, 12))
    perturbed[:, 0] += 0.02
    assert sure(perturbed) == [0]
    assert name_effects(perturbed).p_value[1:] == pytest.approx(name_effects(perturbed, seed=1).p_value[1:], abs=0.05)


def test_order_of_names_and_a_constant_do_not_matter() -> None:
    perturbed = RANDOM.normal(0.5, 0.1, (30, 9))
    effects, turned = name_effects(perturbed), name_effects(perturbed[:, ::-1] + 3)
    assert turned.value[::-1] == pytest.approx(effects.value)
    assert turned.p_value[::-1] == pytest.approx(effects.p_value, abs=0.03)


def test_one_name_is_refused() -> None:
    with pytest.raises(CubeError, match="at least two names"):
        name_effects([[0.5], [0.25]])


def test_what_is_sure_at_first_is_judged_again_without_the_names_that_moved() -> None:
    # The three that moved make the dealt names look noisy; judged against all of them, nine others would be sure too.
    random = np.random.default_rng(8)
    perturbed = random.normal(0, 0.005, (60, 20)) + 0.5 * (random.random((60, 20)) < 0.02)
    perturbed[:, :3] += 0.1
    assert sure(perturbed) == [0, 1, 2]


def test_an_effect_is_the_distance_from_the_median_name() -> None:
    random = np.random.default_rng(0)
    perturbed = random.normal(0, 0.1, (30, 7))
    perturbed[:, :2] += 5  # two names that would carry a mean along
    means = perturbed.mean(axis=0)
    effects = name_effects(perturbed)
    assert effects.value == pytest.approx(means - np.median(means))
    assert (
        (effects.value[2:] < 1).all() and (effects.low <= effects.value).all() and (effects.value <= effects.high).all()
    )
