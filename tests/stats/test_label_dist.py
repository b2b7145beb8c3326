from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike
from scipy.stats import bootstrap as scipy_bootstrap

from psa_core.errors import CubeError, OptionError
from psa_core.stats import (
    bootstrap_interval,
    effective_threshold,
    label_dist,
    label_dist_interval,
    label_dist_parts,
    threshold_grid,
)
from psa_core.stats import scores as stats_scores

RANDOM = np.random.default_rng(7)
LEVELS = st.sampled_from([np.float32(level) for level in (-1.0, 0.0, 0.3, 0.5, 0.7, 1.0)])


def distances(original: ArrayLike, perturbed: ArrayLike, thresholds: ArrayLike) -> np.ndarray:
    return threshold_grid(original, perturbed, thresholds).label_dist.mean(axis=0)


def test_two_sentences_three_names_by_hand() -> None:
    # f(x) 0.2, 0.6; f(x_n) as below. For c in (0.4, 0.6]: A = {2}; B = {1, 2}, {}, {2} -> 1/2, 1, 0 -> mean 1/2.
    # up to 0.2 everything; (0.2, 0.4]: A = {2}; B = {1,2}, {2}, {1,2}; (0.6, 0.8]: A = {}; B = {1}, {}, {2}; …
    found = distances([0.2, 0.6], [[0.8, 0.2, 0.4], [0.6, 0.4, 1.0]], [0.2, 0.4, 0.6, 0.8, 1.0, 1.1])
    assert found == pytest.approx([0, 1 / 3, 1 / 2, 2 / 3, 1 / 3, 0], abs=1e-15)


def test_score_at_the_threshold_has_the_label() -> None:
    assert distances([0.5], [[0.25]], [0.25, 0.2500001, 0.5, 0.5000001]).tolist() == [0.0, 1.0, 1.0, 0.0]


def test_beyond_all_scores_nothing_differs() -> None:
    assert distances([0.3, 0.9], [[0.1], [0.5]], [-9.0, 0.1, 9.0]).tolist() == [0.0, 0.0, 0.0]


def test_empty_scores_are_refused() -> None:
    with pytest.raises(CubeError):
        threshold_grid([], np.zeros((0, 2)), [0.5])


@given(arrays(np.float64, (6, 5), elements=st.floats(-1, 1)))
def test_is_a_share_that_starts_and_ends_at_zero(scores: np.ndarray) -> None:
    found = distances(scores[:, 0], scores[:, 1:], [scores.min(), *np.unique(scores), 2.0])
    assert found[0] == found[-1] == 0
    assert ((found >= 0) & (found <= 1)).all()


THRESHOLDS = [0.7, -1.0, 0.3, 0.5, 0.5, 1.0, 2.0, 0.0, 0.4]


def counted(original: np.ndarray, perturbed: np.ndarray, threshold: float) -> tuple[float, int, int]:
    """LabelDist, flips up and flips down of one name, from the definition."""
    labels = [
        (float(x) >= effective_threshold(threshold), float(y) >= effective_threshold(threshold))
        for x, y in zip(original, perturbed, strict=True)
    ]
    either = sum(x or y for x, y in labels)
    distance = 1 - sum(x and y for x, y in labels) / either if either else 0.0
    return distance, sum(y and not x for x, y in labels), sum(x and not y for x, y in labels)


@given(arrays(np.float32, (5, 4), elements=LEVELS))
def test_equals_counting_label_by_label(scores: np.ndarray) -> None:
    original, perturbed = scores[:, 0], scores[:, 1:]
    result = threshold_grid(original, perturbed, THRESHOLDS)
    for k, threshold in enumerate(THRESHOLDS):
        names = [counted(original, perturbed[:, n], threshold) for n in range(3)]
        assert result.label_dist[:, k] == pytest.approx([distance for distance, _, _ in names], abs=1e-15)
        assert result.flips_up[:, k].tolist() == [appeared for _, appeared, _ in names]
        assert result.flips_down[:, k].tolist() == [gone for _, _, gone in names]
        assert result.labelled[k] == sum(float(score) >= effective_threshold(threshold) for score in original)


def test_blocks_of_names_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random((20, 8))
    whole = threshold_grid(scores[:, 0], scores[:, 1:], [0.2, 0.5]).label_dist
    monkeypatch.setattr(label_dist, "COUNTS_IN_MEMORY", 1)
    assert (threshold_grid(scores[:, 0], scores[:, 1:], [0.2, 0.5]).label_dist == whole).all()


def test_weights_are_repeated_sentences() -> None:
    scores = np.random.default_rng(1).random((4, 4))
    draws = np.array([[2, 0], [1, 1], [0, 3], [1, 0]], dtype=np.float32)
    thresholds = np.array([0.6, 0.2])
    answers = label_dist.bootstrap_label_dist(scores[:, 0], scores[:, 1:], thresholds, draws)
    for b in range(2):
        drawn = np.repeat(scores, draws[:, b].astype(int), axis=0)
        expected = threshold_grid(drawn[:, 0], drawn[:, 1:], thresholds).label_dist.mean(axis=0)
        assert answers[:, b] == pytest.approx(expected, abs=1e-6)


def test_one_threshold_as_a_number() -> None:
    assert threshold_grid([0.5], [[0.25]], 0.3).label_dist.tolist() == [[1.0]]


def test_no_threshold_is_refused() -> None:
    with pytest.raises(OptionError, match="thresholds"):
        threshold_grid([0.5], [[0.25]], [])
    with pytest.raises(OptionError, match="threshold"):
        threshold_grid([0.5], [[0.25]], [np.nan])


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
    monkeypatch.setattr(label_dist, "BCA_SENTENCES", 10)
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


def test_the_shares_of_bca_by_hand() -> None:
    """Efron & Tibshirani 1993, equations 14.9 to 14.15, of a skewed jackknife and of half the draws below the value."""
    left_out, drawn = np.array([[0.1, 0.5, 0.6]]), np.linspace(0, 1, 11)[None]
    influence = [0.4 - each for each in (0.1, 0.5, 0.6)]
    skew = sum(each**3 for each in influence) / (6 * sum(each**2 for each in influence) ** 1.5)
    normal = NormalDist()
    shift = normal.inv_cdf(3.5 / 11)  # three draws are below 0.3, and one is as large
    expected = [
        normal.cdf(shift + (shift + normal.inv_cdf(tail)) / (1 - skew * (shift + normal.inv_cdf(tail))))
        for tail in (0.025, 0.975)
    ]
    assert label_dist._bca_shares(np.array([drawn[0, 3]]), left_out, drawn)[0] == pytest.approx(expected)


def test_the_part_of_each_sentence_by_hand() -> None:
    """Of four sentences A = {1, 2} and B = {1, 3}: 1 of 3 is shared, and each weighs by what its absence would do."""
    parts = label_dist_parts([0.9, 0.9, 0.1, 0.1], [[0.9], [0.1], [0.9], [0.1]], 0.5)
    assert parts == pytest.approx([2 / 3 - 8 / 9, 2 / 3 + 4 / 9, 2 / 3 + 4 / 9, 2 / 3])
