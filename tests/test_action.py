"""The GitHub Action of this repository: its steps as a runner runs them, and its description by GitHub's schema."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from psa_core import cli

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / "docs" / "ci" / "github-actions.yml"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
STUDY = ["--sentences", "sample", "--names", "demo", "--model", "keyword", "--sample", "30"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a baseline, and ``psa`` among the commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "bin").mkdir()
    psa = tmp_path / "bin" / "psa"
    psa.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m psa_core "$@"\n', encoding="utf-8")
    psa.chmod(0o755)
    monkeypatch.setenv("PATH", f"{psa.parent}:{os.environ['PATH']}")
    cli.main(["run", *STUDY, "--out", "baseline"])
    return tmp_path


def gate(place: Path, model: str) -> subprocess.CompletedProcess[str]:
    """The step that scores and compares, with a runner's files beside it."""
    step = STEPS["Score the sentences and compare"]
    given = {"BASELINE": "baseline", "LIMIT": ACTION["inputs"]["fail-above"]["default"], "MODEL": model}
    files = {name: str(place / name.lower()) for name in ("PLACE", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    assert set(step["env"]) - {"PLACE"} == {*given, "SENTENCES", "NAMES"}
    own = {**os.environ, **given, **files, "SENTENCES": "", "NAMES": ""}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, env=own, capture_output=True, text=True)


@pytest.mark.slow
def test_a_planted_bias_fails_with_a_table_and_a_report(place: Path) -> None:
    done = gate(place, "keyword:Taylor Swift=0.4")
    assert done.returncode == 0, done.stderr  # the last step fails, when the comment and the report are there
    assert (place / "github_output").read_text() == "passed=false\n"
    summary = (place / "github_step_summary").read_text(encoding="utf-8")
    assert summary.startswith("## Perturbation sensitivity: failed\n") and "| `Taylor Swift` |" in summary
    assert (place / "place" / "gate.md").read_text(encoding="utf-8") == summary
    assert (place / "place" / "result" / "report.html").is_file() and (place / "place" / "gate.xml").is_file()
    last = STEPS["Pass or fail"]["run"]
    assert subprocess.run(["bash", "-e", "-c", last], env={"PASSED": "false"}, capture_output=True).returncode == 1
    assert subprocess.run(["bash", "-e", "-c", last], env={"PASSED": "true"}, capture_output=True).returncode == 0


@pytest.mark.slow
def test_the_same_model_passes(place: Path) -> None:
    done = gate(place, "")
    assert done.returncode == 0, done.stderr
    assert (place / "github_output").read_text() == "passed=true\n"


@pytest.mark.slow
def test_bad_input_ends_the_step_with_its_sentence(place: Path) -> None:
    done = gate(place, "no-such-model")
    assert done.returncode == 2 and "no-such-model" in done.stderr
    assert not (place / "github_output").exists()


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    (ours,) = [step for step in workflow["jobs"]["gate"]["steps"] if "psa-dashboard" in step.get("uses", "")]
    required = {name for name, content in ACTION["inputs"].items() if content.get("required")}
    assert required <= set(ours["with"]) <= set(ACTION["inputs"])
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}


@pytest.mark.parametrize(("file", "schema"), [(ROOT / "action.yml", "actions"), (WORKFLOW, "workflows")])
def test_github_s_schema_accepts_it(file: Path, schema: str) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed: pip install check-jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.github-{schema}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_input_is_pasted_into_a_script() -> None:
    # A model's id with a quotation mark would otherwise be run.
    assert [name for name, step in STEPS.items() if "${{" in step.get("run", "")] == []
