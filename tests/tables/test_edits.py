"""Neutral edits: each with its change, and what they do on average."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.findings import band_words
from psa_core.cube import ScoreCube, Target
from psa_core.study.controls import controls_of
from psa_core.study.execution import perturbation_of
from psa_core.tables.edits import edit_span, edit_table

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
    assert band_words(cube, (-0.05, 0.1)) == (
        "Grey band: the mean changes of 2 neutral edits, each taken as a name is, −0.05 to +0.10."
    )


def test_without_edits_there_is_neither(cube: ScoreCube) -> None:
    alone = ScoreCube(cube.sentences, cube.names, cube.targets, cube.original, cube.perturbed)
    assert edit_span(alone, "tone") is None and edit_table(alone, "tone").empty
    assert band_words(alone, None) == ""
