"""The same study by another model: only where its sentences and names are the run's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from psa_core import jobs
from psa_core.errors import RunFolderError
from psa_core.jobs import run_status, runs
from psa_core.study import StudySpec
from tests.jobs.waiting import waiting_run

SPEC = StudySpec("comments.csv", "demo", "vader")


@pytest.mark.parametrize(
    ("sentences", "has"), [("comments.csv", True), ("sample", True), ("other.csv", False), ("../job.json", False)]
)
def test_inputs_are_packaged_or_kept_with_the_run(sentences: str, has: bool) -> None:
    spec = replace(SPEC, sentences=sentences)
    run_id = waiting_run("run", {"comments.csv": b"text\nHe left.\n"}, study=spec)
    assert jobs.has_inputs(run_id) is has


def test_a_file_of_the_machine_is_not_looked_for(tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("text\nHe left.\n", encoding="utf-8")
    spec = replace(SPEC, sentences=str(tmp_path / "theirs.csv"))
    assert not jobs.has_inputs(waiting_run("run", study=spec))


def test_a_run_that_is_deleted_meanwhile_is_told(workers, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = waiting_run("run", {"comments.csv": b"text\nHe left.\n"}, study=SPEC)
    known, found = runs.run_path, []

    def deleted(asked: str) -> Path:
        found.append(known(asked))
        assert run_status.delete(asked)
        return found[0]

    monkeypatch.setattr(runs, "run_path", deleted)
    with pytest.raises(RunFolderError, match="No such file or directory"):
        jobs.submit_with(run_id, "keyword")
