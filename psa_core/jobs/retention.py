"""How long runs are kept and how much room they may take, and deleting old ones."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from psa_core import atomic, locks
from psa_core.errors import RunFolderError
from psa_core.inputs.limits import RUN_DAYS, RUNS_DISK, RUNS_DISK_EACH
from psa_core.jobs import _queue, run_status
from psa_core.jobs._records import LOCK, RUN_ID, STATUS, disk_as_error, private_root, read_job, root

_EVERY_SECONDS = 3600.0


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
    return sorted(map(_stored, folders), key=lambda run: run.used)


def unused(seconds: float) -> list[StoredRun]:
    """Those that nobody has worked on or opened for so long; runs that wait or work are not among them."""
    before = time.time() - seconds
    return [run for run in stored() if run.used <= before and run.state not in run_status.LIVE]


def delete(run_id: str) -> bool:
    """Delete a run with everything in its folder, damaged or not; returns whether it is gone.

    A run that has a worker stays; one that waits for its turn leaves the queue. The folder disappears at once, under
    its name, before its files are deleted. Raises `RunFolderError` when it cannot be.
    """
    folder = root() / run_id
    if not RUN_ID.fullmatch(run_id) or folder.is_symlink() or not folder.is_dir():
        return False
    gone = root() / f"{atomic.UNFINISHED}gone-{secrets.token_hex(8)}"
    with disk_as_error():
        with _queue.changing():  # it is given no worker meanwhile
            if locks.is_locked(folder / LOCK):
                return False
            with suppress(FileNotFoundError):  # somebody else was quicker
                folder.rename(gone)
            _queue.leave(run_id)
        shutil.rmtree(gone, ignore_errors=True)
    return True


def sweep() -> None:
    """On a server that may be shared, delete what was not used for `RUN_DAYS`; at most once an hour.

    Every worker calls it when it ends, and the dashboard when a page is opened.

    On one's own machine nothing is deleted that its owner does not ask for. What a process that was killed left
    unfinished is cleared away on both.
    """
    mark = root() / ".swept"
    with suppress(FileNotFoundError):
        if abs(time.time() - mark.stat().st_mtime) < _EVERY_SECONDS:
            return
    try:
        private_root()
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
        for run in (run for run in runs[:-1] if run.state not in run_status.LIVE):
            if over <= 0:
                break
            with suppress(RunFolderError):
                over -= run.bytes * delete(run.run_id)


def _stored(folder: Path) -> StoredRun:
    state, what, visitor, shared = "damaged", "", "", False
    with suppress(RunFolderError):
        job = read_job(folder)
        visitor, shared, what = job.visitor, job.shared, f"{job.command} {job.study.model if job.study else ''}".strip()
        state = run_status.resolve_status(folder).state
    times, size = [0.0], 0
    for above, _, files in os.walk(folder):
        for path in (Path(above, name) for name in files):
            with suppress(OSError):
                size += path.lstat().st_size
    for path in (folder, folder / STATUS):
        with suppress(OSError):
            times.append(path.lstat().st_mtime)
    return StoredRun(folder.name, state, what, max(times), size, visitor, shared)
