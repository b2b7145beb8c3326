from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from psa_core.errors import CubeError, OptionError
from psa_core.stats import CORRECTIONS, adjust, paired_t_p, standardised_effect

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
