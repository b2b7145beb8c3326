"""What a reader has set is in every file of the folder, and there again when the folder is opened."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core import report, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import results
from psa_core.folders.view import HIDDEN, View, obfuscated, shown, view_of, with_view

SEEN = View({"rude": 0.25, "glad": 0.0}, ("c", "nowhere"), True)


@pytest.fixture
def cube() -> ScoreCube:
    ids = ["a", "b", "c", "d"]
    sentences = pd.DataFrame(
        {"sentence_id": ids, "text": "he ran", "anchor": "he", "start": 0, "end": 2, "role": "subject"}
    )
    random = np.random.default_rng(3)
    targets = (Target("rude"), Target("glad", -1, 1))
    return ScoreCube(
        sentences=sentences,
        names=pd.DataFrame({"name": ["Ann", "Bo", "Cy"]}),
        targets=targets,
        original=random.random((4, 2), np.float32),
        perturbed=random.random((4, 3, 2), np.float32),
        provenance={"targets": [asdict(target) for target in targets], "notes": ["One."]},
    )


def test_thresholds_left_out_sentences_and_hidden_names_come_back(cube: ScoreCube, tmp_path: Path) -> None:
    results.write(with_view(cube, SEEN), tmp_path / "out", lambda _: "")
    opened = results.read(tmp_path / "out")
    assert view_of(opened) == View({"rude": 0.25}, ("c",), True)  # 0 is the other target's own
    assert [target.default_threshold for target in opened.targets] == [0.25, 0.0]
    assert opened.shape == cube.shape, "who opens it may take the sentence back in"
    assert view_of(with_view(opened, View())) == View()
    assert [target.default_threshold for target in with_view(opened, View()).targets] == [0.5, 0.0]


def test_every_file_is_about_what_the_reader_sees(cube: ScoreCube, tmp_path: Path) -> None:
    results.write(with_view(cube, SEEN), tmp_path / "seen", report.render)
    kept = cube.rows(np.array([True, True, False, True])).with_thresholds({"rude": 0.25})
    results.write(kept, tmp_path / "kept", report.render)
    for name in ("names.csv", "summary.json", "label_dist.csv", "flips.csv"):
        assert (tmp_path / "seen" / name).read_bytes() == (tmp_path / "kept" / name).read_bytes(), name
    assert pd.read_csv(tmp_path / "seen" / "sentences.csv")["sentence_id"].tolist() == ["a", "b", "c", "d"]
    page = (tmp_path / "seen" / "report.html").read_text("utf-8")
    assert "rude is labelled at 0.25 and above, as a reader chose; the model&#39;s own threshold is 0.5." in page
    assert "A reader left 1 of 4 sentences out of these results." in page
    for name in cube.names["name"]:  # initials in every table, chart and text of the page; the data has the names
        assert not re.search(rf"\b{name}\b", page) and name in (tmp_path / "seen" / "names.csv").read_text("utf-8")
    assert "A••" in page and HIDDEN in page
    assert HIDDEN == "Names are shown as initials, as a reader chose; the data files have them in full."
    assert HIDDEN not in (tmp_path / "kept" / "report.html").read_text("utf-8")
    manifest = json.loads((tmp_path / "seen" / "manifest.json").read_text("utf-8"))
    assert manifest["notes"] == ["One."], "said anew by whoever opens it, not twice"
    assert tables.summary(shown(results.read(tmp_path / "seen"))) == tables.summary(kept)


def test_a_study_as_it_was_scored_has_no_view(cube: ScoreCube) -> None:
    same = with_view(cube, View({"rude": 0.5}))
    assert "view" not in same.provenance and shown(same) is same


def test_thresholds_stay_in_the_range_and_something_is_always_left(cube: ScoreCube) -> None:
    odd = with_view(cube, View({"rude": 7.0, "unknown": 0.1}, tuple("abcd")))
    assert odd.targets[0].default_threshold == 1.0
    assert shown(odd).shape == cube.shape
    assert "left" not in " ".join(shown(odd).provenance["notes"])


@pytest.mark.parametrize("view", [[], {"left_out": "abc"}, {"own_thresholds": {"rude": "x"}}, {"hidden_names": 1}])
def test_a_damaged_view_is_refused(cube: ScoreCube, tmp_path: Path, view: object) -> None:
    results.write(replace(cube, provenance={**cube.provenance, "notes": []}), tmp_path / "out", lambda _: "")
    path = tmp_path / "out" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "view": view}), encoding="utf-8")
    with pytest.raises(RunFolderError, match="view"):
        results.read(tmp_path / "out")


def test_obfuscated_names_stay_distinct() -> None:
    shown = obfuscated(["Ann Lee", "Amy Low", "Al Li", "", "Ann Lee"])
    assert len(set(shown.values())) == len(shown)
    assert all("nn" not in text for text in shown.values())


def test_a_reader_who_has_set_nothing_leaves_no_trace(cube: ScoreCube) -> None:
    assert view_of(cube) == View() == View({}, (), False)
    assert "view" not in with_view(cube, View()).provenance and shown(with_view(cube, View())).shape == cube.shape


@pytest.mark.parametrize("view", [View({"rude": 0.25}, (), False), View({}, ("c",), False), View({}, (), True)])
def test_one_thing_that_a_reader_has_set_is_enough_to_be_kept(cube: ScoreCube, view: View) -> None:
    kept = with_view(cube, view)
    assert "view" in kept.provenance and view_of(kept).hidden_names == view.hidden_names
    assert len(view_of(kept).left_out) == len(set(view.left_out) & set(cube.sentences["sentence_id"]))
