from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from psa_core.errors import OptionError
from psa_core.methods.label_dist import LabelDist
from psa_core.stats import effective_threshold

LEVELS = st.sampled_from([np.float32(level) for level in (0.0, 0.3, 0.5, 0.7, 1.0)])


def test_two_sentences_three_names_by_hand() -> None:
    original = np.array([0.5, 0.25])  # A = {first}: a score at the threshold has the label
    perturbed = np.array([[0.5, 0.75, 0.25], [0.0, 0.5, 0.5]])
    # B: {first}, {first, second}, {second}
    assert LabelDist(threshold=0.5)(original, perturbed).tolist() == [0.0, 0.5, 1.0]


def test_nothing_labelled_either_way_is_no_distance() -> None:
    assert LabelDist(threshold=0.9)(np.array([0.5]), np.array([[0.25, 0.75]])).tolist() == [0.0, 0.0]


def test_everything_labelled_either_way_is_no_distance() -> None:
    assert LabelDist(threshold=0.0)(np.array([0.5]), np.array([[0.25, 0.75]])).tolist() == [0.0, 0.0]


def test_score_equal_to_the_threshold_reaches_it() -> None:
    # float32(0.7) is a little less than 0.7, float32(0.3) a little more than 0.3
    scores = np.array([0.7, 0.3], dtype=np.float32)
    nowhere = np.zeros(2, dtype=np.float32)
    assert LabelDist(threshold=0.7)(nowhere, scores[:, None]).tolist() == [1.0]
    assert LabelDist(threshold=0.3)(nowhere[1:], scores[1:, None]).tolist() == [1.0]


def test_threshold_must_be_a_number() -> None:
    with pytest.raises(OptionError, match="threshold"):
        LabelDist(threshold=float("nan"))(np.array([0.5]), np.array([[0.5]]))


@given(arrays(np.float32, (4, 4), elements=LEVELS), st.sampled_from([-1.0, 0.0, 0.3, 0.5, 0.7, 1.0, 1.5]))
def test_equals_the_definition_on_sets(scores: np.ndarray, threshold: float) -> None:
    original, perturbed = scores[:, 0], scores[:, 1:]
    before = {s for s in range(4) if float(original[s]) >= effective_threshold(threshold)}
    for n, distance in enumerate(LabelDist(threshold=threshold)(original, perturbed)):
        after = {s for s in range(4) if float(perturbed[s, n]) >= effective_threshold(threshold)}
        expected = 1 - len(before & after) / len(before | after) if before | after else 0.0
        assert distance == pytest.approx(expected, abs=1e-15)
