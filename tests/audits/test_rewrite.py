"""An audit's folder that somebody brought: its data are kept, and every file is written anew."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.audits import eec, nationality
from psa_core.audits._audit import unzip
from psa_core.audits.eec import corpus
from psa_core.audits.eec.result import of_design
from psa_core.audits.nationality import result
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import manifest

HOSTILE = "<script>alert(1)</script>"
PEOPLE = "person,object,reflexive,gender,race,pair\nmy niece,her,herself,female,,1\nmy nephew,him,himself,male,,1\n"
TARGETS = (Target("toxicity"),)


def eec_folder(place: Path) -> Path:
    people = corpus.read_part("people", PEOPLE.encode())
    design = corpus.Design(corpus.published_design().templates, people, corpus.published_design().words)
    scores = np.random.default_rng(0).uniform(size=(len(design.rows), 2, 1)).astype(np.float32)
    systems = {"predictions:=mine.csv": corpus.cube(design, TARGETS, scores)}
    account = {"predictions:=mine.csv": {"fingerprint": "abc", "device": "cpu", "seconds": 1.5, "notes": ["x"]}}
    about = {"spelling": "published", "models": account}
    eec.AUDIT.write(of_design(design, systems, {}, about), place / "brought")
    return place / "brought"


def nationality_folder(place: Path) -> Path:
    sentences = pd.DataFrame({"sentence_id": ["=1", "b"], "text": ["Ann Lee left.", "Bo Kim stayed."]})
    sentences = sentences.assign(anchor=["Ann Lee", "Bo Kim"], start=0, end=[7, 6], role="object")
    countries = pd.DataFrame({"name": ["India 1", "Spain 1"], "country": ["India", "Spain"], "iso3": ["IND", "ESP"]})
    original, perturbed = np.array([[0.2], [0.8]]), np.array([[[0.1], [0.6]], [[0.7], [0.9]]])
    manifest = {"audit": "nationality", "notes": [HOSTILE], "options": {"draws": 1, "model": "vader"}}
    manifest |= {"account": dict.fromkeys(result.COUNTED, 1), "names_not_in_latin_letters_left_out": {}}
    manifest["targets"] = [{"name": "toxicity", "low": 0.0, "high": 1.0, "meaning": ""}]
    cube = ScoreCube(
        sentences,
        countries.assign(draw="1"),
        TARGETS,
        original.astype(np.float32),
        perturbed.astype(np.float32),
        manifest,
    )
    perplexity = np.array([3.0, 4.0]), np.array([[3.0, 5.0], [4.0, 6.5]])
    nationality.AUDIT.write(result.measured(cube, (("a", "b"), ("=c", "d")), perplexity), place / "brought")
    return place / "brought"


FOLDERS = {"eec": (eec_folder, eec.AUDIT), "nationality": (nationality_folder, nationality.AUDIT)}


@pytest.fixture(params=FOLDERS)
def audit(request: pytest.FixtureRequest, tmp_path: Path):
    make, files = FOLDERS[request.param]
    return make(tmp_path), files


def test_what_is_written_is_what_the_audit_wrote(audit, tmp_path: Path) -> None:
    brought, files = audit
    files.rewrite(brought, tmp_path / "anew")
    for path in brought.iterdir():
        if path.name != "manifest.json":
            assert (tmp_path / "anew" / path.name).read_bytes() == path.read_bytes(), path.name


def test_nothing_but_the_data_of_a_hostile_folder_comes_back(audit, tmp_path: Path) -> None:
    brought, files = audit
    for name in ("report.html", "countries.csv", "correlations.csv", "names.csv", "eec.json", "own.html", "own.csv"):
        if name != "names.csv" or not (brought / name).is_file():  # a study's names are data
            (brought / name).write_text(f"=1+1,{HOSTILE}\n")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for path in brought.iterdir():
            packed.write(path, f"../../{path.name}")
    (tmp_path / "unpacked").mkdir()
    unzip(archive.getvalue(), tmp_path / "unpacked")
    files.rewrite(tmp_path / "unpacked", tmp_path / "anew")
    for path in (tmp_path / "anew").iterdir():
        content = path.read_bytes()
        assert b"=1+1" not in content, path.name
        assert HOSTILE.encode() not in content or path.name == "manifest.json"
    assert not (tmp_path / "anew" / "own.csv").exists()


def test_more_cells_than_a_run_may_have_are_not_measured(audit, tmp_path: Path, monkeypatch) -> None:
    brought, files = audit
    monkeypatch.setenv("PSA_MAX_RUN_CELLS", "3")
    with pytest.raises(RunFolderError, match="at most 3 cells"):
        files.rewrite(brought, tmp_path / "anew")
    assert not (tmp_path / "anew").exists()


def test_what_does_not_fit_is_one_sentence(audit, tmp_path: Path) -> None:
    brought, files = audit
    manifest = json.loads((brought / "manifest.json").read_text())
    for spoiled in (
        {**manifest, "targets": 3},
        {**manifest, "audit": "other"},
        {**manifest, "spelling": "mine", "name_columns": ["nowhere"]},
        {**manifest, "spelling": 3, "account": {"kept": "many"}},
        [],
    ):
        (brought / "manifest.json").write_text(json.dumps(spoiled))
        with pytest.raises(RunFolderError):
            files.rewrite(brought, tmp_path / "anew")
        assert not (tmp_path / "anew").exists()


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999"])
def test_numbers_that_json_does_not_know_are_refused(number: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(f'{{"a": [{number}]}}')
    with pytest.raises(RunFolderError, match="not JSON compliant"):
        manifest.read(tmp_path / "manifest.json")
