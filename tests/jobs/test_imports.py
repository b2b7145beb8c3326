"""Studies that somebody brings: read in a process of its own, and measured in another when their files are wanted."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core import atomic, jobs, report
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import judgements, results
from psa_core.folders.judgements import Judgement
from psa_core.folders.view import View, view_of
from psa_core.jobs import run_status, runs
from psa_core.jobs._records import JobRecord
from tests.zips import read_zip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result folder of two sentences and three names, with one judgement."""
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    sentences = pd.DataFrame(
        [("a", "He left.", "He", 0, 2, "subject"), ("b", "I saw him.", "him", 6, 9, "object")],
        columns=["sentence_id", "text", "anchor", "start", "end", "role"],
    )
    names = pd.DataFrame({"name": ["Ann", "Bo", "Cy"], "gender": ["female", "male", "male"]})
    scores = np.random.default_rng(0).random((2, 4, 1)).astype(np.float32)
    study = {"sentences": "sample", "names": "demo", "model": "vader", "seed": 3}
    content = {"study": study, "targets": [vars(Target("toxicity"))]}
    cube = ScoreCube(sentences, names, (Target("toxicity"),), scores[:, 0], scores[:, 1:], content)
    results.write(cube, tmp_path / "brought", lambda _: "<script>theirs</script>")
    judgements.save(tmp_path / "brought", Judgement("a", "Ann", "toxicity", "defect"))
    return tmp_path / "brought"


def test_a_study_that_is_brought_becomes_a_run_with_its_judgements(folder: Path) -> None:
    run_id = jobs.keep_zip(results.to_zip(folder))
    there = jobs.result_folder(run_id)
    np.testing.assert_array_equal(jobs.open_cube(run_id).perturbed, results.read(folder).perturbed)
    assert judgements.load(there).equals(judgements.load(folder))
    known = jobs.status(run_id)
    assert (known.state, known.sentences_done, known.spec.seed) == ("finished", 2, 3)
    assert not {path.stat().st_mode & 0o077 for path in there.rglob("*")} - {0}


def test_its_files_are_measured_anew_when_they_are_asked_for(folder: Path) -> None:
    (folder / "names.csv").write_text((folder / "names.csv").read_text().replace("Cy", "Eve"))
    for file in folder.glob("scores.*.parquet"):
        pd.read_parquet(file).rename(columns={"Cy": "Eve"}).to_parquet(file)
    (folder / "summary.json").write_text('"theirs"')
    run_id = jobs.keep_zip(results.to_zip(folder))
    assert not results.is_complete(jobs.result_folder(run_id))
    there = jobs.complete_result(run_id)
    assert {path.name for path in there.iterdir()} == {path.name for path in folder.iterdir()}
    assert not any("theirs" in (there / name).read_text("utf-8") for name in ("report.html", "summary.json"))
    results.write(results.read(there), folder.parent / "again", report.render)
    assert (there / "names.csv").read_bytes() == (folder.parent / "again" / "names.csv").read_bytes()
    assert judgements.load(there).equals(judgements.load(folder))
    assert not {path.stat().st_mode & 0o077 for path in there.rglob("*")} - {0}
    assert not [path for path in jobs.root().iterdir() if path.name.startswith(".new-")]
    assert jobs.complete_result(run_id) == there


def test_an_audit_is_opened_elsewhere(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps({**manifest, "audit": "nationality"}))
    with pytest.raises(RunFolderError, match=r"of a nationality audit, expected a study\. Open it on that"):
        jobs.keep_zip(results.to_zip(folder))
    assert not list(Path(jobs.root()).glob("*"))


@pytest.mark.parametrize(("setting", "most"), [("PSA_MAX_ARCHIVE_FILES", "2"), ("PSA_MAX_RUN_CELLS", "5")])
def test_one_that_takes_too_much_to_be_read_leaves_nothing(
    folder: Path, setting: str, most: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, most)
    with pytest.raises(RunFolderError, match=setting):
        jobs.keep_zip(results.to_zip(folder))
    assert not list(Path(jobs.root()).glob("*"))


def test_one_that_takes_too_much_to_be_measured_can_still_be_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = jobs.keep_zip(results.to_zip(folder))
    before = {path: path.read_bytes() for path in jobs.result_folder(run_id).iterdir()}
    monkeypatch.setenv("PSA_MAX_MEASURE_SECONDS", "1")
    with pytest.raises(RunFolderError, match="PSA_MAX_MEASURE_SECONDS"):
        jobs.complete_result(run_id)
    assert {path: path.read_bytes() for path in jobs.result_folder(run_id).iterdir()} == before
    assert jobs.open_cube(run_id).shape == (2, 3, 1)


def test_columns_of_a_name_list_may_be_called_like_measures_and_like_each_other(folder: Path) -> None:
    cube = results.read(folder)
    strange = ["target", "name (group)", "score_sens", "x", "x (group)", "n", "group"]
    values = {column: [f"{column}{n}" for n in range(3)] for column in strange}
    named = replace(cube, names=pd.DataFrame({"name": cube.names["name"], **values}))
    results.write(named, folder.parent / "strange", lambda _: "")
    for opened in (
        results.read(folder.parent / "strange"),
        read_zip(results.to_zip(folder.parent / "strange")),
    ):
        pd.testing.assert_frame_equal(opened.names, named.names)
    results.write_data(named, folder.parent / "data")
    pd.testing.assert_frame_equal(results.read(folder.parent / "data").names, named.names)


@pytest.fixture
def measured_at_once(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Studies in the order in which they were measured; in this process, and without a report."""
    measured: list[Path] = []

    def at_once(_: object, place: Path, made: Path, *_seen: object, **__: object) -> None:
        measured.append(place)
        time.sleep(0.1)
        results.write(results.read(place), made, lambda _: "")

    monkeypatch.setattr(runs.bounded, "call", at_once)
    return measured


def data_only(folder: Path) -> str:
    """A run of a study with nothing but its data."""
    return runs.finished(JobRecord("run"), lambda place: results.write_data(results.read(folder), place))


def test_who_asks_for_the_same_files_at_once_waits_for_them(folder: Path, measured_at_once: list[Path]) -> None:
    run_id = data_only(folder)
    with ThreadPoolExecutor(8) as threads:
        places = set(threads.map(jobs.complete_result, [run_id] * 8))
    assert measured_at_once == list(places) == [jobs.result_folder(run_id)]
    assert results.is_complete(measured_at_once[0])


def test_a_run_that_is_deleted_while_it_is_measured_is_told(
    folder: Path, measured_at_once: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = data_only(folder)
    monkeypatch.setattr(atomic, "close_to_others", lambda _: run_status.delete(run_id))
    with pytest.raises(RunFolderError, match="unknown run id"):
        jobs.complete_result(run_id)
    assert os.listdir(jobs.root()) == ["queue"]


def test_a_zip_is_what_its_reader_saw_and_opens_so(folder: Path) -> None:
    run_id = jobs.keep_zip(results.to_zip(folder))
    cube = jobs.open_cube(run_id)
    first = cube.sentences["sentence_id"][0]
    view = View({cube.targets[0].name: 0.25}, (first,), True)
    again = jobs.keep_zip(jobs.zip_as_seen(run_id, view))
    assert view_of(jobs.open_cube(again)) == view
    assert judgements.load(jobs.result_folder(again)).equals(judgements.load(folder))
    assert set(pd.read_csv(jobs.complete_result(again) / "names.csv")["threshold"]) == {0.25}
    assert first not in pd.read_csv(jobs.complete_result(again) / "flips.csv", dtype=str)["sentence_id"].tolist()
    assert jobs.zip_as_seen(again, view) == results.to_zip(jobs.complete_result(again))
