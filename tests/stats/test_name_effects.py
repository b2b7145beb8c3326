"""Names against the typical name: what must be found, and what must not, with scores that are not normal."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.stats import t as t_of
from scipy.stats import ttest_1samp

from psa_core.errors import CubeError, OptionError
from psa_core.stats import CORRECTIONS, adjust, name_effects, original_p, paired_t_p
from psa_core.stats.name_effects import BLOCKS, block_sums, permutations_for, permuted_sums, two_sided_share

#: The package has a function of the same name.
module = import_module("psa_core.stats.name_effects")

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


def test_dealing_keeps_what_each_row_holds() -> None:
    table = RANDOM.random((6, 5))
    parts = list(permuted_sums((table, table**2), 40, np.random.default_rng(0)))
    sums, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert sums.shape == squares.shape == (40, 5)
    assert np.allclose(sums.sum(axis=1), table.sum())
    assert np.allclose(squares.sum(axis=1), (table**2).sum())
    assert len(np.unique(sums.round(9), axis=0)) > 30


def test_both_tables_are_dealt_the_same_way() -> None:
    table = RANDOM.random((4, 7))
    for first, second in permuted_sums((table, 3 * table), 20, np.random.default_rng(0)):
        assert np.allclose(3 * first, second)


def test_each_cell_comes_to_each_name_equally_often() -> None:
    table = np.zeros((1, 4))
    table[0, 0] = 1
    parts = permuted_sums((table, table), 4000, np.random.default_rng(1))
    assert np.allclose(np.concatenate([first for first, _ in parts]).mean(axis=0), 0.25, atol=0.03)


def test_blocks_hold_every_sentence_once() -> None:
    values = RANDOM.random((1000, 3))
    blocks = block_sums(values, np.random.default_rng(0))
    assert blocks.shape == (BLOCKS, 3)
    assert np.allclose(blocks.sum(axis=0), values.sum(axis=0))
    assert block_sums(values[:50], np.random.default_rng(0)) is not None
    assert len(block_sums(values[:50], np.random.default_rng(0))) == 50


def test_sides_are_judged_apart() -> None:
    drawn = np.sort(np.array([-9.0, -8.0, -7.0, *np.linspace(-1, 1, 96)]))
    assert two_sided_share(np.array([2.0, -2.0, 0.0]), drawn).round(2).tolist() == [0.02, 0.08, 0.98]


def test_draws_give_p_values_as_small_as_a_list_needs() -> None:
    for names in (2, 20, 100, 500, 2000):
        assert 2 / (permutations_for(names) * names) * names < 0.05


STUDIES = 40


def skewed(sentences: int, names: int) -> np.ndarray:
    """Moves of which the mean over all sentences is 0: many small ones down, few large ones up."""
    return 0.02 * (RANDOM.lognormal(0, 1, (sentences, names)) - np.exp(0.5))


@pytest.mark.parametrize("sentences", [12, 100])
def test_skewed_moves_without_an_effect_make_no_name_sure(sentences: int) -> None:
    studies = [skewed(sentences, 30) for _ in range(STUDIES)]
    by_t = np.mean([(adjust(paired_t_p(moves)) < 0.05).any() for moves in studies])
    shown = np.mean([(original_p(moves) < 0.05).any() for moves in studies])
    assert by_t > 0.2
    assert shown < 0.05 + 2 * (0.05 * 0.95 / STUDIES) ** 0.5


def test_planted_names_are_found_as_by_the_t_test() -> None:
    planted = np.arange(30) < 3
    draws = {
        "normal": lambda: RANDOM.normal(0, 0.05, (40, 30)) + 0.06 * planted,
        "rare jumps": lambda: 0.5 * (RANDOM.random((40, 30)) < 0.02) + 0.1 * planted,
        "ties": lambda: np.where(planted, 0.1, 0.0) + 0.1 * RANDOM.choice([-1, 0, 0, 0, 1], (40, 30)),
        "skewed against it": lambda: skewed(40, 30) - 0.1 * planted,
    }
    for label, draw in draws.items():
        studies = [draw() for _ in range(12)]
        by_t = np.mean([(adjust(paired_t_p(moves)) < 0.05)[planted].mean() for moves in studies])
        shown = np.mean([(original_p(moves) < 0.05)[planted].mean() for moves in studies])
        assert shown > by_t - 0.02, label


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_p_values_are_those_of_the_t_test_where_nothing_speaks_against_it(correction: str) -> None:
    moves = RANDOM.normal(0, 0.05, (50, 20))
    moves[:, 3] += 0.1
    assert original_p(moves, correction).tolist() == adjust(paired_t_p(moves), correction).tolist()
    doubted = skewed(12, 30)
    assert (original_p(doubted, correction) >= adjust(paired_t_p(doubted), correction)).all()


def test_names_that_all_move_alike_stay_sure() -> None:
    assert (original_p(0.1 + RANDOM.normal(0, 0.02, (40, 1)) + RANDOM.normal(0, 0.01, (40, 20))) < 0.05).all()
    assert original_p(np.full((12, 5), 0.1)).tolist() == [0.0] * 5
    assert original_p(np.zeros((12, 5))).tolist() == [1.0] * 5


def test_one_name_and_one_sentence_have_nobody_to_ask() -> None:
    alone = RANDOM.normal(0.1, 0.05, (30, 1))
    assert original_p(alone).tolist() == paired_t_p(alone).tolist()
    assert np.isnan(original_p([[0.1, 0.2]])).all()


def test_the_order_of_the_names_hardly_matters() -> None:
    moves = skewed(12, 30) - 0.03 * (np.arange(30) < 2)
    assert original_p(moves)[::-1] == pytest.approx(original_p(moves[:, ::-1]), abs=0.05)


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(OptionError, match="correction"):
        original_p([[0.1, 0.2], [0.2, 0.1]], "sidak")


def test_a_small_spread_is_a_spread() -> None:
    values = np.random.default_rng(4).normal(size=(30, 8))
    assert name_effects(0.5 + 1e-7 * values).p_value == pytest.approx(name_effects(values).p_value, abs=1e-6)


def test_with_missing_scores_too_the_typical_name_is_the_median() -> None:
    perturbed = np.zeros((20, 9))
    perturbed[:, :2] = 1.0
    perturbed[3, 4] = np.nan
    others = np.delete(name_effects(perturbed).value, 4)  # whose mean is over other sentences
    assert others.tolist() == pytest.approx([1.0, 1.0, *[0.0] * 6])


def test_a_names_standardised_effect_is_over_the_sentences_that_it_has() -> None:
    scores = np.random.default_rng(4).normal(size=(40, 6))
    scores[:25, 2] = np.nan
    differences = scores - np.nanmean(scores, axis=1, keepdims=True)
    means = np.nanmean(differences, axis=0)
    expected = (means - np.median(means)) / np.nanstd(differences, axis=0, ddof=1)
    assert name_effects(scores).standardised.tolist() == pytest.approx(expected.tolist())


def tables_of(perturbed: np.ndarray) -> list[np.ndarray]:
    """Some tables with the names of each sentence in other orders."""
    return [np.random.default_rng(seed).permuted(perturbed, axis=1) for seed in range(7)]


def test_what_other_names_show_by_chance_is_counted_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A permuted name speaks against one whose t, on its side, it reaches with a mean three quarters as far from 0."""
    values = np.random.default_rng(2).normal(0, 0.02, (40, 6)) + 0.2 * (np.random.default_rng(3).random((40, 6)) < 0.1)
    values[:, 0] += 0.02
    means = values.mean(axis=0)
    without = values - means.mean()
    monkeypatch.setattr(
        module,
        "permuted_sums",
        lambda *_: ((t.sum(axis=0)[None], (t**2).sum(axis=0)[None]) for t in tables_of(without)),
    )
    drawn = np.concatenate(tables_of(without), axis=1)
    statistics, drawn_means = ttest_1samp(drawn, 0).statistic, drawn.mean(axis=0)
    expected = []
    for own, mean in zip(ttest_1samp(values, 0).statistic, means, strict=True):
        side = np.sign(own)
        is_further = (side * statistics >= abs(own)) & (side * drawn_means >= 0.75 * abs(mean))
        expected.append(min(1.0, 2 * (1 + is_further.sum()) / (1 + len(statistics))))
    found = module._permuted_share(values, without, np.random.default_rng(0))
    assert found == pytest.approx(expected) and len(set(expected)) > 2


def test_a_name_is_judged_by_its_own_error_and_that_of_the_typical_name(monkeypatch: pytest.MonkeyPatch) -> None:
    perturbed = np.random.default_rng(5).normal(0, 0.1, (30, 7)) + np.array([0.1, 0.05, 0, 0, 0, -0.02, 0])
    centred = perturbed - perturbed.mean(axis=1, keepdims=True)
    monkeypatch.setattr(
        module,
        "permuted_sums",
        lambda *_: ((t.sum(axis=0)[None], (t**2).sum(axis=0)[None]) for t in tables_of(centred)),
    )

    def judged(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = table.mean(axis=0) - np.median(table.mean(axis=0))
        variance = table.var(axis=0, ddof=1) / 30
        # Of a median: π/2 of a mean's variance, which is no more than the names' spread (1.4826 MAD) allows.
        of_middle = min(np.median(variance), (1.4826 * np.median(np.abs(value))) ** 2) * np.pi / 2 / 7
        return value, np.sqrt(variance + of_middle)

    value, error, spread, p_value, _ = module._tested(perturbed, np.arange(7), np.random.default_rng(0))
    own_value, own_error = judged(centred)
    assert value == pytest.approx(own_value) and error == pytest.approx(own_error)
    assert spread == pytest.approx(centred.std(axis=0, ddof=1))
    drawn = np.concatenate([np.divide(*judged(table)) for table in tables_of(centred)])
    for name, statistic in enumerate(own_value / own_error):
        tail = 1 + min((drawn >= statistic).sum(), (drawn <= statistic).sum())
        assert p_value[name] == pytest.approx(max(min(1, 2 * tail / (1 + len(drawn))), 2 * t_of.sf(abs(statistic), 29)))


def test_what_differs_in_its_last_bits_does_not_differ() -> None:
    found = name_effects(np.tile([[0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.6 / 2]], (12, 1)))
    assert found.value.tolist() == [0] * 5 and found.p_value.tolist() == [1] * 5
    tiny = 1e-15 * np.random.default_rng(0).normal(size=(20, 4))
    tiny[:, 0] += 1e-14
    assert name_effects(tiny).p_value == pytest.approx(name_effects(1e15 * tiny).p_value)


def test_of_two_names_the_other_can_speak_against_one() -> None:
    """Both move most sentences a little up; one of them has met two large moves down, which the other may meet too."""
    random = np.random.default_rng(20)
    moves = np.stack([0.01 + random.normal(0, 0.01, 40), 0.01 + random.normal(0, 0.01, 40)], axis=1)
    moves[:2, 1] -= 0.2
    assert adjust(paired_t_p(moves), "holm")[0] < 0.001 and original_p(moves)[0] > 0.05
    alone = moves[:, :1]
    assert original_p(alone).tolist() == paired_t_p(alone).tolist()
