"""Flips with their texts: what readers said of them, and labelled texts to train on."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.report.flips_file import flip_rows, json_lines, training_rows
from psa_core.study import perturbation_of
from psa_core.tables import find_flips
from tests.pages import result_studies


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    return result_studies.cube()


def test_each_flip_has_its_texts_and_what_readers_said(cube: ScoreCube) -> None:
    flips, texts = find_flips(cube, "toxicity", threshold=0.4).frame(), perturbation_of(cube)
    first = flips.iloc[0]
    said = {"sentence_id": first["sentence_id"], "name": first["name"], "target": "toxicity"}
    judged = pd.DataFrame(
        [
            said | {"verdict": "defect", "reader": "ann"},
            said | {"verdict": "fine", "reader": "bob"},
            said | {"verdict": "meaning", "reader": "eve", "target": "another"},
        ]
    )
    rows = flip_rows(cube, "toxicity", threshold=0.4, judged=judged)
    assert len(rows) == len(flips) and rows["judgements"][0] == "ann: defect; bob: fine"
    assert not rows["judgements"][1:].any()
    at = int(first["sentence_position"]), int(first["name_position"])
    assert (rows["original_text"][0], rows["text"][0]) == (texts.texts[at[0]], texts.text(*at))


def test_of_more_flips_than_there_is_room_for_the_largest_changes_are_kept(
    cube: ScoreCube, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = pd.DataFrame(columns=["sentence_id", "name", "target", "verdict", "reader"])
    every = flip_rows(cube, "toxicity", threshold=0.4, judged=nobody)
    room = SimpleNamespace(value=int(every["text"].str.len()[:3].sum()))
    monkeypatch.setattr("psa_core.report.flips_file.FLIPS", room)
    pd.testing.assert_frame_equal(flip_rows(cube, "toxicity", threshold=0.4, judged=nobody), every[:3])


def test_texts_to_train_on_are_labelled_as_their_sentences(cube: ScoreCube) -> None:
    rows, texts = training_rows(cube, "toxicity"), perturbation_of(cube)
    flips, ids = find_flips(cube, "toxicity").frame(), cube.sentences["sentence_id"].tolist()
    plain = rows[rows["name"] == ""]
    assert plain["sentence_id"].tolist() == [one for one in ids if one in set(flips["sentence_id"])]
    assert plain["text"].tolist() == [texts.texts[ids.index(one)] for one in plain["sentence_id"]]
    # Each sentence as it is comes before its texts with names.
    assert rows.groupby("sentence_id", sort=False).head(1)["name"].eq("").all()
    assert rows["sentence_id"].map(ids.index).is_monotonic_increasing
    for row in rows.itertuples():
        s = ids.index(row.sentence_id)
        assert row.label == int(cube.original[s, 0] >= 0.5)
        assert not row.name or row.text == texts.text(s, cube.names["name"].tolist().index(row.name))
    assert len(rows) == len(plain) + len(flips)


def test_true_labels_come_from_a_column(cube: ScoreCube) -> None:
    rows = training_rows(cube, "toxicity", label_column="anchor")
    assert set(rows["label"]) == {"He"}
    with pytest.raises(CubeError, match="label column"):
        training_rows(cube, "toxicity", label_column="nowhere")
    assert [json.loads(line) for line in json_lines(rows).splitlines()] == rows.to_dict("records")
