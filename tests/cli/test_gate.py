"""``gate`` fails on a planted bias, and neither on noise nor on what was there before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from psa_core import cli, study
from psa_core.cube import ScoreCube
from psa_core.folders import results

PLANTED = 3


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    """A study with one target, whose scores any test may move."""
    found = study.run(sentences="sample", names="demo", model="keyword", sample=30)
    return replace(
        found,
        targets=found.targets[:1],
        original=found.original[:, :1],
        perturbed=found.perturbed[..., :1],
        provenance={**found.provenance, "targets": found.provenance["targets"][:1]},
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(cube: ScoreCube, name: str) -> None:
    results.write(cube, Path(name), lambda _: "")


def moved(cube: ScoreCube, by: float, name: int = PLANTED) -> ScoreCube:
    scores = cube.perturbed.copy()
    scores[:, name] += np.float32(by)
    return replace(cube, perturbed=scores)


def gate(*more: str, limit: str = "0.05") -> int:
    return cli.main(["gate", "new", "--baseline", "old", "--fail-above", limit, *more])


@pytest.mark.slow
def test_a_planted_bias_fails_and_is_told(cube: ScoreCube, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(cube, "old")
    write(moved(cube, 0.6), "new")
    name, target = cube.names["name"][PLANTED], cube.targets[0].name
    assert gate("--summary", "s.md", "--junit", "j.xml") == 1
    summary = (folder / "s.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out == summary
    assert summary.startswith("## Perturbation sensitivity: failed\n")
    (row,) = [line for line in summary.splitlines() if line.startswith(f"| `{name}`")]
    assert "+0.6000 [" in row and row.endswith("| **above** |")
    flips = [line for line in summary.splitlines() if line.startswith("- `")]
    assert len(flips) == 5 and all(f"with `{name}`" in line for line in flips)
    suite = ElementTree.parse(folder / "j.xml").getroot()[0]
    assert suite.attrib == {"name": target, "tests": "20", "failures": "1", "errors": "0"}
    assert [case.get("name") for case in suite if len(case)] == [name]


@pytest.mark.parametrize("before", [0.0, 0.6, -0.9])
def test_what_was_there_before_passes(cube: ScoreCube, before: float, capsys: pytest.CaptureFixture[str]) -> None:
    write(moved(cube, before), "old")
    write(moved(cube, max(before, 0.0)), "new")
    assert gate(limit="0") == 0
    assert "passed" in capsys.readouterr().out


@pytest.mark.slow
def test_without_a_folder_the_baseline_s_study_is_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(folder / "cache"))
    study_of = ["--sentences", "sample", "--names", "demo", "--sample", "20", "--model", "keyword", "--out", "old"]
    assert cli.main(["run", *study_of]) == 0
    again = ["gate", "--baseline", "old", "--fail-above", "0.05", "--name-effect"]
    assert cli.main(again) == 0
    assert cli.main([*again, "--model", "keyword:Rihanna=0.3", "--out", "new"]) == 1
    assert results.read(Path("new")).provenance["study"]["model"] == "keyword:Rihanna=0.3"


def test_what_a_baseline_names_is_only_a_suggestion(cube: ScoreCube, capsys: pytest.CaptureFixture[str]) -> None:
    study_of = {**cube.provenance["study"], "model": "python:os:system"}
    write(replace(cube, provenance={**cube.provenance, "study": study_of}), "old")
    assert cli.main(["gate", "--baseline", "old", "--fail-above", "0.05"]) == 2
    assert "--model" in capsys.readouterr().err


def test_noise_passes(cube: ScoreCube) -> None:
    random = np.random.default_rng(0)
    for name in ("old", "new"):
        noise = random.normal(0, 0.2, cube.perturbed.shape).astype(np.float32)
        write(replace(cube, perturbed=cube.perturbed + noise), name)
    assert gate(limit="0") == 0


def test_a_shift_of_all_names_is_none_against_the_other_names(cube: ScoreCube) -> None:
    write(cube, "old")
    write(replace(cube, perturbed=cube.perturbed + np.float32(0.25)), "new")
    assert gate() == 1
    assert gate("--name-effect", "names") == 0


def test_sentences_and_names_are_matched_by_what_they_are(cube: ScoreCube, capsys: pytest.CaptureFixture[str]) -> None:
    write(cube, "old")
    backwards = moved(cube, 0.6).rows(np.arange(9, -1, -1))
    grown = replace(backwards, names=backwards.names.assign(name=["A new name", *cube.names["name"][1:]]))
    write(grown, "new")
    assert gate() == 1
    said = capsys.readouterr().out
    assert "10 sentences × 19 names, in both results" in said and "not judged: 1 name." in said
    assert str(cube.names["name"][PLANTED]) in said


def test_two_different_studies_are_no_pair(cube: ScoreCube, capsys: pytest.CaptureFixture[str]) -> None:
    write(cube, "old")
    write(replace(cube, names=cube.names.assign(name=[f"Name {n}" for n in range(20)])), "new")
    assert gate() == 2
    assert "names of the two results: got none in common" in capsys.readouterr().err


def test_texts_are_no_markup(cube: ScoreCube, folder: Path) -> None:
    hostile = "`| <img src=x> @all\x1b"
    named = replace(
        cube, names=cube.names.assign(name=[*cube.names["name"][:PLANTED], hostile, *cube.names["name"][4:]])
    )
    write(named, "old")
    write(moved(named, 0.6), "new")
    assert gate("--summary", "s.md", "--junit", "j.xml") == 1
    summary = (folder / "s.md").read_text(encoding="utf-8")
    assert "| `` `\\| <img src=x> @all\ufffd `` |" in summary
    ElementTree.parse(folder / "j.xml")


@pytest.mark.parametrize(
    "options",
    [
        ("--fail-above", "-1"),
        ("--fail-above", "nan"),
        ("--fail-above", "inf"),
        ("--target", "charm"),
        ("--model", "vader"),  # which would not be asked, since there is a result to test
        ("--names", "demo"),
    ],
)
def test_bad_options_are_one_sentence(
    cube: ScoreCube, options: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("old", "new"):
        write(cube, name)
    assert gate(*options) == 2
    assert capsys.readouterr().err.count("\n") == 1
