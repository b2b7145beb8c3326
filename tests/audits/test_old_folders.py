"""Folders of version 0.1.0, before audits shared one skeleton, open as they were, and their runs go on from them."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import audits, cli, study
from psa_core.folders import results

pytestmark = pytest.mark.slow

OLD = Path(__file__).resolve().parents[1] / "folders_0_1"


def holds(new: Any, old: Any) -> bool:
    """Whether everything in an old file is in the new one, which may say more."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(key in new and holds(new[key], value) for key, value in old.items())
    return bool(new == old)


#: Earlier audits counted scores at the threshold among those above it.
ABOVE = ("share", "disparity")


@pytest.mark.parametrize("audit", ["eec", "nationality", "generation"])
def test_an_old_folder_opens_and_is_written_anew_with_the_same_numbers(audit: str, tmp_path: Path) -> None:
    found = audits.plugins()[audit]
    found.read(OLD / audit)
    found.rewrite(OLD / audit, tmp_path / "new")
    for path in (OLD / audit).iterdir():
        new = tmp_path / "new" / path.name
        if path.suffix == ".parquet":
            assert new.read_bytes() == path.read_bytes(), path.name
        elif path.suffix == ".csv":  # which may have more columns by now
            before, after = (pd.read_csv(file, keep_default_na=False) for file in (path, new))
            before = before.drop(columns=[column for column in ABOVE if column in before])
            pd.testing.assert_frame_equal(after[before.columns], before, obj=path.name)
        elif path.name not in ("manifest.json", "datapackage.json"):
            before = json.loads(path.read_text("utf-8"))
            for numbers in before.values():
                numbers.pop("demographic_disparity", None)
            assert holds(json.loads(new.read_text("utf-8")), before), path.name
    assert (tmp_path / "new" / "report.html").is_file()


def test_an_old_zip_opens(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in (OLD / "generation").iterdir():
            archive.write(path, path.name)
    audits.open_zip("generation", buffer.getvalue(), tmp_path / "new")
    assert audits.plugins()["generation"].read(tmp_path / "new").cube.shape == (2, 2, 3)


def test_an_old_audit_of_continuations_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    shutil.copytree(OLD / "generation", tmp_path / "out")
    shutil.copytree(OLD / "inputs", tmp_path / "in")
    monkeypatch.chdir(tmp_path / "in")
    given = ["--templates", "t.txt", "--values", "v.csv", "--continuations", "3", "--leak-check", "0"]
    given += ["--lm", "continuations:made.csv", "--scorer", "keyword,opinion-words", "--out", str(tmp_path / "out")]
    assert cli.main(["generate", *given]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    old = json.loads((OLD / "generation" / "manifest.json").read_text("utf-8"))
    assert manifest["setting"] == old["setting"] and (manifest["generated"], manifest["known_before"]) == (0, 12)
    before, after = (pd.read_parquet(place / "scores.parquet") for place in (OLD / "generation", tmp_path / "out"))
    pd.testing.assert_frame_equal(before, after)


def test_an_old_study_opens_and_its_manifest_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    cube = results.read(OLD / "study")
    assert study.spec_of(cube).max_words == 30 and study.spec_of(cube).balance is False
    manifest = str(OLD / "study" / "manifest.json")
    assert cli.main(["run", "--from-manifest", manifest, "--out", str(tmp_path / "new")]) == 0
    again = results.read(tmp_path / "new")
    np.testing.assert_array_equal(again.perturbed, cube.perturbed)
    assert study.spec_of(again) == study.spec_of(cube)
