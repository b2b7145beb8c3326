"""The cube refuses what does not fit together."""

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube, Target, in_unit, scale_of
from psa_core.errors import CubeError, RunFolderError
from psa_core.folders import cube_file


def make(**changes: object) -> ScoreCube:
    sentences = pd.DataFrame(
        {
            "sentence_id": ["a", "b"],
            "text": ["he ran", "I saw her"],
            "anchor": ["he", "her"],
            "start": [0, 6],
            "end": [2, 9],
            "role": ["subject", "object"],
        }
    )
    parts: dict[str, object] = {
        "sentences": sentences,
        "names": pd.DataFrame({"name": ["Ann", "Bob", "Cy"], "gender": ["female", "male", "male"]}),
        "targets": (Target("toxicity", meaning="rude"),),
        "original": np.array([[0.25], [0.5]], np.float32),
        "perturbed": np.arange(6, dtype=np.float32).reshape(2, 3, 1) / 8,
        "provenance": {"seed": 3},
    }
    return ScoreCube(**{**parts, **changes})  # type: ignore[arg-type]


def test_shape_and_views():
    cube = make()
    original, perturbed = cube.scores("toxicity")
    assert cube.shape == (2, 3, 1)
    assert original.tolist() == [0.25, 0.5]
    assert perturbed[1].tolist() == [0.375, 0.5, 0.625]


def test_rows_keep_their_order_and_tables():
    part = make().rows(np.array([False, True]))
    assert part.sentences["sentence_id"].tolist() == ["b"]
    assert part.perturbed[0, :, 0].tolist() == [0.375, 0.5, 0.625]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"original": np.zeros((3, 1), np.float32)}, "shape (3, 1)"),
        ({"perturbed": np.zeros((2, 2, 1), np.float32)}, "shape (2, 2, 1)"),
        ({"original": np.array([[np.nan], [0]], np.float32)}, "missing or infinite"),
        ({"names": pd.DataFrame({"name": ["Ann", "Ann", "Bob"]})}, "'Ann' twice"),
        ({"names": pd.DataFrame({"who": ["Ann", "Cy", "Bob"]})}, "no column name"),
    ],
)
def test_what_does_not_fit_is_refused(changes, words):
    with pytest.raises(CubeError, match=r".*") as caught:
        make(**changes)
    assert words in str(caught.value)


def test_an_unknown_target_is_told():
    with pytest.raises(CubeError, match="toxicity"):
        make().scores("joy")


def test_default_threshold_is_the_middle_of_the_range():
    assert Target("sentiment", -1, 1).default_threshold == 0
    assert Target("toxicity", threshold=0.8).default_threshold == 0.8


def test_a_cube_file_gives_the_same_cube(tmp_path):
    cube_file.save(make(), tmp_path / "partial.npz")
    again = cube_file.load(tmp_path / "partial.npz")
    assert np.array_equal(again.perturbed, make().perturbed)
    assert again.sentences.equals(make().sentences)
    assert again.targets == make().targets
    assert [path.name for path in tmp_path.iterdir()] == ["partial.npz"]


def test_a_damaged_cube_file_is_told(tmp_path):
    (tmp_path / "partial.npz").write_bytes(b"PK nothing")
    with pytest.raises(RunFolderError, match=r"damaged|none at"):
        cube_file.load(tmp_path / "partial.npz")
    with pytest.raises(RunFolderError, match="nothing scored yet"):
        cube_file.load(tmp_path / "later.npz")


def test_thresholds_are_given_to_the_targets_that_are_named():
    cube = make(targets=(Target("toxicity"), Target("calm")), original=np.zeros((2, 2)), perturbed=np.zeros((2, 3, 2)))
    assert [target.default_threshold for target in cube.with_thresholds({"calm": 0.8}).targets] == [0.5, 0.8]
    assert [target.default_threshold for target in cube.targets] == [0.5, 0.5]


def test_scores_of_a_chance_are_read_in_hundredths_and_others_as_they_are():
    targets = [Target("toxicity"), Target("loan", unit="points"), Target("P(Yes)")]
    assert [target.scale for target in targets] == [1, 100, 100]
    table = pd.DataFrame({"name": ["Ann"], "change": [0.25], "p": [0.5]})
    shown = [in_unit(table, "change", target=target) for target in targets]
    assert [rows["change"].iloc[0] for rows in shown] == [0.25, 25, 25] and table["change"].iloc[0] == 0.25
    assert {rows["p"].iloc[0] for rows in shown} == {0.5}, "no other column"
    table.attrs["unit"] = "points"
    assert scale_of(table) == 100 and in_unit(table[table["p"] > 0], "change")["change"].tolist() == [25]
