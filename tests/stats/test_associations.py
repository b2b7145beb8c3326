"""Least squares over names: against formulas done by hand, brute force over orders, and planted causes."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import norm, t
from statsmodels.api import OLS, add_constant
from statsmodels.stats.multitest import multipletests

from psa_core.errors import CubeError, OptionError
from psa_core.stats import associations
from psa_core.stats.associations import explain, shares_of_variance, word_odds


def names(count: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three columns, of which the first two go together, and an outcome made of the first alone."""
    random = np.random.default_rng(seed)
    first = random.normal(size=count)
    columns = np.column_stack([first, 0.8 * first + 0.6 * random.normal(size=count), random.normal(size=count)])
    return 2 * first + 0.3 * random.normal(size=count), columns


def brute_force(outcome: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Feldman's shares as the mean over all orders of the columns, weighed as he weighs them."""

    def reached(chosen: tuple[int, ...]) -> float:
        return float(OLS(outcome, add_constant(columns[:, list(chosen)])).fit().rsquared) if chosen else 0.0

    count = columns.shape[1]
    total = reached(tuple(range(count)))
    shares, weights = np.zeros(count), 0.0
    for order in permutations(range(count)):
        steps = [reached(order[:size]) for size in range(count + 1)]
        weight = np.prod([1 / (total - step) for step in steps[1:-1]])
        shares[list(order)] += weight * np.diff(steps)
        weights += weight
    return shares / weights


def test_shares_are_those_of_all_orders() -> None:
    outcome, columns = names()
    outcome = outcome + columns[:, 2]
    outcome -= outcome.mean()
    centred = columns - columns.mean(axis=0)
    shares = shares_of_variance(outcome, [centred[:, [column]] for column in range(3)])
    assert shares == pytest.approx(brute_force(outcome, columns))
    assert shares.sum() == pytest.approx(OLS(outcome, add_constant(columns)).fit().rsquared)


def test_what_only_resembles_the_cause_gets_little() -> None:
    outcome, columns = names()
    found = explain(outcome, columns, ["length", "frequency", "other"])
    assert found.shares["length"] > 0.95 * found.r_squared
    assert found.low[0] > 0 and found.low[1] < 0 < found.high[1] and found.low[2] < 0 < found.high[2]


def test_coefficients_are_least_squares_with_hc3() -> None:
    outcome, columns = names()
    found = explain(outcome, columns, ["a", "b", "c"])
    scaled = (columns - columns.mean(axis=0)) / columns.std(axis=0, ddof=1)
    fitted = OLS((outcome - outcome.mean()) / outcome.std(ddof=1), add_constant(scaled)).fit()
    assert found.coefficient == pytest.approx(fitted.params[1:])
    design = add_constant(scaled)
    bread = np.linalg.inv(design.T @ design)
    left = fitted.resid / (1 - np.einsum("ij,jk,ik->i", design, bread, design))
    error = np.sqrt(np.diag(bread @ (design.T * left**2) @ design @ bread))[1:]
    assert (found.high - found.low) / 2 == pytest.approx(2.00324 * error, rel=1e-4)  # t with 56 degrees
    assert found.residual == pytest.approx(fitted.resid * outcome.std(ddof=1))


def test_columns_of_one_factor_share_one_share() -> None:
    outcome, columns = names()
    found = explain(outcome, columns, ["length", "length", "other"])
    assert set(found.shares) == {"length", "other"}
    assert sum(found.shares.values()) == pytest.approx(found.r_squared)


def test_a_name_far_from_what_the_others_say_stays_unexplained() -> None:
    outcome, columns = names()
    outcome[7] += 5
    found = explain(outcome, columns, ["a", "b", "c"])
    assert np.flatnonzero(found.unexplained < 0.05).tolist() == [7]


def test_two_values_count_as_in_or_not_in() -> None:
    inside = np.arange(20) % 4 == 0
    outcome = np.where(inside, 1.0, 0.0) + np.random.default_rng(0).normal(0, 0.1, 20)
    found = explain(outcome, inside[:, None], ["gender"])
    difference = outcome[inside].mean() - outcome[~inside].mean()
    assert found.coefficient[0] * found.spread == pytest.approx(difference)


def test_columns_that_repeat_others_or_stand_for_one_name_have_no_coefficient() -> None:
    outcome, columns = names()
    alone = np.zeros(60)
    alone[3] = 1
    same = np.ones(60)
    found = explain(outcome, np.column_stack([columns, columns[:, 0], alone, same]), list("abcdef"))
    assert np.isnan(found.coefficient[3:]).all() and np.isfinite(found.coefficient[:3]).all()
    assert found.shares["d"] == 0


def test_an_outcome_that_is_told_exactly_leaves_nothing() -> None:
    found = explain(np.arange(9.0), np.arange(9.0)[:, None], ["length"])
    assert found.r_squared == pytest.approx(1)
    assert found.low == pytest.approx(found.high)
    assert (found.unexplained == 1).all()


@pytest.mark.parametrize(
    ("outcome", "columns", "factors", "error"),
    [
        (np.ones(9), np.arange(9.0)[:, None], ["a"], CubeError),
        (np.arange(4.0), np.eye(4)[:, :2], ["a", "b"], CubeError),
        (np.arange(9.0), np.full((9, 1), np.nan), ["a"], CubeError),
        (np.arange(9.0), np.empty((9, 0)), [], OptionError),
        (np.arange(40.0), np.random.default_rng(0).normal(size=(40, 13)), list("abcdefghijklm"), OptionError),
    ],
)
def test_what_cannot_be_regressed_is_told(
    outcome: np.ndarray, columns: np.ndarray, factors: list[str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        explain(outcome, columns, factors)


def test_a_small_factor_is_found_beside_a_large_one() -> None:
    random = np.random.default_rng(3)
    large, small = random.normal(size=(2, 60))
    outcome = 10 * large + 0.5 * small + 0.5 * random.normal(size=60)
    assert explain(outcome, np.column_stack([large, small]), ["large", "small"]).p_value[1] < 0.005


def test_log_odds_are_those_of_the_paper() -> None:
    sentences = [frozenset("ab"), frozenset("a"), frozenset("b"), frozenset("c")]
    found = word_odds(sentences, [True, True, False, False], fewest=1)
    # Counts of a, b, c: marked 2, 1, 0; others 0, 1, 1; the prior adds a tenth of 2, 2, 1.
    marked, others = np.array([2.2, 1.2, 0.1]), np.array([0.2, 1.2, 1.1])
    expected = np.log(marked / (3.5 - marked)) - np.log(others / (2.5 - others))
    assert found.words == ("a", "b", "c")
    assert found.log_odds == pytest.approx(expected)
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * np.sqrt(1 / marked + 1 / others))
    assert found.sentences.tolist() == [2, 2, 1]
    p_values = 2 * norm.sf(np.abs(expected) / np.sqrt(1 / marked + 1 / others))
    assert found.p_adjusted == pytest.approx(multipletests(p_values, method="holm")[1])


def test_planted_words_are_found_and_chance_is_not() -> None:
    random = np.random.default_rng(0)
    marked = random.random(400) < 0.5
    vocabulary = [f"w{i}" for i in range(60)]
    sentences = [
        frozenset([*random.choice(vocabulary, 6), *(["stupid"] if random.random() < (0.4 if mark else 0.1) else [])])
        for mark in marked
    ]
    found = word_odds(sentences, marked)
    assert [word for word, p in zip(found.words, found.p_adjusted, strict=True) if p < 0.05] == ["stupid"]
    assert found.words[0] == "stupid" and found.low[0] > 0


def test_without_two_halves_there_are_no_words() -> None:
    sentences = [frozenset("ab")] * 9
    assert word_odds(sentences, [True] * 9).words == ()
    assert word_odds(sentences, [False] * 9).words == ()
    assert word_odds([frozenset()] * 4, [True, False] * 2).words == ()
    with pytest.raises(CubeError, match="marked"):
        word_odds(sentences, [True])


def test_one_word_alone_has_no_odds() -> None:
    assert word_odds([frozenset({"no"})] * 12, [True] * 6 + [False] * 6).words == ()


def test_what_a_name_leaves_over_is_judged_by_the_fit_of_the_others() -> None:
    random = np.random.default_rng(8)
    columns = random.normal(size=(20, 2))
    outcome = columns @ [1.0, -0.5] + random.normal(0, 1, 20) + 6.0 * (np.arange(20) == 4)
    found = explain(outcome, columns, ["a", "b"])
    fitted = OLS(outcome, add_constant(columns)).fit()
    p_values = 2 * t.sf(np.abs(fitted.get_influence().resid_studentized_external), fitted.df_resid - 1)
    assert found.unexplained == pytest.approx(multipletests(p_values, method="holm")[1])
    assert found.unexplained.argmin() == 4 and 0 < found.unexplained[4] < 1


def test_a_column_of_three_values_counts_in_its_own_standard_deviations() -> None:
    random = np.random.default_rng(3)
    three = np.tile([0.0, 1.0, 5.0], 10)
    outcome = three + random.normal(0, 1, 30)
    found = explain(outcome, three[:, None], ["a"])
    fitted = OLS(outcome, add_constant(three)).fit()
    assert found.coefficient[0] == pytest.approx(fitted.params[1] * three.std(ddof=1) / outcome.std(ddof=1))
    assert (found.r_squared, found.adjusted) == pytest.approx((fitted.rsquared, fitted.rsquared_adj))


def test_a_column_is_no_surer_than_by_hc3s_t_test() -> None:
    random = np.random.default_rng(11)
    columns = random.normal(size=(25, 3))
    outcome = columns[:, 0] + random.normal(0, 1 + np.abs(columns[:, 1]), 25)
    found = explain(outcome, columns, ["a", "b", "c"])
    by_t = OLS(outcome, add_constant(columns)).fit(cov_type="HC3", use_t=True).pvalues[1:]
    assert (found.p_value >= by_t - 1e-12).all() and (found.p_value != by_t).any()


def test_permuted_residuals_are_about_as_sure_as_the_t_test_where_errors_are_normal() -> None:
    random = np.random.default_rng(4)
    columns = random.normal(size=(60, 2))
    outcome = 0.15 * columns[:, 0] + random.normal(0, 1, 60)
    design = add_constant(columns)
    by_t = OLS(outcome, design).fit(cov_type="HC3", use_t=True).pvalues[1:]
    assert associations._permutation_p(outcome, design) == pytest.approx(by_t, abs=0.06) and by_t.min() > 0.1


def test_without_words_in_enough_sentences_every_column_is_empty() -> None:
    assert [len(column) for column in word_odds([frozenset({"a"}), frozenset({"b"})], [True, False])] == [0] * 6


@pytest.mark.parametrize("digits", [8, 0])
def test_permuted_residuals_by_hand(digits: int) -> None:
    """HC3's t of each column by statsmodels, once for each permutation of what the other columns leave over."""
    random = np.random.default_rng(4)
    columns = random.normal(size=(14, 2)).round(digits)
    outcome = (columns[:, 0] + random.normal(0, 1, 14)).round(digits)
    design, draws = add_constant(columns), np.random.default_rng(0)
    expected = []
    for column in (1, 2):
        fit = OLS(outcome, np.delete(design, column, axis=1)).fit()
        permuted = draws.permuted(np.tile(fit.resid, (60, 1)), axis=1)
        observed, *drawn = (
            abs(float(OLS(one, design).fit(cov_type="HC3").tvalues[column]))
            for one in [outcome, *(fit.fittedvalues + residual for residual in permuted)]
        )
        expected.append((1 + np.count_nonzero(np.array(drawn) >= observed * (1 - 1e-8))) / 61)
    assert associations._permutation_p(outcome, design, 60) == pytest.approx(expected)
    assert 1 / 61 <= min(expected) < max(expected) < 1


def test_where_one_factor_says_all_the_others_say_nothing() -> None:
    outcome = np.arange(12.0)
    found = explain(outcome, np.column_stack([outcome, np.random.default_rng(0).normal(size=12)]), ["a", "b"])
    assert found.p_value.tolist() == [0, 1] and found.shares["b"] == pytest.approx(0, abs=1e-9)


def test_a_factor_too_many_is_refused_and_twelve_are_not() -> None:
    random = np.random.default_rng(0)
    outcome, blocks = random.normal(size=60), [random.normal(size=(60, 1)) for _ in range(12)]
    outcome -= outcome.mean()
    assert shares_of_variance(outcome, blocks).sum() == pytest.approx(associations._r_squared(outcome, blocks))


def test_three_names_more_than_columns_are_enough() -> None:
    random = np.random.default_rng(0)
    for names_, is_enough in ((5, True), (4, False)):
        outcome, columns = random.normal(size=names_), random.normal(size=(names_, 2))
        if is_enough:
            found, fitted = explain(outcome, columns, ["a", "b"]), OLS(outcome, add_constant(columns)).fit()
            assert (found.r_squared, found.adjusted) == pytest.approx((fitted.rsquared, fitted.rsquared_adj))
        else:
            with pytest.raises(CubeError, match="at least 5, better 20"):
                explain(outcome, columns, ["a", "b"])
