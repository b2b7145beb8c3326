"""What is known of a run: how far it is, what it has found, and every run of this machine."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from psa_core.cube import ScoreCube
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import cube_file, results
from psa_core.jobs import _queue, _starting
from psa_core.jobs._places import CANCEL, JOB, PARTIAL, RESULT, SO_FAR, is_run, root, run_path
from psa_core.jobs._records import DELETE_OLD, StatusRecord, read_job, read_status
from psa_core.study import StudySpec

LIVE = ("queued", "running")
_NO_ROOM = 2**20


@dataclass(frozen=True, kw_only=True)
class RunStatus(StatusRecord):
    """What is known of a run: what its worker last wrote, what it does, and its place in the queue.

    Attributes
    ----------
    ahead : int or None
        Runs before this one, while it waits.
    starts_in : float or None
        Seconds until its turn, by what is known of the runs before it; None when that is not enough.
    """

    run_id: str
    command: str
    spec: StudySpec | None
    ahead: int | None = None
    starts_in: float | None = None

    @property
    def live(self) -> bool:
        """Whether a worker is waiting or working."""
        return self.state in LIVE


def status(run_id: str) -> RunStatus:
    """What is known of a run now; a worker that died is told from one that works by the lock it holds.

    Raises
    ------
    RunFolderError
        When there is no such run, or its folder is damaged.
    """
    place = run_path(run_id)
    job, known = read_job(place), read_status(place)
    ahead, starts_in = None, None
    if known.state in LIVE:
        with suppress(OSError, PsaError):  # what cannot be written can still be looked at
            _starting.advance()
        known = resolve_status(place)
        if known.state == "queued":
            ahead, starts_in = _queue.before(run_id, _seconds_left)
    return RunStatus(
        run_id=run_id, command=job.command, spec=job.study, ahead=ahead, starts_in=starts_in, **vars(known)
    )


def resolve_status(path: Path) -> StatusRecord:
    """How far a run is; one whose status says that it goes on, but that has neither worker nor ticket, has ended."""
    known = read_status(path)
    if known.state not in LIVE or _has_worker_or_ticket(path.name):
        return known
    with suppress(OSError, PsaError), _queue.changing():  # it may have been between two states
        known = read_status(path)
        if known.state not in LIVE or _has_worker_or_ticket(path.name):
            return known
    if (path / CANCEL).exists():
        return replace(known, state="cancelled", message="The scores so far are kept; resume to go on from them.")
    if _disk_is_full(path):
        return replace(known, state="failed", message=f"The disk of the runs folder is full. {DELETE_OLD}")
    message = "The worker stopped unexpectedly (memory may have run out); resume to go on from the scores kept so far."
    return replace(known, state="failed", message=message)


def open_cube(run_id: str) -> ScoreCube:
    """The cube of a finished run, or of the finished sentences of one that is not."""
    place = run_path(run_id)
    with suppress(OSError):
        os.utime(place)  # it is in use: see `retention`
    if (place / RESULT).is_dir():
        return results.read(place / RESULT)
    return cube_file.load(place / PARTIAL)


def result_folder(run_id: str) -> Path:
    """The result folder of a finished run; raises `RunFolderError` while there is none."""
    place = run_path(run_id) / RESULT
    if not place.is_dir():
        raise RunFolderError("run", got="a run without a result", expected="a finished run")
    return place


def result_so_far(run_id: str) -> Path | None:
    """The smaller result of the same kind that a run puts there while it is not finished; None while there is none."""
    place = run_path(run_id) / SO_FAR
    return place if place.is_dir() else None


def history() -> list[RunStatus]:
    """Every run on this machine, newest first; empty unless ``PSA_HISTORY=1``, since a server may be shared.

    Damaged folders and other people's are left out; ``python -m psa_core runs`` lists the damaged ones.
    """
    if not _starting.own_machine():
        return []
    found = []
    for place in run_places():
        with suppress(RunFolderError):
            found.append(status(place.name))
    return found


def run_places() -> list[Path]:
    """The folders of all runs, newest first."""
    try:
        places = [place for place in root().iterdir() if is_run(place)]
    except OSError:
        return []
    return sorted(places, key=_made, reverse=True)


def _has_worker_or_ticket(run_id: str) -> bool:
    return _queue.is_worked_on(run_id) or _queue.is_waiting(run_id)


def _disk_is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path).free < _NO_ROOM
    except OSError:
        return False


def _seconds_left(ticket: _queue.Ticket) -> float | None:
    if ticket.started:
        with suppress(RunFolderError):
            left = read_status(root() / ticket.run_id).seconds_left
            return ticket.seconds if left is None else left
    return ticket.seconds


def _made(path: Path) -> float:
    try:
        return (path / JOB).stat().st_mtime
    except OSError:
        return 0.0
