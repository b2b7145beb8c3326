"""Two means over the same sentences: hand-made differences, agreement of interval and p, false alarms counted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap

from psa_core.errors import CubeError
from psa_core.stats import (
    bootstrap,
    bootstrap_interval,
    label_dist_interval,
    label_dist_parts,
    mean_interval,
    paired_difference,
    paired_t_p,
    threshold_grid,
)
from psa_core.stats import scores as stats_scores

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


def test_label_dist_interval_holds_the_exact_value_in_the_order_given() -> None:
    original = RANDOM.random(60)
    perturbed = np.clip(original[:, None] + RANDOM.normal(0, 0.1, (60, 5)), 0, 1)
    thresholds = [0.8, 0.2, 0.5]
    value, low, high = label_dist_interval(original, perturbed, thresholds)
    exact = threshold_grid(original, perturbed, thresholds).label_dist.mean(axis=0)
    assert value.tolist() == exact.tolist()
    assert ((low < value) & (value < high)).all()
    one_by_one = [label_dist_interval(original, perturbed, threshold) for threshold in thresholds]
    assert low.tolist() == pytest.approx([bounds.low[0] for bounds in one_by_one], abs=1e-7)


def test_label_dist_interval_of_few_sentences_is_scipys_bca() -> None:
    original = RANDOM.random(40)
    perturbed = np.clip(original[:, None] + RANDOM.normal(0, 0.2, (40, 4)), 0, 1)

    def label_dist(rows: np.ndarray) -> float:
        return float(threshold_grid(original[rows], perturbed[rows], 0.5).label_dist.mean())

    expected = scipy_bootstrap(
        (np.arange(40),), label_dist, vectorized=False, n_resamples=1500, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval  # fmt: skip
    _, low, high = label_dist_interval(original, perturbed, 0.5, n_resamples=6000)
    assert (low[0], high[0]) == pytest.approx(tuple(expected), abs=0.02)


def test_label_dist_interval_of_many_sentences_is_the_percentile_one(monkeypatch: pytest.MonkeyPatch) -> None:
    original = RANDOM.random(12)
    perturbed = np.clip(original[:, None] + RANDOM.normal(0, 0.3, (12, 3)), 0, 1)
    draws = np.random.default_rng(5).integers(0, 12, size=(200, 12))
    drawn = [threshold_grid(original[rows], perturbed[rows], 0.5).label_dist.mean() for rows in draws]
    monkeypatch.setattr(bootstrap, "BCA_SENTENCES", 10)
    _, low, high = label_dist_interval(original, perturbed, 0.5, n_resamples=200, seed=5)
    assert (low[0], high[0]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=1e-12)


def test_where_no_label_ever_changes_the_interval_is_the_value() -> None:
    original = np.linspace(0.1, 0.4, 20)
    intervals = label_dist_interval(original, np.repeat(original[:, None], 3, axis=1), [0.0, 0.2, 0.9])
    assert [bounds.tolist() for bounds in intervals] == [[0.0] * 3] * 3


def test_one_sentence_has_a_value_and_no_interval() -> None:
    assert bootstrap_interval([0.5]).value == 0.5
    assert np.isnan(bootstrap_interval([0.5]).low)
    assert np.isnan(label_dist_interval([0.5], [[0.2]], 0.3).low).all()


def test_empty_and_impossible_requests_are_refused() -> None:
    with pytest.raises(CubeError):
        bootstrap_interval([])


@pytest.mark.parametrize("sentences", [60, 600])
def test_of_very_many_names_some_say_how_far_the_mean_moves(sentences: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    original = random.random(sentences)
    perturbed = np.clip(original[:, None] + random.normal(0, 0.1, (sentences, 1000)), 0, 1)
    whole = label_dist_interval(original, perturbed, [0.3, 0.5])
    monkeypatch.setattr(stats_scores, "MAX_NAMES", 250)
    some = label_dist_interval(original, perturbed, [0.3, 0.5])
    np.testing.assert_array_equal(some[0], whole[0])
    np.testing.assert_allclose(some[1:], whole[1:], atol=0.006)
    assert not np.array_equal(some[1:], whole[1:])


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


def test_the_parts_of_label_dist_add_up_to_it() -> None:
    random = np.random.default_rng(2)
    original, perturbed = random.random(50), random.random((50, 7))
    whole = threshold_grid(original, perturbed, 0.6).label_dist.mean()
    assert label_dist_parts(original, perturbed, 0.6).mean() == pytest.approx(whole)
    assert label_dist_parts(original, perturbed, 2.0).tolist() == [0.0] * 50  # nobody has the label: no distance


def test_the_parts_spread_as_label_dist_does() -> None:
    random = np.random.default_rng(3)
    values = []
    for _ in range(300):
        original = random.random(100)
        perturbed = original[:, None] + random.normal(0, 0.2, (100, 5))
        values.append(
            (label_dist_parts(original, perturbed, 0.5).mean(), label_dist_parts(original, perturbed, 0.5).std() / 10)
        )
    means, errors = np.array(values).T
    assert errors.mean() == pytest.approx(means.std(), rel=0.15)


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
