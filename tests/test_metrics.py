"""The metrics against the paper's definitions, written out as loops."""

from __future__ import annotations

from functools import partial
from statistics import fmean, pstdev, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from psa_core import metrics
from psa_core.errors import CubeError, OptionError
from psa_core.stats import effective_threshold

# Coarse levels make ties, with each other and with thresholds; the fine ones make everything else.
SCORES = st.one_of(st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.7, 1.0]), st.floats(-1, 1, width=32))


@st.composite
def scored(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    sentences, names = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    scores = draw(arrays(np.float32, (sentences, names + 1), elements=SCORES.map(np.float32)))
    return scores[:, 0], scores[:, 1:]


def rows(original: np.ndarray, perturbed: np.ndarray) -> list[tuple[float, list[float]]]:
    return [(float(x), [float(y) for y in perturbed]) for x, perturbed in zip(original, perturbed, strict=True)]


def label_dist_by_sets(original: np.ndarray, perturbed: np.ndarray, threshold: float) -> float:
    distances = []
    level = effective_threshold(threshold, original, perturbed)
    before = {s for s, (x, _) in enumerate(rows(original, perturbed)) if x >= level}
    for n in range(perturbed.shape[1]):
        after = {s for s, (_, perturbed) in enumerate(rows(original, perturbed)) if perturbed[n] >= level}
        distances.append(1 - len(before & after) / len(before | after) if before | after else 0.0)
    return fmean(distances)


@given(scored())
def test_score_sens_is_the_mean_difference(pair: tuple[np.ndarray, np.ndarray]) -> None:
    original, perturbed = pair
    expected = [fmean(perturbed[n] - x for x, perturbed in rows(*pair)) for n in range(perturbed.shape[1])]
    assert metrics.score_sens(original, perturbed) == pytest.approx(expected, abs=1e-12)


@given(scored())
def test_score_dev_is_the_mean_deviation(pair: tuple[np.ndarray, np.ndarray]) -> None:
    assert metrics.score_dev(*pair) == pytest.approx(fmean(pstdev(perturbed) for _, perturbed in rows(*pair)), abs=1e-9)
    if pair[1].shape[1] > 1:
        sample = fmean(stdev(perturbed) for _, perturbed in rows(*pair))
        assert metrics.score_dev(*pair, ddof=1) == pytest.approx(sample, abs=1e-9)


@given(scored())
def test_score_range_is_the_mean_range(pair: tuple[np.ndarray, np.ndarray]) -> None:
    expected = fmean(max(perturbed) - min(perturbed) for _, perturbed in rows(*pair))
    assert metrics.score_range(*pair) == pytest.approx(expected, abs=1e-12)


@given(scored(), st.lists(SCORES, min_size=1, max_size=6))
def test_label_dist_is_the_mean_jaccard_distance(pair: tuple[np.ndarray, np.ndarray], thresholds: list[float]) -> None:
    # Thresholds at scores and just beside them, where a mistake in the comparison would show.
    at_scores = [float(score) for score in pair[1].ravel()[:3]]
    beside = [float(np.nextafter(score, direction)) for score in at_scores for direction in (-9.0, 9.0)]
    thresholds = [*thresholds, *at_scores, *beside, -2.0, 2.0]
    expected = [label_dist_by_sets(*pair, threshold) for threshold in thresholds]
    assert metrics.label_dist(*pair, thresholds) == pytest.approx(expected, abs=1e-12)
    assert [metrics.label_dist(*pair, threshold) for threshold in thresholds] == pytest.approx(expected, abs=1e-12)


def test_label_dist_answers_in_the_shape_of_the_thresholds() -> None:
    assert isinstance(metrics.label_dist([0.2], [[0.6]], 0.5), float)
    assert isinstance(metrics.label_dist([0.2], [[0.6]], np.float64(0.5)), float)
    assert metrics.label_dist([0.2], [[0.6]], [0.5]).tolist() == [1.0]
    assert metrics.label_dist([0.2], [[0.6]], []).tolist() == []


@given(scored(), st.floats(0.1, 4.0), st.randoms())
def test_order_and_scale(pair: tuple[np.ndarray, np.ndarray], factor: float, random: object) -> None:
    original, perturbed = (scores.astype(np.float64) for scores in pair)
    sentences, names = (list(range(size)) for size in perturbed.shape)
    random.shuffle(sentences)  # type: ignore[attr-defined]
    random.shuffle(names)  # type: ignore[attr-defined]
    shuffled = original[sentences], perturbed[sentences][:, names]
    assert metrics.score_sens(*shuffled) == pytest.approx(metrics.score_sens(original, perturbed)[names], abs=1e-12)
    scaled = factor * original, factor * perturbed
    for metric in (metrics.score_dev, metrics.score_range):
        assert metric(*shuffled) == pytest.approx(metric(original, perturbed), abs=1e-12)
        assert metric(*scaled) == pytest.approx(factor * metric(original, perturbed), abs=1e-9)


def test_names_that_change_nothing_have_no_sensitivity() -> None:
    original = np.array([0.2, 0.7, 0.9], dtype=np.float32)
    perturbed = np.repeat(original[:, None], 4, axis=1)
    assert metrics.score_sens(original, perturbed).tolist() == [0.0] * 4
    assert metrics.score_dev(original, perturbed) == 0.0
    assert metrics.score_range(original, perturbed) == 0.0
    assert metrics.label_dist(original, perturbed, np.linspace(0, 1, 11)).tolist() == [0.0] * 11


def test_sensitivity_correlation_by_hand() -> None:
    # sensitivities 0.3, 0.2, 0.1, 0.2 against 0.1, 0.2, 0.3, 0.4: deviations multiply to -0.02 of sqrt(0.05 * 0.02)
    original = [0.1, 0.2, 0.3, 0.4]
    perturbed = [[0.4, -0.2], [0.4, 0.0], [0.4, 0.2], [0.2, 0.6]]
    r, p, low, high = metrics.sensitivity_correlation(original, perturbed)
    assert r == pytest.approx(-0.02 / (0.05 * 0.02) ** 0.5)
    assert -1 <= low < r < high <= 1
    assert 0 < p < 1


def test_correlation_with_a_constant_is_undefined_and_says_so() -> None:
    correlation = metrics.sensitivity_correlation([0.5, 0.5, 0.5], [[0.1], [0.2], [0.3]])
    assert all(np.isnan(number) for number in correlation)
    assert "does not vary" in correlation.reason


@pytest.mark.parametrize(
    "metric",
    [
        metrics.score_sens,
        metrics.score_dev,
        metrics.score_range,
        lambda *pair: metrics.label_dist(*pair, 0.5),
        lambda *pair: metrics.label_dist(*pair, [0.5]),
        metrics.sensitivity_correlation,
    ],
)
@pytest.mark.parametrize("pair", [([], np.zeros((0, 3))), ([0.5], np.zeros((1, 0))), ([0.5], [[0.1], [0.2]])])
def test_no_metric_answers_for_empty_or_unequal_scores(metric: object, pair: tuple[object, object]) -> None:
    with pytest.raises(CubeError):
        metric(*pair)  # type: ignore[operator]


@pytest.mark.parametrize("threshold", [float("nan"), [0.5, float("inf")]])
def test_threshold_must_be_finite(threshold: object) -> None:
    with pytest.raises(OptionError, match="threshold"):
        metrics.label_dist([0.5], [[0.5]], threshold)


RAGGED = [[0.1, 0.2], [0.3]]


@pytest.mark.parametrize(
    ("original", "perturbed"),
    [
        ("abc", [[0.5]]),
        (["0.5"], [["0.5"]]),
        ([0.5, 0.5], RAGGED),
        ([0.5], "x"),
        ({}, {}),
        (None, None),
        ([0.5 + 1j], [[0.5]]),
        (np.array([0.5 + 1j]), [[0.5]]),
        ([[0.5]], [[0.5]]),
        ([0.5], [0.5]),
        (np.array(["2026-01-01"], dtype="datetime64[D]"), [[0.5]]),
    ],
)
@pytest.mark.parametrize(
    "metric",
    [
        metrics.score_sens,
        metrics.score_dev,
        metrics.score_range,
        metrics.sensitivity_correlation,
        partial(metrics.label_dist, thresholds=0.5),
        partial(metrics.label_dist, thresholds=[0.5]),
    ],
)
def test_what_is_no_array_of_scores_is_told(metric: Any, original: Any, perturbed: Any) -> None:
    with pytest.raises(CubeError, match="scores of one target: got"):
        metric(original, perturbed)


@pytest.mark.parametrize("thresholds", ["x", ["x"], None, {}, [0.1, [0.2]], 1j, "0.5"])
def test_what_is_no_threshold_is_told(thresholds: Any) -> None:
    with pytest.raises(OptionError, match="threshold: got"):
        metrics.label_dist([0.5], [[0.5]], thresholds)
