"""``run --from-manifest``: what a manifest names is a suggestion that a person confirms."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from psa_core import cli

PROGRAM = "def score(texts):\n    open('was-run', 'w').close()\n    return [0.5] * len(texts)\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two files by a packaged model, and a program beside it."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSA_CACHE_DIR", str(folder / "cache"))
        patch.chdir(folder)
        Path("s.txt").write_text("He left.\nShe stayed.\n")
        Path("n.txt").write_text("Ann Lee\nBo Kim\n")
        Path("hostile_program.py").write_text(PROGRAM)
        assert cli.main(["run", "--sentences", "s.txt", "--names", "n.txt", "--model", "keyword", "--out", "out"]) == 0
    return folder


@pytest.fixture(autouse=True)
def study(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has a copy of the study."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PSA_HTTP_ALLOW", raising=False)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("hostile_program", None)


def edited(**fields: Any) -> None:
    manifest = json.loads(Path("out/manifest.json").read_text())
    manifest["study"] |= fields
    Path("m.json").write_text(json.dumps(manifest))


def again(*options: str) -> int:
    return cli.main(["run", "--from-manifest", "m.json", "--out", "again", *options])


@pytest.mark.parametrize(
    "model_id",
    ["python:hostile_program:score", "python:subprocess:getoutput", "http://127.0.0.1:9/", "predictions:s.txt", "hf:/"],
)
def test_a_model_that_a_file_names_is_not_loaded(model_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    edited(model=model_id)
    assert again() == 2
    assert not Path("was-run").exists()
    assert not Path("again").exists()
    (line,) = capsys.readouterr().err.splitlines()
    assert "only a suggestion" in line
    assert "--model" in line


def test_what_a_person_types_is_loaded() -> None:
    edited(model="python:hostile_program:score")
    assert again("--model", "python:hostile_program:score") == 0
    assert Path("was-run").exists()


def test_a_flag_allows_what_the_file_names() -> None:
    edited(model="python:hostile_program:score")
    assert again("--allow-code") == 0
    assert Path("was-run").exists()


@pytest.mark.parametrize("field", ["sentences", "names"])
def test_a_file_that_the_manifest_was_not_written_of_is_not_studied(
    field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.txt").write_text("He has a secret.\nShe has another.\n")
    edited(**{field: "other.txt"})
    assert again() == 2
    assert f"add --{field}" in capsys.readouterr().err
    assert not Path("again").exists()
    assert again(f"--{field}", "other.txt") == 0


@pytest.mark.parametrize("content", ["[]", "{", '{"study": []}', '{"study": {"model": "vader"}}', "[" * 100_000])
def test_what_is_no_manifest_is_said(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.json").write_text(content)
    assert again() == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_is_typed_beside_a_manifest_is_taken() -> None:
    edited()
    assert again("--sample", "1", "--seed", "3") == 0
    study = json.loads(Path("again/manifest.json").read_text())["study"]
    assert (study["sample"], study["seed"], study["max_words"], study["sentences"]) == (1, 3, None, "s.txt")
