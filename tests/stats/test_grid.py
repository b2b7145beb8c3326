from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from psa_core.errors import OptionError
from psa_core.stats import effective_threshold, flip_counts, grid, threshold_grid

LEVELS = st.sampled_from([np.float32(level) for level in (0.0, 0.3, 0.5, 0.7, 1.0)])
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
    monkeypatch.setattr(grid, "COUNTS_IN_MEMORY", 1)
    assert (threshold_grid(scores[:, 0], scores[:, 1:], [0.2, 0.5]).label_dist == whole).all()


def test_weights_are_repeated_sentences() -> None:
    scores = np.random.default_rng(1).random((4, 4))
    draws = np.array([[2, 0], [1, 1], [0, 3], [1, 0]], dtype=np.float32)
    thresholds = np.array([0.6, 0.2])
    answers = grid.bootstrap_label_dist(scores[:, 0], scores[:, 1:], thresholds, draws)
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
