from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike

from psa_core.errors import CubeError, OptionError
from psa_core.stats import effective_threshold, flip_counts, label_dist, threshold_grid

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
    up, down = flip_counts(original, perturbed, THRESHOLDS)
    for k, threshold in enumerate(THRESHOLDS):
        names = [counted(original, perturbed[:, n], threshold) for n in range(3)]
        assert result.label_dist[:, k] == pytest.approx([distance for distance, _, _ in names], abs=1e-15)
        assert result.flips_up[:, k].tolist() == [appeared for _, appeared, _ in names]
        assert result.flips_down[:, k].tolist() == [gone for _, _, gone in names]
        assert up[k] == sum(appeared for _, appeared, _ in names)
        assert down[k] == sum(gone for _, _, gone in names)
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
        flip_counts([0.5], [[0.25]], [np.nan])
