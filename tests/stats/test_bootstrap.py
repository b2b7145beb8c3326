"""Two means over the same sentences: hand-made differences, agreement of interval and p, false alarms counted."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import CubeError
from psa_core.stats import (
    bootstrap,
    bootstrap_interval,
    mean_interval,
    paired_difference,
    paired_t_p,
    pearson,
    sentence_correlation,
    trend_shape,
)

RANDOM = np.random.default_rng(7)


def test_bootstrap_is_close_to_the_t_interval_for_a_plain_mean() -> None:
    values = RANDOM.normal(0.3, 0.1, 400)
    drawn, exact = bootstrap_interval(values), mean_interval(values)
    assert drawn.value == pytest.approx(values.mean())
    assert (drawn.low, drawn.high) == pytest.approx((exact.low, exact.high), abs=0.002)


def test_bootstrap_repeats_itself_with_the_seed() -> None:
    values = RANDOM.random(50)
    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.1, 0.1, 0.1 + 2e-17], [1.0, 1.0 + 3e-16], [0.0] * 30 + [1.0]])
def test_bootstrap_has_finite_bounds_for_odd_samples(values: list[float]) -> None:
    value, low, high = bootstrap_interval(values)
    assert low <= value <= high


def test_many_sentences_take_the_percentile_interval_and_fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    values = RANDOM.normal(0.3, 0.1, 600)
    accelerated = bootstrap_interval(values)
    monkeypatch.setattr(bootstrap, "BCA_SENTENCES", 400)
    monkeypatch.setattr(bootstrap, "DRAWN_VALUES", 100_000)
    percentile = bootstrap_interval(values)
    assert percentile != accelerated
    assert percentile == pytest.approx(accelerated, abs=0.003)


def test_few_sentences_have_the_paired_t_test() -> None:
    found = paired_difference([0.5, 0.75, 1.0], [0.25, 0.25, 0.25])
    assert found.value == 0.5
    assert found.p == paired_t_p([0.25, 0.5, 0.75])


def test_the_interval_leaves_out_zero_when_p_is_below_5_percent() -> None:
    random = np.random.default_rng(0)
    first, second = random.gamma(0.5, 1, (2, 60, 40))
    found = [paired_difference(one, two, n_resamples=999) for one, two in zip(first, second, strict=True)]
    assert 0 < sum(each.p < 0.05 for each in found) < 30
    for each in found:
        assert (each.low > 0 or each.high < 0) == (each.p < 0.05)


@pytest.mark.parametrize("sentences", [30, 100])
def test_false_alarms_of_skewed_and_rare_differences(sentences: int) -> None:
    random = np.random.default_rng(1)
    skewed = np.stack([random.gamma(0.5, 1, (200, sentences)), random.gamma(0.5, 1, (200, sentences))])
    rare = (random.random((2, 200, sentences)) < 0.1).astype(float)
    for first, second in (skewed, rare):
        alarms = [paired_difference(*pair, n_resamples=400).p < 0.05 for pair in zip(first, second, strict=True)]
        assert np.mean(alarms) < 0.08


def test_equal_differences_have_no_spread() -> None:
    values = np.linspace(0, 1, 20)
    assert paired_difference(values, values) == (0.0, 0.0, 0.0, 1.0)
    assert paired_difference(values + 0.25, values)[1:] == pytest.approx((0.25, 0.25, 0.0))


@pytest.mark.parametrize(("first", "second"), [([1.0], [1.0, 2.0]), ([np.nan], [1.0]), ([[1.0]], [[1.0]])])
def test_what_is_no_pair_is_refused(first: list, second: list) -> None:
    with pytest.raises(CubeError, match="paired difference"):
        paired_difference(first, second)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_is_the_wider_of_t_and_bootstrap_t_on_each_side(sign: int) -> None:
    random = np.random.default_rng(5)
    differences = sign * random.gamma(0.4, 1, 40)
    found = paired_difference(differences, np.zeros(40), n_resamples=2000)
    t = mean_interval(differences)
    mean, error = differences.mean(), differences.std(ddof=1) / 40**0.5
    drawn = differences[random.integers(0, 40, (20_000, 40))]
    ratios = (drawn.mean(axis=1) - mean) / (drawn.std(axis=1, ddof=1) / 40**0.5)
    low, high = mean - error * np.quantile(ratios, [0.975, 0.025])
    assert (found.low, found.high) == pytest.approx((min(t.low, low), max(t.high, high)), abs=0.1 * error)
    # Skewed to one side, the bootstrap's bound lies far outside of the t-test's there, and inside of it opposite.
    assert (found.high > t.high + 0.3 * error) if sign > 0 else (found.low < t.low - 0.3 * error)
    assert (found.low if sign > 0 else found.high) == (t.low if sign > 0 else t.high)


def test_the_p_value_is_the_larger_of_both() -> None:
    random = np.random.default_rng(6)
    given = random.gamma(0.4, 1, (20, 15)) - 0.64  # skewed, and not far from 0
    found = np.array([paired_difference(each, np.zeros(15), n_resamples=500).p for each in given])
    by_t = np.array([paired_t_p(each) for each in given])
    assert (found >= by_t).all()
    assert (found > 1.2 * by_t).any() and (found == by_t).any()


def test_by_hand_with_its_interval() -> None:
    # deviations (-1.5, -.5, .5, 1.5) and (-.5, -1.5, 1.5, .5): products sum to 3, squares to 5 and 5
    correlation = pearson([1, 2, 3, 4], [2, 1, 4, 3])
    assert correlation.r == pytest.approx(0.6)
    # Fisher: tanh(atanh(0.6) ± 1.959964 / sqrt(4 - 3))
    assert correlation.low == pytest.approx(np.tanh(np.arctanh(0.6) - 1.959964), abs=1e-6)
    assert correlation.high == pytest.approx(np.tanh(np.arctanh(0.6) + 1.959964), abs=1e-6)
    assert correlation.reason == ""


def test_a_perfect_line() -> None:
    assert pearson([1, 2, 3, 4, 5], [10, 8, 6, 4, 2])[:2] == pytest.approx((-1, 0), abs=1e-12)


def test_three_points_have_no_interval() -> None:
    correlation = pearson([1, 2, 3], [1, 3, 2])
    assert correlation.r == pytest.approx(0.5)
    assert np.isnan(correlation.low)


@pytest.mark.parametrize(("first", "second"), [([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2, 3], [0.1] * 3), ([1, 2], [3, 4])])
def test_undefined_is_not_zero(first: list[float], second: list[float]) -> None:
    correlation = pearson(first, second)
    assert np.isnan(correlation).all()
    assert correlation.reason


def test_spread_that_is_only_rounding_does_not_correlate() -> None:
    assert np.isnan(pearson([0.1, 0.1 + 2e-17, 0.1 - 2e-17, 0.1 + 1.4e-17], [1, 2, 3, 4]).r)
    below = [-1e6, np.nextafter(-1e6, 0), -1e6, np.nextafter(-1e6, 0)]
    assert np.ptp(below) > 0 and np.isnan(pearson(below, [1, 2, 3, 4]).r)


def test_unequal_or_infinite_values_are_refused() -> None:
    with pytest.raises(CubeError):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(CubeError):
        pearson([1, 2, np.inf], [1, 2, 3])


@pytest.mark.parametrize("shift", [0.1, 0.25, 0.3, 0.5])
def test_p_value_and_interval_say_the_same(shift: float) -> None:
    random = np.random.default_rng(5)
    first = random.random(80)
    correlation = sentence_correlation(first, shift * first + random.normal(0, 0.3, 80))
    assert (correlation.p < 0.05) == (correlation.low > 0 or correlation.high < 0)


def test_bootstrap_keeps_r_and_the_seed() -> None:
    random = np.random.default_rng(2)
    first = random.random(60)
    second = first + random.normal(0, 0.5, 60)
    correlation = sentence_correlation(first, second)
    assert correlation.r == pearson(first, second).r
    assert correlation.p == pytest.approx(pearson(first, second).p, abs=0.01)
    assert correlation.low < correlation.r < correlation.high
    assert correlation == sentence_correlation(first, second)
    assert correlation != sentence_correlation(first, second, seed=1)


def test_bootstrap_agrees_with_fisher_for_normal_quantities() -> None:
    random = np.random.default_rng(3)
    first = random.normal(0, 1, 2000)
    second = 0.5 * first + random.normal(0, 1, 2000)
    assert sentence_correlation(first, second) == pytest.approx(pearson(first, second), abs=0.01)


def test_bootstrap_is_wider_where_the_spread_grows_with_the_score() -> None:
    random = np.random.default_rng(4)
    score = random.exponential(1, 500)
    spreading = score * random.normal(1, 1, 500)
    drawn, normal = sentence_correlation(score, spreading), pearson(score, spreading)
    assert drawn.high - drawn.low > 1.3 * (normal.high - normal.low)


def test_bootstrap_equals_a_loop_over_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    points = random.random((2, 15))
    rows = np.random.default_rng(0).integers(0, 15, (200, 15))

    def z_and_error(one: np.ndarray, two: np.ndarray) -> tuple[float, float]:
        one, two = ((values - values.mean()) / values.std() for values in (one, two))
        r = (one * two).mean()
        influence = one * two - r * (one**2 + two**2) / 2
        return np.arctanh(r), influence.std(ddof=1) / (1 - r**2) / 15**0.5

    z, error = z_and_error(*points)
    drawn = [z_and_error(points[0, row], points[1, row]) for row in rows]
    low, high = np.quantile([(z_drawn - z) / error_drawn for z_drawn, error_drawn in drawn], [0.025, 0.975])
    correlation = sentence_correlation(*points, n_resamples=200)
    assert correlation[2:] == pytest.approx((np.tanh(z - high * error), np.tanh(z - low * error)))
    monkeypatch.setattr("psa_core.stats.bootstrap.DRAWN_AT_ONCE", 15 * 7)
    assert sentence_correlation(*points, n_resamples=200) == correlation


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.arange(20.0), 2 * np.arange(20.0)),
        (np.arange(12.0), np.eye(12)[3]),
        (np.eye(12)[4], np.eye(12)[3]),
        (np.repeat([0.0, 1.0], 6), np.tile([0.0, 1.0], 6)),
        (np.arange(5.0), np.array([1.0, 3.0, 2.0, 5.0, 4.0])),
    ],
    ids=["a line", "one apart", "two apart", "two values", "few points"],
)
def test_bootstrap_has_bounds_for_odd_samples(first: np.ndarray, second: np.ndarray) -> None:
    correlation = sentence_correlation(first, second)
    assert np.isfinite(correlation).all()
    assert -1 <= correlation.low <= correlation.high <= 1


def test_bootstrap_of_a_constant_is_undefined() -> None:
    assert sentence_correlation(np.ones(30), np.arange(30.0)).reason


@pytest.mark.parametrize("count", [12, 60])
def test_skewed_quantities_without_a_correlation_have_none(count: int) -> None:
    """Sparse sensitivities against scores with many zeros: 5 % of 80 studies, with room for chance."""
    random, sure = np.random.default_rng(count), 0
    for seed in range(80):
        moves = np.where(random.random(count) < 0.7, 0, random.lognormal(-3, 1.2, count))
        scores = np.where(random.random(count) < 0.35, 0, random.normal(0.1, 0.4, count))
        sure += sentence_correlation(moves, scores, n_resamples=199, n_permutations=499, seed=seed).p < 0.05
    assert sure <= 8


def skewed(turn: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores crowded near 0, as of a toxicity model: y rises with x up to a turn, and falls beyond it."""
    x = np.concatenate([np.linspace(0, 0.2, 200), np.linspace(0.2, 1, 60)])
    return x, np.minimum(x, 2 * turn - x) + 0.01 * np.cos(np.arange(260))


def test_a_turn_among_the_few_high_values_is_no_rise() -> None:
    assert trend_shape(*skewed(turn=0.5)) == "peak"
    x, y = skewed(turn=0.5)
    assert trend_shape(x, -y) == "dip"
    assert trend_shape(-x, y) == "peak"


def test_a_rise_of_skewed_values_is_one() -> None:
    x, y = skewed(turn=1.0)
    assert (trend_shape(x, y), trend_shape(x, -y), trend_shape(-x, y)) == ("rising", "falling", "falling")


def test_noise_about_a_line_is_no_turn() -> None:
    random = np.random.default_rng(5)
    shapes = [trend_shape(x := random.beta(0.5, 3, 200), x + random.normal(0, 0.05, 200)) for _ in range(100)]
    assert shapes.count("rising") >= 95


def test_a_middle_third_that_is_highest_is_a_peak_and_one_that_is_lowest_a_dip() -> None:
    assert trend_shape(range(9), [0, 1, 2, 5, 6, 5, 2, 1, 0]) == "peak"
    assert trend_shape(range(9), [5, 4, 3, 0, 1, 0, 3, 4, 5]) == "dip"


@pytest.mark.parametrize(("spread", "shape"), [(1.03, "mixed"), (1.09, "rising")])
def test_a_fifth_against_the_direction_by_two_standard_errors_is_a_turn(spread: float, shape: str) -> None:
    """Two fifths of ten points are 1 apart the wrong way; the standard error of their difference is 0.47 spreads."""
    fifths = np.repeat([0.0, 2.0, 1.0, 3.0, 4.0], 10) + spread * np.tile([1, -1], 25)
    assert trend_shape(range(50), fifths) == shape


def test_a_top_is_a_peak_only_where_both_ends_are_lower() -> None:
    points = np.tile([0.01, -0.01], 25)
    assert trend_shape(range(50), np.repeat([0.0, 0.0, 1.0, 5.0, 2.0], 10) + points) == "peak"
    assert trend_shape(range(50), np.repeat([4.0, 1.0, 1.0, 1.0, 5.0], 10) + points) == "dip"


def test_a_correlation_leaves_out_pairs_with_a_missing_value() -> None:
    one, two = np.random.default_rng(0).normal(size=(2, 40)) + np.arange(40) / 20
    gappy = np.append(one, [np.nan, 9.0]), np.append(two, [9.0, np.nan])
    assert sentence_correlation(*gappy) == pytest.approx(sentence_correlation(one, two))


def test_a_sure_correlation_has_the_p_value_that_so_many_draws_can_give() -> None:
    one = np.random.default_rng(0).normal(size=60)
    two = one + np.random.default_rng(1).normal(0, 0.1, 60)
    assert sentence_correlation(one, two).p == pytest.approx(2 / 1001)


def test_a_tail_is_the_smaller_one_on_either_side() -> None:
    """Of the draws 0 to 9 three are at most 2 and three at least 7; the observed value counts among them."""
    assert bootstrap._share_as_far(np.arange(10.0), 2.0) == bootstrap._share_as_far(np.arange(10.0), 7.0) == 8 / 11
    assert bootstrap._share_as_far(np.arange(10.0), 4.5) == 1


def test_the_error_of_fishers_z_is_that_of_normal_points() -> None:
    points = np.random.default_rng(0).multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 20_000).T
    z, error = bootstrap._fisher_z(points)
    assert z == pytest.approx(np.arctanh(0.6), abs=0.02) and error == pytest.approx(20_000**-0.5, rel=0.03)


def test_a_turn_in_the_last_fifth_of_the_range_is_seen() -> None:
    x = np.concatenate([np.linspace(0, 8, 300), np.linspace(8.1, 10, 20)])
    y = np.where(x <= 8, x, 6.5) + 0.01 * np.cos(np.arange(320))
    assert trend_shape(x, y) == "peak" and trend_shape(x, -y) == "dip"
