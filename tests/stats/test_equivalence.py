from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.stats.weightstats import DescrStatsW

from psa_core.errors import OptionError
from psa_core.stats import equivalence_p, equivalence_sentences
from psa_core.stats.equivalence import WEIGHTS

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
    with pytest.raises(OptionError, match="extent"):
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
