from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap

from psa_core.errors import CubeError, OptionError
from psa_core.stats import bootstrap, bootstrap_interval, label_dist_interval, mean_interval, threshold_grid
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
    with pytest.raises(OptionError, match="confidence"):
        bootstrap_interval([0.1, 0.2], confidence=95)


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
