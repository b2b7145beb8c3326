from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from psa_core.errors import CubeError, OptionError
from psa_core.stats import (
    baseline_differences,
    effect_differences,
    effective_threshold,
    labels_at,
    paired_scores,
    sensitivities,
    threshold_grid,
)
from psa_core.stats.scores import sentence_moments

ORIGINAL = [0.5, 0.25]
PERTURBED = [[0.75, 0.25, 0.5], [0.25, 0.5, 0.75]]


def test_differences_from_the_original_by_hand() -> None:
    assert baseline_differences(ORIGINAL, PERTURBED).tolist() == [[0.25, -0.25, 0.0], [0.0, 0.25, 0.5]]


def test_differences_from_the_names_by_hand() -> None:
    expected = [[0.25, -0.25, 0.0], [-0.25, 0.0, 0.25]]
    assert baseline_differences(ORIGINAL, PERTURBED, baseline="names").tolist() == expected


def test_baselines_that_cannot_be() -> None:
    with pytest.raises(CubeError, match="two names"):
        baseline_differences([0.5], [[0.5]], baseline="names")
    with pytest.raises(OptionError, match="'pronoun'"):
        baseline_differences([0.5], [[0.5]], baseline="pronoun")  # type: ignore[arg-type]


def test_sensitivity_is_the_mean_distance_whichever_way() -> None:
    assert sensitivities(ORIGINAL, PERTURBED).tolist() == [0.5 / 3, 0.25]


def test_scores_are_widened_exactly() -> None:
    original, perturbed = paired_scores(np.array([0.1], np.float32), np.array([[0.2]], np.float32))
    assert (original[0], perturbed[0, 0]) == (float(np.float32(0.1)), float(np.float32(0.2)))


def test_shapes_are_named_in_the_message() -> None:
    with pytest.raises(CubeError, match=r"\(3,\) and perturbed \(2, 2\)"):
        paired_scores(np.zeros(3), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("original", "perturbed", "message"),
    [
        (["x"], [[1.0]], "something that is not an array of numbers"),
        ([], np.zeros((0, 2)), "0 sentences and 2 names, expected at least one of each"),
        ([np.nan], [[1.0]], "no pair of scores, expected a score before and with a name"),
        ([1.0], [[np.inf]], "infinite values, expected finite scores, or NaN for a missing one"),
    ],
)
def test_scores_that_are_none_are_told_what_is_expected(original: Any, perturbed: Any, message: str) -> None:
    with pytest.raises(CubeError, match=message):
        paired_scores(original, perturbed)


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_score_written_like_its_threshold_reaches_it_and_the_next_smaller_one_does_not(threshold: float) -> None:
    scores = np.array([threshold, np.nextafter(np.float32(threshold), np.float32(-1))], dtype=np.float32)
    assert labels_at(scores, threshold).tolist() == [True, False]
    assert labels_at([threshold, threshold - 1e-6], threshold).tolist() == [True, False]


def test_every_hundredth_is_reached_by_itself_however_labels_are_counted() -> None:
    hundredths = np.arange(101) / 100
    scores = hundredths.astype(np.float32)
    nowhere = np.full(101, -1, np.float32)
    for exact in (scores, hundredths):
        grid = threshold_grid(nowhere, exact[:, None], hundredths)
        assert grid.flips_up.tolist() == [list(range(101, 0, -1))]
        assert grid.flips_down.sum() == 0
        assert grid.label_dist.tolist() == [[1.0] * 101]
        assert [[int(labels_at(exact, c).sum()) for c in hundredths]] == grid.flips_up.tolist()


def test_scores_that_were_never_float32_are_compared_as_they_are() -> None:
    threshold = 0.7
    nearly = np.array([threshold, threshold - 1e-8])
    assert labels_at(nearly, threshold).tolist() == [True, False]
    assert threshold_grid(np.zeros(2), nearly[:, None], threshold).flips_up.tolist() == [[1]]
    grid = threshold_grid(nearly, np.full((2, 1), 0.1), [threshold, threshold - 1e-8, 0.71])
    assert grid.label_dist.tolist() == [[1, 1, 0]]


def test_a_threshold_too_small_for_float32_keeps_its_value() -> None:
    assert labels_at([0.0, 1e-50], 1e-50).tolist() == [False, True]


def test_a_missing_score_does_not_move_the_threshold() -> None:
    scores = np.array([0.7, np.nan, 0.69], np.float32)
    assert labels_at(scores, 0.7).tolist() == [True, False, False]


def test_by_hand_for_each_name() -> None:
    count, mean, deviation = sentence_moments([[1.0, 0.5], [3.0, 0.5]])
    assert count == 2
    assert mean.tolist() == [2.0, 0.5]
    assert deviation.tolist() == [2**0.5, 0.0]


def test_equal_values_have_exactly_no_spread() -> None:
    # the mean of ten times 0.1 is not 0.1 in floating point
    assert [float(part) for part in sentence_moments([0.1] * 10)] == [10, 0.1, 0.0]


def test_one_sentence_has_no_spread_to_know() -> None:
    _, mean, deviation = sentence_moments([[0.5, 0.25]])
    assert mean.tolist() == [0.5, 0.25]
    assert np.isnan(deviation).all()


@pytest.mark.parametrize("differences", [[], np.zeros((0, 3)), np.zeros((3, 0)), [0.5, np.inf]])
def test_nothing_to_average_is_refused(differences: object) -> None:
    with pytest.raises(CubeError):
        sentence_moments(differences)  # type: ignore[arg-type]


def test_a_threshold_that_float32_does_not_hold_stays_as_it_is() -> None:
    assert effective_threshold(1e-50) == 1e-50 and effective_threshold(1e50) == 1e50


def test_two_names_are_enough_to_compare_them_with_each_other() -> None:
    found = effect_differences([0.5, 0.25], [[0.25, 0.75], [0.5, 1.0]], baseline="names")
    assert found.tolist() == [[-0.25, 0.25], [-0.25, 0.25]]
