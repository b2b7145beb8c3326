"""Growth of effects since an earlier result: by hand, at the edge, and how often it is wrong."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.stats import binomtest, t, ttest_1samp, wilcoxon
from statsmodels.stats.weightstats import DescrStatsW

from psa_core import stats
from psa_core.errors import CubeError, OptionError
from psa_core.stats import equivalence_p, equivalence_sentences, second_opinion_p, sign_test_p, signed_rank_p
from psa_core.stats.name_tests import WEIGHTS

RANDOM = np.random.default_rng(0)


def test_is_never_surer_than_two_one_sided_t_tests() -> None:
    differences = RANDOM.normal(0, 0.05, (2000, 6)) + np.array([0, 0.002, 0.008, 0.01, 0.012, 0.05])
    expected = np.array([DescrStatsW(column).ttost_mean(-0.01, 0.01)[0] for column in differences.T])
    p_values = equivalence_p(differences, 0.01)
    assert (p_values >= expected - 1e-12).all()
    assert (p_values[:2] < 0.05).all()
    assert p_values[3:] == pytest.approx(np.maximum(expected[3:], p_values[3:]))


@pytest.mark.parametrize("sentences", [12, 30, 100, 300])
def test_rare_jumps_of_twice_the_margin_are_seldom_called_equivalent(sentences: int) -> None:
    jumps = (RANDOM.random((sentences, 2000)) < 0.02) * 1.0
    assert (equivalence_p(jumps, 0.01) < 0.05).mean() <= 0.05


def test_unseen_jumps_by_hand() -> None:
    # half of the capital is staked on the unseen jump: 1 / (1 - 0.02) a sentence
    assert equivalence_p(np.zeros(400), 0.02) == pytest.approx(0.98**400 / 0.5, rel=0.01)
    needed = int(equivalence_sentences(0.02, 1.0))
    assert equivalence_p(np.zeros(needed), 0.02) < 0.05 < equivalence_p(np.zeros(needed - 5), 0.02)


def test_a_margin_that_no_difference_can_reach() -> None:
    assert equivalence_p([[0.1], [-0.1]], 2.0, score_range=1.0) < 0.1
    assert equivalence_sentences(2.0, 1.0) == 2


def test_what_cannot_be_shown_is_missing() -> None:
    assert np.isnan(equivalence_p([[0.0]], 0.1)).all()
    assert np.isnan(equivalence_p(np.zeros((50, 2)), 0.1, score_range=np.inf)).all()
    assert equivalence_sentences(0.1, np.inf) == np.inf


def test_bad_margins_and_extents_are_refused() -> None:
    with pytest.raises(OptionError, match="margin"):
        equivalence_p([0.1, 0.2], 0.0)
    with pytest.raises(OptionError, match="score range"):
        equivalence_p([0.1, 0.2], 0.1, score_range=0.0)


@pytest.mark.parametrize("mean", [-0.08, -0.02, 0.0, 0.05, 0.09])
def test_without_unseen_moves_it_is_the_larger_of_two_one_sided_tests(mean: float) -> None:
    differences = mean + np.array([-0.03, -0.01, 0.0, 0.015, 0.025])
    margin = 0.2  # no difference reaches it, so nothing unseen can
    expected = DescrStatsW(differences).ttost_mean(-margin, margin)[0]
    assert equivalence_p(differences, margin, score_range=margin) == pytest.approx(expected)
    error = 0.04
    both = t.sf((differences.mean() + margin) / error, 4), t.cdf((differences.mean() - margin) / error, 4)
    found = equivalence_p(differences[:, None], margin, score_range=margin, error=np.array([error]))
    assert found == pytest.approx([max(both)])


def test_moves_that_were_not_seen_may_lie_on_either_side() -> None:
    steady = np.full((400, 1), 0.015)
    toward, away = equivalence_p(steady, 0.02), equivalence_p(-steady, 0.02)
    assert toward == pytest.approx(away)
    assert toward > 10 * equivalence_p(0 * steady, 0.02)


def test_a_mean_at_the_margin_is_shown_nothing_about() -> None:
    assert sum(WEIGHTS) == pytest.approx(1)  # a fair bet: its capital is 1 on average
    assert equivalence_p(np.full((60, 1), 0.02), 0.02) == pytest.approx(1)
    assert equivalence_sentences(0.02, 1.0) == int(np.ceil(np.log(1 / 0.05 / WEIGHTS[0]) / -np.log(0.98)))


def drawn(seed: int, sentences: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.1, 0.3, sentences)


def test_against_no_earlier_effect_it_is_the_t_test_beyond_the_limit() -> None:
    now = drawn(0)
    one_side, other_side = (ttest_1samp(now, limit, alternative="greater").pvalue for limit in (0.02, -0.02))
    expected = one_side + other_side
    assert stats.increase_p(now, np.zeros(60), 0.02) == pytest.approx(expected)


def test_the_sign_does_not_matter() -> None:
    now, before = drawn(1), drawn(2) / 4
    expected = stats.increase_p(now, before, 0.01)
    for first, second in ((-1, 1), (1, -1), (-1, -1)):
        assert stats.increase_p(first * now, second * before, 0.01) == pytest.approx(expected, abs=0.2)
    assert stats.increase_p(-now, -before, 0.01) == pytest.approx(expected)


def test_an_effect_that_turned_around_has_not_grown() -> None:
    assert stats.increase_p(-np.full(40, 0.3), np.full(40, 0.3), 0.0) > 0.9


def test_what_was_there_before_and_what_shrank_is_no_growth() -> None:
    strong, weak = np.full(40, 0.5), np.full(40, 0.1)
    assert stats.increase_p(strong, strong, 0.0) == stats.increase_p(weak, strong, 0.0) == 1
    assert stats.increase_p(strong, weak, 0.3) == 0 and stats.increase_p(strong, weak, 0.5) == 1


def test_few_sentences_are_never_sure() -> None:
    grown = np.full((5, 2), 0.5)
    assert stats.increase_p(grown, 0 * grown, 0.1).tolist() == [2**-4] * 2
    assert np.isnan(stats.increase_p(grown[:1], 0 * grown[:1], 0.1)).all()


@pytest.mark.parametrize("limit", [-0.1, float("nan")])
def test_a_limit_is_not_negative(limit: float) -> None:
    with pytest.raises(OptionError, match="limit"):
        stats.increase_p([0.1, 0.2], [0.0, 0.0], limit)


@pytest.mark.parametrize("kind", ["noise", "rare jumps", "skewed", "one class"])
@pytest.mark.parametrize("limit", [0.0, 0.02])
def test_it_does_not_cry_wolf(kind: str, limit: float) -> None:
    """Of 300 gates over 20 names that nothing was planted in, at most 5 % fail (here with room for chance)."""
    random, shape, failed = np.random.default_rng(3), (40, 20), 0
    for _ in range(300):
        now, before = (
            {
                "noise": lambda: random.normal(0.1, 0.2, shape),
                "rare jumps": lambda: (random.random(shape) < 0.03) * 1.0,
                "skewed": lambda: random.exponential(0.1, shape),
                "one class": lambda: random.integers(0, 2, shape) * 1.0,
            }[kind]()
            for _ in range(2)
        )
        failed += bool((stats.increase_p(now, before, limit) < 0.05).any())
    assert failed <= 25


def test_it_sees_what_was_planted() -> None:
    random = np.random.default_rng(4)
    noise = random.normal(0, 0.1, (2, 40, 20))
    noise[0, :, 7] += 0.2
    found = stats.increase_p(*noise, 0.05) < 0.05
    assert np.flatnonzero(found).tolist() == [7]


DIFFERENCES = np.random.default_rng(0).normal(0.1, 1, (20, 8))


def test_signed_rank_test_of_all_names_equals_scipys_one_by_one() -> None:
    with_zeros = np.where(np.abs(DIFFERENCES) < 0.2, 0.0, DIFFERENCES)
    for differences in (DIFFERENCES, with_zeros, np.tile(with_zeros, (3, 1))):
        expected = [wilcoxon(column[column != 0]).pvalue for column in differences.T]
        assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-6)


def test_signed_rank_test_of_few_tied_sentences_is_scipys_and_takes_no_time() -> None:
    differences = np.random.default_rng(3).integers(-4, 6, (13, 200)) / 20
    began = time.perf_counter()
    p_values = signed_rank_p(differences)
    assert time.perf_counter() - began < 10  # 200 names by scipy's own permutations: minutes
    assert np.nanmax(p_values) <= 1
    for sentences in (7, 3):
        columns = differences[:sentences, :20]
        expected = [wilcoxon(column[column != 0]).pvalue if column.any() else 1.0 for column in columns.T]
        assert signed_rank_p(columns) == pytest.approx(expected, nan_ok=True)


def test_ties_of_one_name_do_not_change_the_test_of_another() -> None:
    tied = DIFFERENCES.copy()
    tied[:2, 0] = 0.5
    assert signed_rank_p(tied)[1:] == pytest.approx(signed_rank_p(DIFFERENCES)[1:], rel=1e-12)


def test_signed_rank_test_by_hand() -> None:
    # three positive ranks: 2 of the 8 sign patterns are as extreme
    assert signed_rank_p([0.1, 0.2, 0.3]) == pytest.approx(0.25)


@pytest.mark.parametrize("sentences", [1, 2, 5, 60])
def test_signed_rank_test_without_any_difference(sentences: int) -> None:
    differences = np.zeros((sentences, 3))
    differences[0, 1] = 0.5
    assert signed_rank_p(differences)[[0, 2]].tolist() == [1.0, 1.0]
    assert 0 < signed_rank_p(differences)[1] <= 1


def test_signed_rank_test_is_refused_where_differences_are_not_symmetric() -> None:
    jumps = np.where(np.arange(400) % 20 == 0, 1.0, -0.05)[:, None] + np.linspace(0, 0.01, 400)[:, None]
    assert np.isnan(signed_rank_p(jumps)).all()


def test_sign_test_equals_scipys_one_by_one() -> None:
    differences = np.where(np.abs(DIFFERENCES) < 0.2, 0.0, DIFFERENCES)
    for column, p_value in zip(differences.T, sign_test_p(differences), strict=True):
        moved = column[column != 0]
        assert p_value == pytest.approx(binomtest(int((moved > 0).sum()), len(moved)).pvalue)


def test_no_far_value_sways_the_second_opinion() -> None:
    perturbed = np.random.default_rng(1).normal(0.4, 0.05, (60, 10))
    perturbed[:, 0] += 0.1
    far = perturbed.copy()
    far[3, 1] = 1e6
    for baseline in ("original", "names"):
        p_values, again = (second_opinion_p(np.full(60, 0.4), table, baseline=baseline) for table in (perturbed, far))
        assert p_values[0] < 0.001
        assert again == pytest.approx(p_values, abs=0.2)


def test_nothing_to_test_is_refused() -> None:
    for test in (signed_rank_p, sign_test_p):
        with pytest.raises(CubeError):
            test([])


def test_signed_ranks_are_refused_where_the_mean_is_visibly_not_the_median() -> None:
    """Of exponential quantiles the two are 0.31 apart: 2.2 standard errors of the mean with 50 of them, 3 with 95."""
    few, many = (-np.log1p(-(np.arange(n) + 0.5) / n) for n in (50, 95))
    assert np.isfinite(signed_rank_p(few)) and np.isnan(signed_rank_p(many))


def test_what_sentences_may_not_have_shown_is_bet_on_with_six_stakes() -> None:
    """The larger p-value where no difference is seen: 1 over the capital of the bets, each with its weight, by hand."""
    differences = np.full((40, 1), 0.01)
    capital = {}
    for side in (0.05 - 0.01, 0.05 + 0.01):
        bets = zip((0.5, 0.1, 0.1, 0.1, 0.1, 0.1), (1.0, 0.5, 0.25, 0.12, 0.06, 0.03), strict=True)
        capital[side] = sum(weight * (1 + stake * side / 0.95) ** 40 for weight, stake in bets)
    assert equivalence_p(differences, 0.05)[0] == pytest.approx(1 / min(capital.values()))
