from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from psa_core.errors import CubeError, OptionError
from psa_core.stats import (
    CORRECTIONS,
    adjust,
    mean_interval,
    needed_sentences,
    paired_t_p,
    small_sample_warning,
    standardised_effect,
)

RANDOM = np.random.default_rng(7)


def test_t_interval_by_hand() -> None:
    # mean 0.2, deviation 0.1, three sentences: 4.302653 * 0.1 / sqrt(3)
    value, low, high = mean_interval([0.1, 0.2, 0.3])
    assert (value, low, high) == pytest.approx((0.2, 0.2 - 0.248414, 0.2 + 0.248414), abs=1e-6)


def test_t_intervals_of_all_names_equal_scipys_one_by_one() -> None:
    differences = RANDOM.normal(0.1, 1, (40, 6))
    result = mean_interval(differences, confidence=0.9)
    for n in range(6):
        expected = ttest_1samp(differences[:, n], 0).confidence_interval(0.9)
        assert (result.low[n], result.high[n]) == pytest.approx(tuple(expected), abs=1e-12)


def test_no_difference_anywhere_is_an_interval_of_zero() -> None:
    assert [bound.tolist() for bound in mean_interval(np.zeros((5, 2)))] == [[0.0, 0.0]] * 3


def test_one_sentence_has_a_mean_and_no_interval() -> None:
    value, low, high = mean_interval([[0.25, -0.5]])
    assert value.tolist() == [0.25, -0.5]
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_needed_sentences_is_the_first_that_is_narrow_enough() -> None:
    needed = needed_sentences(0.1, 0.02)
    for sentences, narrow in ((needed, True), (needed - 1, False)):
        values = np.resize([-1.0, 1.0], sentences) * 1.0
        values = 0.1 * (values - values.mean()) / values.std(ddof=1)
        assert bool(mean_interval(values).high <= 0.02) is narrow


def test_needed_sentences_for_no_spread_are_two() -> None:
    assert needed_sentences(0.0, 0.1) == 2


@pytest.mark.parametrize(("deviation", "half_width"), [(0.1, 0.0), (0.1, -1.0), (-0.1, 1.0), (float("nan"), 1.0)])
def test_needed_sentences_refuses_what_it_cannot_answer(deviation: float, half_width: float) -> None:
    with pytest.raises(OptionError):
        needed_sentences(deviation, half_width)


def test_warning_for_few_sentences_says_how_many_would_do() -> None:
    assert small_sample_warning(30, 0.1, half_width=0.01) == ""
    assert small_sample_warning(12, 0.1, half_width=0.02) == (
        "Only 12 sentences: for an interval of ±0.02 about 99 would be needed."
    )
    assert small_sample_warning(1, float("nan"), half_width=0.02) == (
        "Only 1 sentence: an interval needs at least 2, and 30 or more to be trusted."
    )
    assert "about 30 would" in small_sample_warning(12, 0.0, half_width=0.02)


def test_empty_and_impossible_requests_are_refused() -> None:
    with pytest.raises(CubeError):
        mean_interval([])
    with pytest.raises(OptionError, match="confidence"):
        mean_interval([0.1, 0.2], confidence=95)


DIFFERENCES = np.random.default_rng(3).normal(0.2, 1, (25, 8))
P_VALUES = np.array([0.2, 0.001, 0.04, 0.0101, 0.8, 0.001, 1.0])


def test_t_test_of_all_names_equals_scipys_one_by_one() -> None:
    expected = [ttest_1samp(column, 0).pvalue for column in DIFFERENCES.T]
    assert paired_t_p(DIFFERENCES) == pytest.approx(expected, rel=1e-10)


def test_t_test_without_spread() -> None:
    assert paired_t_p([[0.0, 0.1, -0.1]] * 10).tolist() == [1.0, 0.0, 0.0]


def test_t_test_of_one_sentence_knows_nothing() -> None:
    assert np.isnan(paired_t_p([[0.0, 0.1]])).all()


@pytest.mark.parametrize("correction", [name for name in CORRECTIONS if name != "none"])
def test_corrections_equal_statsmodels(correction: str) -> None:
    assert adjust(P_VALUES, correction) == pytest.approx(multipletests(P_VALUES, method=correction)[1])


def test_holm_by_hand() -> None:
    # sorted 0.01, 0.02, 0.03 times 3, 2, 1: 0.03, 0.04, and 0.03 raised to 0.04
    assert adjust([0.03, 0.01, 0.02], "holm") == pytest.approx([0.04, 0.03, 0.04])


def test_missing_p_values_stay_missing_and_do_not_count() -> None:
    for correction in CORRECTIONS:
        adjusted = adjust([0.01, np.nan, 0.02], correction)
        assert np.isnan(adjusted[1])
        assert adjusted[[0, 2]].tolist() == adjust([0.01, 0.02], correction).tolist()
        assert np.isnan(adjust([np.nan], correction)).all()


def test_no_correction_changes_nothing() -> None:
    assert adjust(P_VALUES, "none").tolist() == P_VALUES.tolist()


def test_unknown_correction_is_refused() -> None:
    with pytest.raises(OptionError, match="'sidak'"):
        adjust(P_VALUES, "sidak")


def test_effect_size_by_hand() -> None:
    assert standardised_effect([[0.1, -1.0], [0.3, -3.0]]) == pytest.approx([0.2 / 0.02**0.5, -2 / 2**0.5])


def test_effect_size_where_there_is_no_spread() -> None:
    zero, constant = standardised_effect([[0.0, 0.1]] * 4)
    assert zero == 0
    assert np.isnan(constant)
    assert np.isnan(standardised_effect([[0.0]])).all()


def test_nothing_to_test_is_refused() -> None:
    for test in (paired_t_p, standardised_effect):
        with pytest.raises(CubeError):
            test([])
