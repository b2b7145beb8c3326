"""What is known of a run: how far it is, what it has found, its title; and every run of this machine."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from psa_core import atomic
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import cube_file, results
from psa_core.jobs import _queue
from psa_core.jobs._records import (
    CANCEL,
    DELETE_OLD,
    JOB,
    PARTIAL,
    RESULT,
    SO_FAR,
    StatusRecord,
    disk_as_error,
    is_run,
    read_job,
    read_status,
    root,
    run_path,
)
from psa_core.study import StudySpec

LIVE = ("queued", "running")
TITLE, MAX_TITLE_LENGTH = "title.txt", 60


@dataclass(frozen=True, kw_only=True)
class RunStatus(StatusRecord):
    """What is known of a run: what its worker last wrote, what it does, and its place in the queue.

    While it waits, `ahead` counts the runs before it, and `starts_in` has the seconds until its turn, if that is known.
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
    """What is known of a run now; a worker that works holds a lock, one that died does not.

    Raises `RunFolderError` when there is no such run, or its folder is damaged.
    """
    folder = run_path(run_id)
    job, known = read_job(folder), read_status(folder)
    ahead, starts_in = None, None
    if known.state in LIVE:
        with suppress(OSError, PsaError):  # what cannot be written can still be looked at
            _queue.advance()
        known = resolve_status(folder)
        if known.state == "queued":
            ahead, starts_in = _queue.before(run_id)
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
    with suppress(OSError):
        if shutil.disk_usage(path).free < 2**20:
            return replace(known, state="failed", message=f"The disk of the runs folder is full. {DELETE_OLD}")
    message = "The worker stopped unexpectedly (memory may have run out); resume to go on from the scores kept so far."
    return replace(known, state="failed", message=message)


def open_cube(run_id: str) -> ScoreCube:
    """The cube of a finished run, or of the finished sentences of one that is not."""
    folder = run_path(run_id)
    with suppress(OSError):
        os.utime(folder)  # it is in use: see `retention`
    return results.read(folder / RESULT) if (folder / RESULT).is_dir() else cube_file.load(folder / PARTIAL)


def result_folder(run_id: str) -> Path:
    """The result folder of a finished run; raises `RunFolderError` while there is none."""
    folder = run_path(run_id) / RESULT
    if not folder.is_dir():
        raise RunFolderError("run", got="a run without a result", expected="a finished run")
    return folder


def result_so_far(run_id: str) -> Path | None:
    """The smaller result of the same kind that a run puts there while it is not finished; None while there is none."""
    folder = run_path(run_id) / SO_FAR
    return folder if folder.is_dir() else None


def history() -> list[RunStatus]:
    """Every run on this machine, newest first; empty unless ``PSA_HISTORY=1``, since a server may be shared.

    Damaged folders and other people's are left out; ``psa runs`` lists the damaged ones.
    """
    if not _queue.own_machine():
        return []
    found = []
    for folder in run_folders():
        with suppress(RunFolderError):
            found.append(status(folder.name))
    return found


def run_folders() -> list[Path]:
    """The folders of all runs, newest first."""
    try:
        folders = [folder for folder in root().iterdir() if is_run(folder)]
    except OSError:
        return []
    return sorted(folders, key=_created, reverse=True)


def started(run_id: str) -> float:
    """When a run was asked for, in seconds since 1970; 0 when that is not known."""
    return _created(run_path(run_id))


def _created(folder: Path) -> float:
    try:
        return (folder / JOB).stat().st_mtime
    except OSError:
        return 0.0


def title(run_id: str) -> str:
    """The title that somebody gave a run; empty where nobody has, or where it is damaged.

    Raises `RunFolderError` when there is no such run.
    """
    path = run_path(run_id) / TITLE
    try:
        return _one_line(path.read_text(encoding="utf-8")) if path.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""


def give_title(run_id: str, words: str) -> None:
    """Call a run by a title of one line; an empty one takes the title away.

    Raises `RunFolderError` when there is no such run, or it cannot be written.
    """
    path = run_path(run_id) / TITLE
    with disk_as_error():
        if _one_line(words):
            atomic.write(path, _one_line(words))
        else:
            path.unlink(missing_ok=True)


def _one_line(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())[:MAX_TITLE_LENGTH]


def _has_worker_or_ticket(run_id: str) -> bool:
    return _queue.is_worked_on(run_id) or _queue.is_waiting(run_id)
