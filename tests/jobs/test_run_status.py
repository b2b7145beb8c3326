"""A run's title: one line, kept with the run, and nobody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from psa_core import jobs
from psa_core.errors import RunFolderError
from tests.jobs.waiting import waiting_run


@pytest.fixture
def run_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path))
    return waiting_run("run")


def test_a_title_is_one_line_and_can_be_taken_away(run_id: str) -> None:
    assert jobs.title(run_id) == ""
    jobs.give_title(run_id, "  After\nthe\x00 change ")
    assert jobs.title(run_id) == "After the change"
    jobs.give_title(run_id, "x" * 100)
    assert len(jobs.title(run_id)) == jobs.MAX_TITLE_LENGTH
    jobs.give_title(run_id, " ")
    assert jobs.title(run_id) == ""


def test_a_run_that_is_not_there_has_none(run_id: str) -> None:
    with pytest.raises(RunFolderError):
        jobs.title("A" * 20)
    with pytest.raises(RunFolderError):
        jobs.give_title("../" + "A" * 20, "x")
