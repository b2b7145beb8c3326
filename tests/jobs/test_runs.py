"""Runs as folders: a real worker process, watched, cancelled, resumed, found again by its id alone."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from psa_core import jobs, locks
from psa_core.errors import OptionError, RunFolderError
from psa_core.jobs import _queue, worker
from psa_core.study import StudySpec
from psa_core.trust import Origin

ROOT = Path(__file__).resolve().parents[2]
COMMENTS = "text\n" + "\n".join(f"I hope he wins race {number}." for number in range(30))
UPLOADS = {"comments.csv": COMMENTS.encode(), "people.txt": b"Ann Lee\nDick Cheney\n"}
SPEC = StudySpec("comments.csv", "people.txt", "vader")


def wait(run_id, until=lambda status: not status.live, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        status = jobs.status(run_id)
        if until(status):
            return status
        time.sleep(0.05)
    raise AssertionError(f"still {status}: {(jobs.run_path(run_id) / 'worker.log').read_text()}")


def modes(place):
    """What anybody but the owner may do in a folder, by path."""
    return {path: stat.S_IMODE(path.lstat().st_mode) & 0o077 for path in [place, *place.rglob("*")]}


@pytest.mark.slow
def test_a_run_finishes_and_opens_and_is_its_owners_only(tmp_path):
    run_id = jobs.submit(SPEC, UPLOADS)
    assert jobs.status(run_id).live
    assert not any(run_id in " ".join(child.args) for child in _queue._children)
    status = wait(run_id)
    assert (status.state, status.sentences_done, status.message) == ("finished", 30, "")
    assert jobs.open_cube(run_id).shape == (30, 2, 1)
    assert (jobs.result_folder(run_id) / "report.html").is_file()
    assert set(modes(tmp_path).values()) == {0}


@pytest.mark.slow
def test_a_worker_that_is_killed_is_told_and_the_run_resumed():
    run_id = jobs.submit(SPEC, UPLOADS)
    (worker,) = _queue._children
    os.kill(worker.pid, signal.SIGKILL)
    status = wait(run_id)
    assert status.state == "failed"
    assert "unexpectedly" in status.message
    jobs.resume(run_id)
    assert wait(run_id).state == "finished"


@pytest.mark.slow
def test_a_run_is_resumed_at_once_though_nobody_has_looked_since_its_worker_died():
    run_id = jobs.submit(SPEC, UPLOADS)
    (worker,) = _queue._children
    worker.kill()
    worker.wait()
    jobs.resume(run_id)
    assert wait(run_id).state == "finished"


@pytest.mark.slow
def test_a_worker_ends_itself_when_it_is_to_stop(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "")
    run_id = jobs.submit(replace(SPEC, model="python:time:sleep"), UPLOADS)
    jobs.cancel(run_id)
    status = wait(run_id)
    assert (status.state, "resume" in status.message) == ("cancelled", True)


@pytest.mark.slow
def test_bad_input_is_the_runs_message_and_quotes_no_sentence():
    status = wait(jobs.submit(SPEC, {**UPLOADS, "comments.csv": b"text\nNothing here that anybody could replace\n"}))
    assert status.state == "failed"
    assert "1 without a word to replace" in status.message
    assert b"anybody" not in (jobs.run_path(status.run_id) / "status.json").read_bytes()
    with pytest.raises(RunFolderError):
        jobs.result_folder(status.run_id)


@pytest.mark.slow
def test_a_run_above_the_limit_is_refused_before_it_is_scored(monkeypatch):
    monkeypatch.setenv("PSA_MAX_RUN_CELLS", "59")
    status = wait(jobs.submit(SPEC, UPLOADS))
    assert status.state == "failed"
    assert "60 cells. Needed: at most 59 cells" in status.message


def test_visitors_take_turns_and_see_what_is_before_them(workers):
    def of(visitor):
        return jobs.submit(SPEC, UPLOADS, visitor=visitor, seconds=60.0)

    a1, a2, a3, b1, c1, b2 = (of(visitor) for visitor in "aaabcb")
    assert [(status.ahead, status.starts_in) for status in map(jobs.status, (a2, a3, b1, c1, b2))] == [
        (3, 180.0),
        (5, 300.0),
        (1, 60.0),
        (2, 120.0),
        (4, 240.0),
    ]
    for _ in range(6):
        workers.end(workers.started[-1])
        jobs.advance()
    assert workers.started == [a1, b1, c1, a2, b2, a3]


def test_the_queue_outlives_the_server_and_the_order_does_not_depend_on_the_clock(workers, monkeypatch):
    monkeypatch.setattr("time.time", iter(range(10**9, 0, -1)).__next__)
    first, second, third = (jobs.submit(SPEC, UPLOADS, visitor=visitor) for visitor in "xyz")
    workers.end(first)
    _queue._children.clear()  # all that a server remembers
    assert jobs.status(third).ahead == 1
    workers.end(second)
    jobs.advance()
    assert workers.started == [first, second, third]


def test_a_run_that_waits_is_cancelled_and_queued_again(workers):
    first, second = (jobs.submit(SPEC, UPLOADS) for _ in range(2))
    jobs.cancel(second)
    assert jobs.status(second).state == "cancelled"
    jobs.resume(second)
    assert (jobs.status(second).state, jobs.status(second).ahead) == ("queued", 1)
    workers.end(first)
    jobs.advance()
    assert workers.started == [first, second]


def test_each_visitor_and_all_together_have_so_many_runs(workers, monkeypatch):
    monkeypatch.setenv("PSA_MAX_RUNS_EACH", "2")
    monkeypatch.setenv("PSA_MAX_RUNS_QUEUED", "3")
    for _ in range(2):
        jobs.submit(SPEC, UPLOADS, visitor="a")
    with pytest.raises(OptionError, match="got 3 runs of yours in the queue, expected at most 2 runs"):
        jobs.submit(SPEC, UPLOADS, visitor="a")
    jobs.submit(SPEC, UPLOADS, visitor="b")
    with pytest.raises(OptionError, match="got 4 runs in the queue, expected at most 3 runs"):
        jobs.submit(SPEC, UPLOADS, visitor="c")
    assert len(jobs.run_status.run_folders()) == 3


def test_a_recycled_process_number_is_neither_waited_for_nor_ended(workers):
    run_id = jobs.submit(SPEC, UPLOADS)
    workers.end(run_id)
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        (jobs.run_path(run_id) / "pid").write_text(str(bystander.pid))  # as the version before this one left it
        assert jobs.status(run_id).state == "failed"
        jobs.cancel(run_id)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_ticket_that_is_damaged_is_served_and_one_of_a_deleted_run_is_not(workers):
    first, second, third = (jobs.submit(SPEC, UPLOADS) for _ in range(3))
    for ticket in (jobs.root() / "queue").glob(f"*.{second}"):
        ticket.write_bytes(b"\xff{")
    (jobs.root() / "queue" / f"000000001.{'x' * 20}").write_text("[]")
    (jobs.root() / "queue" / "notes.txt").write_text("")
    for run_id in (first, second):
        workers.end(run_id)
        jobs.advance()
    assert workers.started == [first, second, third]


def test_a_disk_without_room_is_one_sentence(workers, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    run_id = jobs.submit(SPEC, UPLOADS)
    workers.end(run_id)
    monkeypatch.setattr("os.fsync", full)
    for write in (lambda: jobs.submit(SPEC, UPLOADS), lambda: jobs.resume(run_id)):
        with pytest.raises(RunFolderError, match=r"^runs folder: got No space left on device, .* Delete old runs"):
            write()
    assert [place.name for place in jobs.run_status.run_folders()] == [run_id]
    assert sorted(os.listdir(jobs.root())) == sorted([run_id, "queue"])


@pytest.mark.parametrize("run_id", ["", "../../etc", "a" * 20, "x/../../y" * 3])
def test_an_id_that_is_none_is_told(run_id):
    with pytest.raises(RunFolderError, match="unknown run id"):
        jobs.status(run_id)


def test_uploads_stay_inside_the_runs_folder(workers):
    run_id = jobs.submit(SPEC, {"../../evil.csv": b"x"})
    assert [path.name for path in (jobs.run_path(run_id) / "inputs").iterdir()] == ["evil.csv"]


@pytest.mark.parametrize("name", ["..", "a\0b.csv", "x" * 300 + ".csv", "名" * 100 + ".csv", "\udcff.csv", ""])
def test_uploads_with_odd_names_are_kept(name, workers):
    place = jobs.run_path(jobs.submit(replace(SPEC, sentences=name), {name: b"x"}))
    (kept,) = (place / "inputs").iterdir()
    assert kept.read_bytes() == b"x"
    assert jobs.spec_at(place).sentences == kept.name


def test_relative_places_are_those_of_the_server(workers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSA_RUNS_DIR", "my runs")
    (tmp_path / "models").mkdir()
    (tmp_path / "comments.csv").write_text("not the upload")
    model = f"hf:{tmp_path}/models"
    own = Origin.OWN_MACHINE
    place = jobs.run_path(jobs.submit(replace(SPEC, model="hf:models"), UPLOADS, origin=own))
    assert place.parent == tmp_path / "my runs"
    assert (jobs.spec_at(place).model, jobs.spec_at(place).sentences) == (model, "comments.csv")
    asked = ["--model", "vader,hf:models?allow_pickle=1", "--people", "p.csv"]
    for origin, named in ((own, f"vader,{model}?allow_pickle=1"), (Origin.VISITOR, asked[1])):
        audit = jobs.submit_audit("eec", asked, {"p.csv": b""}, origin=origin)
        job = json.loads((jobs.run_path(audit) / jobs.JOB).read_text())
        assert job["arguments"] == ["--model", named, "--people", "p.csv"]
        assert jobs.status(audit).origin == origin


def test_history_is_empty_on_a_shared_server(workers, monkeypatch):
    run_id = jobs.submit(SPEC, UPLOADS)
    assert jobs.history() == []
    monkeypatch.setenv("PSA_HISTORY", "1")
    (jobs.root() / "somebody's folder").mkdir()
    (jobs.root() / ("d" * 20)).mkdir()
    (jobs.root() / ("d" * 20) / jobs.JOB).write_text("[")
    assert [status.run_id for status in jobs.history()] == [run_id]


def test_a_folder_that_holds_nothing_of_others_is_closed_to_them(workers, tmp_path, monkeypatch):
    for name, content, left in (("runs", ["d" * 20], 0), ("home", ["letters"], 0o055)):
        place = tmp_path / name
        place.mkdir(mode=0o755)
        for part in content:
            (place / part).mkdir()
        monkeypatch.setenv("PSA_RUNS_DIR", str(place))
        run = jobs.run_path(jobs.submit(SPEC, UPLOADS))
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == left
        assert set(modes(run).values()) == {0}


def test_the_lock_is_held_by_whom_it_was_handed_to(tmp_path):
    handle = locks.take(tmp_path / "lock")
    child = subprocess.Popen(["sleep", "60"], pass_fds=(handle,))
    os.close(handle)
    assert locks.is_locked(tmp_path / "lock")
    assert locks.take(tmp_path / "lock", 0) is None
    child.kill()
    child.wait()
    assert not locks.is_locked(tmp_path / "lock")


def test_many_resume_the_same_run_at_once_and_one_worker_starts(workers):
    run_id = jobs.submit(SPEC, UPLOADS)
    workers.end(run_id)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(jobs.resume, [run_id] * 8))
    assert workers.started == [run_id, run_id]


def test_a_run_that_has_finished_is_not_resumed(workers):
    run_id = jobs.submit(SPEC, UPLOADS)
    jobs.write_status(jobs.run_path(run_id), state="finished")
    workers.end(run_id)
    jobs.resume(run_id)  # from a tab that still shows that it had failed
    assert (jobs.status(run_id).state, workers.started) == ("finished", [run_id])


def test_a_worker_ends_itself_when_its_folder_is_gone(workers, monkeypatch):
    place, told = jobs.run_path(jobs.submit(SPEC, UPLOADS)), []
    monkeypatch.setattr("os.kill", lambda *call: told.append(call))
    monkeypatch.setattr("signal.setitimer", lambda *_: None)
    place.rename(place.with_name("moved"))
    monkeypatch.setattr("time.sleep", lambda seconds: told.append(seconds))
    monkeypatch.setattr("os._exit", lambda status: told.append(status))
    worker._watch(place)
    assert told == [(os.getpid(), signal.SIGTERM), worker.STOP_SECONDS, 3]


def test_a_run_is_stopped_inside_of_one_long_call_of_a_library(workers):
    place = jobs.run_path(jobs.submit(SPEC, UPLOADS))
    (place / jobs.CANCEL).touch()
    program = (
        "import hashlib, pathlib, sys, threading\n"
        "from psa_core.jobs import worker\n"
        f"threading.Thread(target=worker._watch, args=(pathlib.Path({str(place)!r}),), daemon=True).start()\n"
        "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)  # hears no signal"
    )
    handled = f"import signal\nsignal.signal(signal.SIGTERM, lambda *_: None)\nsignal.alarm(0)\n{program}"
    began = subprocess.Popen([sys.executable, "-c", handled], cwd=ROOT)
    assert began.wait(60) == 3


def test_a_run_is_stopped_where_a_library_lets_no_thread_run(workers):
    place = jobs.run_path(jobs.submit(SPEC, UPLOADS))
    program = (
        "import pathlib, re, threading\n"
        "from psa_core.jobs import worker\n"
        f"threading.Thread(target=worker._watch, args=(pathlib.Path({str(place)!r}),), daemon=True).start()\n"
        f"worker.watch_from_outside(pathlib.Path({str(place)!r}))\n"
        "print('ready', flush=True)\n"
        "re.match('(a+)+$', 'a' * 200 + 'b')  # for years, and keeps the interpreter's lock"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as stuck:
        assert stuck.stdout.readline() == "ready\n"
        (place / jobs.CANCEL).touch()
        stopped = time.monotonic()
        assert stuck.wait(60) == -signal.SIGKILL
    assert time.monotonic() - stopped < 2 * worker.STOP_SECONDS


def full_disk(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_the_manifest_says_what_computed_the_scores_of_a_run_that_was_killed_at_its_end(workers, monkeypatch):
    place = jobs.run_path(jobs.submit(SPEC, UPLOADS))
    monkeypatch.chdir(place / "inputs")
    monkeypatch.setattr(worker, "PUBLISH_SECONDS", 0)
    with monkeypatch.context() as patch:
        patch.setattr(worker.results, "write", full_disk)
        worker.work(place)
    assert jobs.status(place.name).state == "failed"
    worker.work(place)
    manifest = json.loads((place / jobs.RESULT / "manifest.json").read_text())
    assert manifest["texts_scored"] == 0
    assert manifest["backend"] == jobs.open_cube(place.name).provenance["backend"] != "cache"


@pytest.mark.slow
def test_a_run_that_is_deleted_while_it_works_does_not_come_back(workers, monkeypatch):
    place = jobs.run_path(jobs.submit(SPEC, UPLOADS))
    monkeypatch.chdir(place / "inputs")

    def scored(*_: object, **__: object) -> object:
        cube = execute(*_, **__)
        shutil.rmtree(place)
        return cube

    execute = worker.study.execute
    monkeypatch.setattr(worker.study, "execute", scored)
    worker.work(place)
    assert not place.exists()
