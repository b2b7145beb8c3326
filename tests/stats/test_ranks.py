from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.stats import binomtest, wilcoxon

from psa_core.errors import CubeError
from psa_core.stats import second_opinion_p, sign_test_p, signed_rank_p

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
