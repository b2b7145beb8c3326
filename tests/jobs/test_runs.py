"""Runs as folders: a real worker process, watched, cancelled, resumed, found again by its id alone."""

import os
import signal
import time
from dataclasses import replace

import pytest

from psa_core import jobs
from psa_core.errors import RunFolderError
from psa_core.study import StudySpec

COMMENTS = "text\n" + "\n".join(f"I hope he wins race {number}." for number in range(30))
UPLOADS = {"comments.csv": COMMENTS.encode(), "people.txt": b"Ann Lee\nDick Cheney\n"}
SPEC = StudySpec("comments.csv", "people.txt", "vader")


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    yield
    for worker in []:
        worker.wait()


def wait(run_id, until=lambda status: not status.live, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        status = jobs.status(run_id)
        if until(status):
            return status
        time.sleep(0.05)
    raise AssertionError(f"still {status}: {(jobs.run_path(run_id) / 'worker.log').read_text()}")


@pytest.mark.slow
def test_a_run_finishes_and_opens():
    run_id = jobs.submit(SPEC, UPLOADS)
    assert jobs.status(run_id).live
    status = wait(run_id)
    assert (status.state, status.sentences_done, status.message) == ("finished", 30, "")
    assert jobs.open_cube(run_id).shape == (30, 2, 1)
    assert (jobs.result_folder(run_id) / "report.html").is_file()


@pytest.mark.slow
def test_a_run_waits_for_its_turn_and_is_cancelled_and_resumed():
    from filelock import FileLock

    jobs.root().mkdir(parents=True)
    with FileLock(jobs.root() / "scoring.lock"):
        run_id = jobs.submit(SPEC, UPLOADS)
        wait(run_id, lambda status: "another run" in status.message)
        jobs.cancel(run_id)
        status = wait(run_id)
        assert status.state == "cancelled"
        assert "resume" in status.message
    jobs.resume(run_id)
    assert wait(run_id).state == "finished"


@pytest.mark.slow
def test_a_killed_worker_is_told_and_resumed():
    from filelock import FileLock

    jobs.root().mkdir(parents=True)
    with FileLock(jobs.root() / "scoring.lock"):
        run_id = jobs.submit(SPEC, UPLOADS)
        wait(run_id, lambda status: "another run" in status.message)
        os.kill(int((jobs.run_path(run_id) / "pid").read_text()), signal.SIGKILL)
        status = wait(run_id)
    assert status.state == "failed"
    assert "unexpectedly" in status.message
    jobs.resume(run_id)
    assert wait(run_id).state == "finished"


@pytest.mark.slow
def test_bad_input_is_the_runs_message():
    status = wait(jobs.submit(SPEC, {**UPLOADS, "comments.csv": b"text\nNothing here\n"}))
    assert status.state == "failed"
    assert "no anchor" in status.message or "expected" in status.message
    with pytest.raises(RunFolderError):
        jobs.result_folder(status.run_id)


@pytest.mark.parametrize("run_id", ["", "../../etc", "a" * 20, "x/../../y" * 3])
def test_an_id_that_is_none_is_told(run_id):
    with pytest.raises(RunFolderError, match="unknown run id"):
        jobs.status(run_id)


def test_uploads_stay_inside_the_runs_folder(monkeypatch):
    monkeypatch.setattr(jobs.runs, "resume", lambda run_id: None)
    run_id = jobs.submit(SPEC, {"../../evil.csv": b"x"})
    assert [path.name for path in (jobs.run_path(run_id) / "inputs").iterdir()] == ["evil.csv"]


@pytest.mark.parametrize("name", ["..", "a\0b.csv", "x" * 300 + ".csv", "名" * 100 + ".csv", "\udcff.csv", ""])
def test_uploads_with_odd_names_are_kept(name, monkeypatch):
    monkeypatch.setattr(jobs.runs, "resume", lambda run_id: None)
    place = jobs.run_path(jobs.submit(replace(SPEC, sentences=name), {name: b"x"}))
    (kept,) = (place / "inputs").iterdir()
    assert kept.read_bytes() == b"x"
    assert jobs.spec_at(place).sentences == kept.name


def test_history_is_empty_on_a_shared_server(monkeypatch):
    monkeypatch.setattr(jobs.runs, "resume", lambda run_id: None)
    run_id = jobs.submit(SPEC, UPLOADS)
    assert jobs.history() == []
    monkeypatch.setenv("PSA_HISTORY", "1")
    assert [status.run_id for status in jobs.history()] == [run_id]
