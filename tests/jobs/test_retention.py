"""Old runs go, with everything; what is used, what works and what is somebody else's stays."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from psa_core import jobs, locks
from psa_core.cli import main
from psa_core.errors import RunFolderError
from psa_core.jobs import run_status
from psa_core.study import StudySpec
from tests.jobs.waiting import waiting_run

SPEC = StudySpec("sample", "demo", "vader")
DAY = 86_400


def aged(run_id: str, days: float) -> str:
    place = jobs.root() / run_id
    for path in (*place.iterdir(), place):
        os.utime(path, (time.time() - days * DAY,) * 2)
    return run_id


def ended(days: float) -> str:
    run_id = waiting_run("run", {"comments.csv": b"text\nHe left.\n"}, study=SPEC)
    jobs.write_status(jobs.root() / run_id, state="finished")
    return aged(run_id, days)


def test_the_command_lists_and_deletes_old_runs(workers, capsys):
    old, new, damaged = ended(31), ended(29), ended(0)
    (jobs.root() / damaged / jobs.JOB).write_text("{")
    waiting = aged(jobs.submit(SPEC, {}), 40)
    (jobs.root() / "notes").mkdir()
    os.utime(jobs.root() / "notes", (0, 0))
    assert main(["runs"]) == 0
    printed = capsys.readouterr().out
    assert [run_id in printed for run_id in (old, new, damaged, waiting, "notes")] == [True] * 4 + [False]
    assert "damaged" in printed and "4 runs" in printed
    assert main(["runs", "--older-than", "30d", "--delete"]) == 0
    assert capsys.readouterr().out.startswith("1 run deleted")
    assert main(["runs", "--damaged", "--delete"]) == 0
    assert sorted(os.listdir(jobs.root())) == sorted([new, waiting, "notes", "queue"])


@pytest.mark.parametrize("age", ["", "30", "1y", "9999999d"])
def test_an_age_that_is_none_is_told(age, capsys):
    assert main(["runs", "--older-than", age or " "]) == 2
    assert "--older-than" in capsys.readouterr().err


def test_a_run_that_was_opened_is_in_use():
    run_id = ended(40)
    assert [run.run_id for run in run_status.unused(30 * DAY)] == [run_id]
    with pytest.raises(RunFolderError):
        jobs.open_cube(run_id)  # it has no scores, but somebody looked
    assert run_status.unused(30 * DAY) == []


def test_a_shared_server_deletes_by_itself_and_ones_own_machine_does_not(monkeypatch):
    monkeypatch.setenv("PSA_HISTORY", "1")
    old, left = ended(31), jobs.root() / ".new-of-a-killed-process"
    left.mkdir()
    os.utime(left, (0, 0))
    run_status.sweep()
    assert (jobs.root() / old).is_dir() and not left.exists()
    monkeypatch.delenv("PSA_HISTORY")
    run_status.sweep()
    assert (jobs.root() / old).is_dir()  # an hour has to pass
    os.utime(jobs.root() / ".swept", (0, 0))
    run_status.sweep()
    assert not (jobs.root() / old).exists()


def test_links_are_not_followed(tmp_path: Path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").touch()
    jobs.root().mkdir(parents=True)
    (jobs.root() / ("x" * 20)).symlink_to(tmp_path / "letters")
    assert not run_status.delete("x" * 20)
    run_id = ended(31)
    (jobs.root() / run_id / "result").symlink_to(tmp_path / "letters")
    assert run_status.delete(run_id)
    assert (tmp_path / "letters" / "dear.txt").is_file()


def test_a_run_that_waits_leaves_the_queue_when_it_is_deleted(workers):
    first, second, third = (jobs.submit(SPEC, {}) for _ in range(3))
    assert (run_status.delete(first), run_status.delete(second)) == (False, True)
    assert jobs.status(third).ahead == 1
    workers.end(first)
    jobs.advance()
    assert workers.started == [first, third]


def test_a_run_is_not_given_a_worker_while_it_is_deleted(workers, monkeypatch):
    first, second = (jobs.submit(SPEC, {}) for _ in range(2))
    workers.end(first)
    starting = threading.Thread(target=jobs.advance)

    def looked(path: Path) -> bool:
        held = locks.is_locked(path)
        starting.start()
        starting.join(0.3)
        return held

    monkeypatch.setattr(run_status, "locks", SimpleNamespace(is_locked=looked))
    assert run_status.delete(second)
    starting.join()
    assert workers.started == [first]
    assert sorted(os.listdir(jobs.root())) == sorted([first, "queue"])


def test_a_run_is_deleted_by_several_at_once(workers):
    run_id = ended(31)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(run_status.delete, [run_id] * 8))
    assert os.listdir(jobs.root()) == ["queue"]
