"""The queue of runs, and the start of their worker processes.

The queue is a folder of tickets, small files that all server processes and workers share, so it outlives them. There is
no process that has to be there: whoever submits, looks at a run or ends one calls `advance`. Visitors take turns: a
visitor's second run is for the next round, so that it comes after the first run of everybody who came before that round
began; within a round, first come is first served. The order does not depend on the clock.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from psa_core import atomic, locks
from psa_core.errors import OptionError, RunFolderError
from psa_core.inputs import json_file
from psa_core.inputs.limits import RUNS_AT_ONCE, RUNS_EACH, RUNS_QUEUED
from psa_core.jobs import _records
from psa_core.jobs._records import LOCK, QUEUE, JobRecord, read_job, read_status, root

#: How a worker is told its run and the lock that it holds: other users see a process's arguments, not its environment.
PLACE, HANDLE = "PSA_JOB", "PSA_JOB_LOCK"
_TICKET = re.compile(r"(\d{9})\.([A-Za-z0-9_-]{16,32})(\.now)?")
#: This process's own workers, so that the system can forget those that have ended.
_children: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Ticket:
    """A run's place in the queue; one with a larger number came later, and `turn` is the round in which it is served.

    `started`: it has been given a worker. `seconds`: how long it will take, None when nobody knows.
    """

    run_id: str
    number: int
    started: bool
    visitor: str = ""
    turn: int = 0
    seconds: float | None = None

    @property
    def path(self) -> Path:
        return root() / QUEUE / f"{self.number:09d}.{self.run_id}{'.now' if self.started else ''}"

    def seconds_left(self) -> float | None:
        if self.started:
            with suppress(RunFolderError):
                left = read_status(root() / self.run_id).seconds_left
                return self.seconds if left is None else left
        return self.seconds


@contextmanager
def changing() -> Iterator[None]:
    """Keep everybody else from changing the queue for a moment."""
    folder = _records.private_root() / QUEUE
    folder.mkdir(atomic.ONLY_MINE_FOLDER, exist_ok=True)
    with locks.locked(folder / "lock"):
        yield


def tickets() -> list[Ticket]:
    """Every ticket, in the order in which they are served, started ones first."""
    found = []
    with suppress(OSError):
        for match in filter(None, (_TICKET.fullmatch(path.name) for path in (root() / QUEUE).iterdir())):
            ticket = Ticket(match[2], int(match[1]), started=bool(match[3]))
            with suppress(OSError, ValueError, TypeError):  # a damaged one is nobody's, in its order of arrival
                values = json_file.read(ticket.path)
                seconds, turn = values.get("seconds"), max(0, int(values.get("turn", 0)))
                seconds = None if seconds is None else float(seconds)
                ticket = replace(ticket, visitor=str(values.get("visitor", "")), turn=turn, seconds=seconds)
            found.append(ticket)
    return sorted(found, key=lambda ticket: (not ticket.started, ticket.turn, ticket.number))


def enter(run_id: str, visitor: str, seconds: float | None) -> None:
    """Queue a run that nobody works on; to be called while `changing`.

    Raises `OptionError` when the visitor, or all visitors together, have as many runs in it as they may.
    """
    present = tickets()
    if any(ticket.run_id == run_id and not ticket.started for ticket in present):
        return
    for ended in (ticket for ticket in present if ticket.run_id == run_id):  # its worker died a moment ago
        ended.path.unlink(missing_ok=True)
    present = [ticket for ticket in present if ticket.run_id != run_id]
    own = [ticket for ticket in present if ticket.visitor == visitor]
    if visitor:  # on one's own machine, and from a program, there is nobody to be fair to
        RUNS_EACH.check(len(own) + 1, field="run", error=OptionError, of="of yours in the queue")
    RUNS_QUEUED.check(len(present) + 1, field="run", error=OptionError, of="in the queue")
    started = [ticket.turn for ticket in present if ticket.started]
    served = max(started) if started else min((ticket.turn for ticket in present), default=0)
    turn = max([served, *(ticket.turn + 1 for ticket in own)])
    number = 1 + max((ticket.number for ticket in present), default=0)
    values = {"visitor": visitor, "turn": turn, "seconds": seconds}
    atomic.write(Ticket(run_id, number, False).path, json.dumps(values))


def leave(run_id: str) -> bool:
    """Take a waiting run out; to be called while `changing`. Returns whether it was waiting."""
    waiting = [ticket for ticket in tickets() if ticket.run_id == run_id and not ticket.started]
    for ticket in waiting:
        ticket.path.unlink(missing_ok=True)
    return bool(waiting)


def is_worked_on(run_id: str) -> bool:
    return locks.is_locked(root() / run_id / LOCK)


def is_waiting(run_id: str) -> bool:
    return any(ticket.run_id == run_id and not ticket.started for ticket in tickets())


def before(run_id: str) -> tuple[int, float | None]:
    """What is before a waiting run: how many runs, and how many seconds; None when that is not known."""
    ahead = list(takewhile(lambda ticket: ticket.run_id != run_id, tickets()))
    seconds = [ticket.seconds_left() for ticket in ahead]
    known = [value for value in seconds if value is not None]
    return len(ahead), sum(known) / RUNS_AT_ONCE.value if len(known) == len(seconds) else None


def advance() -> None:
    """Clear away the tickets of runs that have ended, and start the next runs while there is room."""
    _children[:] = [child for child in _children if child.poll() is None]
    if not tickets():
        return
    with changing():
        present = tickets()
        running = [ticket for ticket in present if ticket.started and is_worked_on(ticket.run_id)]
        for ticket in present:
            if ticket.started and ticket not in running:
                ticket.path.unlink(missing_ok=True)
        free = RUNS_AT_ONCE.value - len(running)
        for ticket in (ticket for ticket in present if not ticket.started):
            if free <= 0:
                break
            if _start(ticket.run_id):
                free -= 1
                ticket.path.rename(f"{ticket.path}.now")
            else:
                ticket.path.unlink(missing_ok=True)


def _start(run_id: str) -> bool:
    """Start the worker of a run that waits for one, while the queue cannot change; whether the run has one now."""
    folder = root() / run_id
    try:
        job = read_job(folder)
        if read_status(folder).state != "queued" or (folder / _records.CANCEL).exists():
            return False
        lock = locks.take(folder / LOCK)
    except (OSError, RunFolderError):  # deleted or damaged meanwhile: nobody can be helped
        return False
    if lock is None:
        return True
    try:
        with _records.disk_as_error():
            _children.append(_spawn(folder, job, lock))
    except RunFolderError as error:
        _records.write_status(folder, state="failed", message=str(error))
        return False
    finally:
        os.close(lock)  # the worker has it too
    return True


def _spawn(path: Path, job: JobRecord, lock: int) -> subprocess.Popen[bytes]:
    log = os.open(path / _records.LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "psa_core"],  # -P: modules come from nowhere near the uploads
            cwd=path / _records.INPUTS,
            env={**os.environ, **_environment(job), PLACE: str(path), HANDLE: str(lock)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=(lock,),
            umask=0o077,
        )
    finally:
        os.close(log)


def _environment(job: JobRecord) -> Mapping[str, str]:
    """A worker's environment beside the server's own: full paths, since it runs elsewhere."""
    library = str(Path(__file__).resolve().parents[2])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    variables = {
        "PYTHONPATH": os.pathsep.join([library, *(os.path.abspath(path) for path in given if path)]),
        "PYTHONSAFEPATH": "1",
        "PSA_RUNS_DIR": str(root()),
        "PSA_CACHE_OWNER": "" if own_machine() else job.visitor,
    }
    if cache := os.environ.get("PSA_CACHE_DIR"):
        variables["PSA_CACHE_DIR"] = os.path.abspath(os.path.expanduser(cache))
    return variables


def own_machine() -> bool:
    """Whether this is one person's own machine (``PSA_HISTORY=1``), rather than a server that may be shared."""
    return os.environ.get("PSA_HISTORY") == "1"
