"""Studies that somebody brings: read, measured and written in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core import jobs
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import judgements, results
from psa_core.folders.judgements import Judgement


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
    assert "theirs" not in (there / "report.html").read_text("utf-8")
    known = jobs.status(run_id)
    assert (known.state, known.sentences_done, known.spec.seed) == ("finished", 2, 3)
    assert not {path.stat().st_mode & 0o077 for path in there.rglob("*")} - {0}


def test_an_audit_is_opened_elsewhere(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps({**manifest, "audit": "nationality"}))
    with pytest.raises(RunFolderError, match=r"of a nationality audit, expected a study\. Open it on that"):
        jobs.keep_zip(results.to_zip(folder))
    assert not list(Path(jobs.root()).glob("*"))


@pytest.mark.parametrize("setting", ["PSA_MAX_MEASURE_SECONDS", "PSA_MAX_READ_MB"])
def test_one_that_takes_too_much_to_be_measured_leaves_nothing(
    folder: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, "1" if setting.endswith("SECONDS") else "150")
    with pytest.raises(RunFolderError, match=setting):
        jobs.keep_zip(results.to_zip(folder))
    assert not list(Path(jobs.root()).glob("*"))
