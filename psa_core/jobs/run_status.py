"""What is known of runs: how far they are, what they found, their titles; how long they are kept, and deleting them."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from psa_core import atomic, locks
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import cube_file, results
from psa_core.inputs.limits import RUN_DAYS, RUNS_DISK, RUNS_DISK_EACH
from psa_core.jobs import _queue, _records
from psa_core.jobs._records import JOB, RUN_ID, StatusRecord, read_job, read_status, root, run_path
from psa_core.study import StudySpec
from psa_core.trust import Origin

LIVE = ("queued", "running")
TITLE, MAX_TITLE_LENGTH = "title.txt", 60
_EVERY_SECONDS = 3600.0


@dataclass(frozen=True, kw_only=True)
class RunStatus(StatusRecord):
    """What is known of a run: what its worker last wrote, what it does, and its place in the queue.

    While it waits, `ahead` counts the runs before it, and `starts_in` has the seconds until its turn, if that is known.
    `origin` is who asked for it: a file, where nobody did (it was opened, or made by an older version).
    """

    run_id: str
    command: str
    spec: StudySpec | None
    origin: Origin
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
        **vars(known),
        run_id=run_id,
        command=job.command,
        spec=job.study,
        origin=job.origin,
        ahead=ahead,
        starts_in=starts_in,
    )


def resolve_status(path: Path) -> StatusRecord:
    """How far a run is; one whose status says that it goes on, but that has neither worker nor ticket, has ended."""

    def is_sure() -> bool:
        return known.state not in LIVE or _queue.is_worked_on(path.name) or _queue.is_waiting(path.name)

    known = read_status(path)
    if is_sure():
        return known
    with suppress(OSError, PsaError), _queue.changing():  # it may have been between two states
        known = read_status(path)
        if is_sure():
            return known
    if (path / _records.CANCEL).exists():
        return replace(known, state="cancelled", message=_records.SCORES_KEPT)
    message = "The worker stopped unexpectedly (memory may have run out); resume to go on from the scores kept so far."
    with suppress(OSError):
        if shutil.disk_usage(path).free < 2**20:
            message = _records.DISK_FULL
    return replace(known, state="failed", message=message)


def open_cube(run_id: str) -> ScoreCube:
    """The cube of a finished run, or of the finished sentences of one that is not."""
    folder = run_path(run_id)
    with suppress(OSError):
        os.utime(folder)  # it is in use: see `unused`
    result = folder / _records.RESULT
    return results.read(result) if result.is_dir() else cube_file.load(folder / _records.PARTIAL)


def result_folder(run_id: str) -> Path:
    """The result folder of a finished run; raises `RunFolderError` while there is none."""
    folder = run_path(run_id) / _records.RESULT
    if not folder.is_dir():
        raise RunFolderError("run", got="a run without a result", expected="a finished run")
    return folder


def result_so_far(run_id: str) -> Path | None:
    """The smaller result of the same kind that a run puts there while it is not finished; None while there is none."""
    folder = run_path(run_id) / _records.SO_FAR
    return folder if folder.is_dir() else None


def history() -> list[RunStatus]:
    """Every run on this machine, newest first; empty unless ``PSA_HISTORY=1``, since a server may be shared.

    Damaged folders and other people's are left out; ``psa runs`` lists the damaged ones.
    """
    found = []
    for folder in run_folders() if _queue.own_machine() else []:
        with suppress(RunFolderError):
            found.append(status(folder.name))
    return found


def run_folders() -> list[Path]:
    """The folders of all runs, newest first."""
    try:
        return sorted(filter(_records.is_run, root().iterdir()), key=_created, reverse=True)
    except OSError:
        return []


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
    with _records.disk_as_error():
        if _one_line(words):
            atomic.write(path, _one_line(words))
        else:
            path.unlink(missing_ok=True)


def _one_line(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())[:MAX_TITLE_LENGTH]


@dataclass(frozen=True)
class StoredRun:
    """A run's folder: `state` as in `RunStatus`, or ``damaged``; `what` is its command and model.

    `used` is when it was last worked on or opened, in seconds since 1970; `visitor` is empty where nobody knows whose
    it is; everybody looks at one that is `shared`.
    """

    run_id: str
    state: str
    what: str
    used: float
    bytes: int
    visitor: str = ""
    shared: bool = False


def stored() -> list[StoredRun]:
    """Every folder of a run, damaged ones too, the one that was used longest ago first."""
    try:
        folders = [folder for folder in root().iterdir() if RUN_ID.fullmatch(folder.name) and not folder.is_symlink()]
    except OSError:
        return []
    found = []
    for folder in folders:
        state, what, visitor, shared = "damaged", "", "", False
        with suppress(RunFolderError):
            job = read_job(folder)
            visitor, shared = job.visitor, job.shared
            what = f"{job.command} {job.study.model if job.study else ''}".strip()
            state = resolve_status(folder).state
        used, size = 0.0, 0
        for above, _, files in os.walk(folder):
            for name in files:
                with suppress(OSError):
                    size += os.lstat(os.path.join(above, name)).st_size
        for path in (folder, folder / _records.STATUS):
            with suppress(OSError):
                used = max(used, path.lstat().st_mtime)
        found.append(StoredRun(folder.name, state, what, used, size, visitor, shared))
    return sorted(found, key=lambda run: run.used)


def unused(seconds: float) -> list[StoredRun]:
    """Those that nobody has worked on or opened for so long; runs that wait or work are not among them."""
    before = time.time() - seconds
    return [run for run in stored() if run.used <= before and run.state not in LIVE]


def delete(run_id: str) -> bool:
    """Delete a run with everything in its folder, damaged or not; returns whether it is gone.

    A run that has a worker stays; one that waits for its turn leaves the queue. The folder disappears at once, under
    its name, before its files are deleted. Raises `RunFolderError` when it cannot be.
    """
    folder = root() / run_id
    if not RUN_ID.fullmatch(run_id) or folder.is_symlink() or not folder.is_dir():
        return False
    gone = root() / f"{atomic.UNFINISHED}gone-{secrets.token_hex(8)}"
    with _records.disk_as_error():
        with _queue.changing():  # it is given no worker meanwhile
            if locks.is_locked(folder / _records.LOCK):
                return False
            with suppress(FileNotFoundError):  # somebody else was quicker
                folder.rename(gone)
            _queue.leave(run_id)
        shutil.rmtree(gone, ignore_errors=True)
    return True


def sweep() -> None:
    """On a server that may be shared, delete what was not used for `RUN_DAYS`; at most once an hour.

    Every worker calls it when it ends, and the dashboard when a page is opened. On one's own machine nothing is deleted
    that its owner does not ask for. What a process that was killed left unfinished is cleared away on both.
    """
    mark = root() / ".swept"
    with suppress(FileNotFoundError):
        if abs(time.time() - mark.stat().st_mtime) < _EVERY_SECONDS:
            return
    try:
        _records.private_root()
        mark.touch(atomic.ONLY_MINE_FILE)
        os.utime(mark)
    except OSError:  # what cannot be written cannot be deleted
        return
    for left in root().glob(f"{atomic.UNFINISHED}*"):
        if time.time() - left.lstat().st_mtime > _EVERY_SECONDS and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
    for run in unused(RUN_DAYS.value):
        with suppress(RunFolderError):
            delete(run.run_id)


def make_room(visitor: str) -> None:
    """On a server that may be shared, delete the runs used longest ago while they take too much of the disk.

    Those of one visitor may take `RUNS_DISK_EACH`, all together `RUNS_DISK`. Runs that wait or work, the one that was
    used last and the example that everybody looks at stay. Called before a run is made and when a worker ends.
    """
    if _queue.own_machine():
        return
    for limit, owners in ((RUNS_DISK_EACH, {visitor} - {""}), (RUNS_DISK, None)):
        runs = [run for run in stored() if not run.shared and (owners is None or run.visitor in owners)]
        over = sum(run.bytes for run in runs) - limit.value
        for run in (run for run in runs[:-1] if run.state not in LIVE):
            if over <= 0:
                break
            with suppress(RunFolderError):
                over -= run.bytes * delete(run.run_id)
