"""Neutral edits: each with its change, and what they do on average."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.comparison import comparison_finding
from psa_core.claims.findings import band_words
from psa_core.cube import ScoreCube, Target
from psa_core.stats import repeat_floors
from psa_core.study.controls import controls_of
from psa_core.study.execution import perturbation_of
from psa_core.tables.floors import beyond_floor, control_floor, edit_span, edit_table

TEXTS = ("On Monday he left, and it rained.", "On Friday he came, but it snowed.")


@pytest.fixture
def cube() -> ScoreCube:
    sentences = pd.DataFrame({"sentence_id": ["a", "b"], "text": TEXTS, "anchor": "he", "start": 10, "end": 12})
    controls = np.array([[0.5, 0.75, 0.25], [0.25, 0.125, 0.75]], np.float32)[..., None]
    return ScoreCube(
        sentences.assign(role="subject"),
        pd.DataFrame({"name": ["Ann", "Bo"]}),
        (Target("tone"),),
        np.zeros((2, 1), np.float32),
        np.zeros((2, 2, 1), np.float32),
        {"study": {"sentences": "s", "names": "n", "model": "m", "controls": 2}},
        controls,
    )


def test_each_edit_has_its_change_the_largest_first(cube: ScoreCube) -> None:
    edits = controls_of(perturbation_of(cube), 2).changes
    table = edit_table(cube, "tone")
    assert table["change"].tolist() == [0.5, 0.25, -0.25, -0.125]
    assert table["sentence_id"].tolist() == ["b", "a", "a", "b"]
    assert table["edit"].tolist() == [edits[1][1], edits[0][0], edits[0][1], edits[1][0]]


def test_the_band_goes_from_the_lowest_mean_change_to_the_highest(cube: ScoreCube) -> None:
    """Means over both texts: (0.25 − 0.125) / 2 and (−0.25 + 0.5) / 2."""
    band = edit_span(cube, "tone")
    assert band == (0.0625, 0.125)
    assert band_words(cube, "tone", (-0.05, 0.1)) == (
        "Grey band: the mean changes of 2 neutral edits, each taken as a name is, −0.05 to +0.10."
    )


def test_without_edits_there_is_neither(cube: ScoreCube) -> None:
    alone = ScoreCube(cube.sentences, cube.names, cube.targets, cube.original, cube.perturbed)
    assert edit_span(alone, "tone") is None and edit_table(alone, "tone").empty
    assert band_words(alone, "tone", None) == ""


RANGE = {"value": 0.5, "low": 0.3, "high": 0.34, "floor": 0.3, "p": 0.01}


def test_a_range_loses_its_floor_by_squares_and_a_share_by_subtraction() -> None:
    metrics = {"score_range": RANGE, "label_dist": RANGE}
    assert beyond_floor(metrics, "score_range", 20) == pytest.approx({"value": 0.4, "low": 0.0, "high": 0.16})
    assert beyond_floor(metrics, "label_dist", 20) == pytest.approx({"value": 0.2, "low": 0.0, "high": 0.04})


def test_what_is_not_above_its_floor_is_nothing_and_what_is_not_sampled_stays() -> None:
    metrics = {"score_range": RANGE | {"p": 0.2}, "mean_abs_delta": {"value": 0.5, "low": 0.4, "high": None}}
    assert beyond_floor(metrics, "score_range", 20) == pytest.approx({"value": 0.0, "low": 0.0, "high": 0.16})
    assert beyond_floor(metrics, "score_range", 0) == {"value": 0.5, "low": 0.3, "high": 0.34}
    assert np.isnan(beyond_floor(metrics, "mean_abs_delta", 20)["low"])
    assert beyond_floor(metrics, "mean_abs_delta", 0)["low"] == 0.4


def test_two_judges_that_see_no_names_do_not_differ_by_how_often_they_were_asked() -> None:
    random, raw, left = np.random.default_rng(3), [], []
    for samples in (5, 40):
        cells = random.binomial(samples, 0.5, (40, 11)) / samples
        found = repeat_floors(cells[:, 0], cells[:, 1:], samples=samples, ends=(0, 1))["score_range"][0]
        spans = np.ptp(cells[:, 1:], axis=1)
        half = 2 * spans.std() / np.sqrt(len(spans))
        row = {"value": spans.mean(), "low": spans.mean() - half, "high": spans.mean() + half}
        raw.append({"label": f"{samples}", **row})
        floor = {"score_range": row | {"floor": found.floor, "p": found.p}}
        left.append({"label": f"{samples}", **beyond_floor(floor, "score_range", samples)})
    assert comparison_finding(pd.DataFrame(raw), "ScoreRange").is_significant
    assert not comparison_finding(pd.DataFrame(left), "ScoreRange").is_significant


def test_exactly_five_percent_is_not_above_the_floor() -> None:
    metrics = {"score_range": RANGE | {"p": 0.05}}
    assert beyond_floor(metrics, "score_range", 20)["value"] == 0.0


def test_a_sentence_with_an_edit_that_has_no_score_does_not_count(large_cube: ScoreCube) -> None:
    controls = np.random.default_rng(1).normal(0.5, 0.1, (40, 4, 1)).astype(np.float32)
    edited = replace(large_cube, controls=controls)
    lacking = controls.copy()
    lacking[7, 2] = np.nan
    found = control_floor(replace(edited, controls=lacking), "toxicity")
    assert found == control_floor(edited.rows(np.arange(40) != 7), "toxicity")
    assert not np.isnan(found.edits)


def test_a_sentence_with_a_name_that_has_no_score_does_not_count(large_cube: ScoreCube) -> None:
    controls = np.random.default_rng(1).normal(0.5, 0.1, (40, 4, 1)).astype(np.float32)
    lacking = large_cube.perturbed.copy()
    lacking[7, 2] = np.nan
    missing = {"missing": {"toxicity": {"no valid answer": 1}}}
    found = control_floor(replace(large_cube, controls=controls, perturbed=lacking, provenance=missing), "toxicity")
    assert found == control_floor(replace(large_cube, controls=controls).rows(np.arange(40) != 7), "toxicity")


def test_edits_of_a_study_that_does_not_say_which_they_were_have_no_rows(large_cube: ScoreCube) -> None:
    edited = replace(large_cube, controls=np.zeros((40, 4, 1), np.float32))
    assert len(edit_table(edited, "toxicity")) == 0 and len(edit_table(large_cube, "toxicity")) == 0


def test_compare_has_an_interval_of_the_mean_change_of_sampled_scores() -> None:
    metrics = {"mean_abs_delta": {"value": 0.5, "low": 0.3, "high": 0.6, "floor": 0.3, "corrected": 0.4, "p": 0.01}}
    left = beyond_floor(metrics, "mean_abs_delta", 20)
    assert left == pytest.approx({"value": 0.4, "low": 0.0, "high": np.sqrt(0.27)})
