"""Start the worker processes of runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from psa_core import locks
from psa_core.errors import RunFolderError
from psa_core.jobs import _queue
from psa_core.jobs._places import CANCEL, INPUTS, LOCK, LOG, root
from psa_core.jobs._records import JobRecord, cannot_write, read_job, read_status, write_status
from psa_core.trust import Origin

#: How a worker is told its run and the lock that it holds: other users see a process's arguments, not its environment.
PLACE, HANDLE = "PSA_JOB", "PSA_JOB_LOCK"
#: This process's own workers, so that the system can forget those that have ended.
_children: list[subprocess.Popen[bytes]] = []


def own_machine() -> bool:
    """Whether this is one person's own machine (``PSA_HISTORY=1``), rather than a server that may be shared."""
    return os.environ.get("PSA_HISTORY") == "1"


def advance() -> None:
    """Start the runs whose turn has come; whoever submits, looks at or ends a run calls it."""
    reap()
    _queue.advance(start)


def start(run_id: str) -> bool:
    """Start the worker of a run that waits for one; to be called while the queue cannot change.

    Returns
    -------
    bool
        Whether the run has a worker now.
    """
    place = root() / run_id
    try:
        job = read_job(place)
        if read_status(place).state != "queued" or (place / CANCEL).exists():
            return False
        lock = locks.take(place / LOCK)
    except (OSError, RunFolderError):  # deleted or damaged meanwhile: nobody can be helped
        return False
    if lock is None:
        return True
    try:
        _children.append(_spawn(place, job, lock))
    except OSError as error:
        write_status(place, state="failed", message=str(cannot_write(error)))
        return False
    finally:
        locks.release(lock)  # the worker has it too
    return True


def reap() -> None:
    """Let the system forget this process's workers that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]


def absolute(value: str, uploads: Iterable[str], origin: Origin) -> str:
    """Replace a relative path to one of the server's files, such as in ``hf:models/mine``, by its full path.

    A worker runs elsewhere; what is the name of an upload stays, since the uploads are where the worker runs. Those
    who may not name the server's files are not told where they are either.
    """
    if origin > Origin.OWN_MACHINE:
        return value
    parts = []
    for part in value.split(","):
        kind, colon, named = part.rpartition(":")
        path, mark, options = named.partition("?")
        relative = ("/" in path or "." in path or colon) and path not in uploads and not os.path.isabs(path)
        known = bool(path) and relative and "\0" not in path and os.path.exists(path)
        parts.append(f"{kind}{colon}{os.path.abspath(path)}{mark}{options}" if known else part)
    return ",".join(parts)


def _spawn(path: Path, job: JobRecord, lock: int) -> subprocess.Popen[bytes]:
    log = os.open(path / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "psa_core"],  # -P: modules come from nowhere near the uploads
            cwd=path / INPUTS,
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
    """What a worker is told beyond what the server was told: full paths, since it runs elsewhere."""
    library = str(Path(__file__).resolve().parents[2])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    told = {
        "PYTHONPATH": os.pathsep.join([library, *(os.path.abspath(path) for path in given if path)]),
        "PYTHONSAFEPATH": "1",
        "PSA_RUNS_DIR": str(root()),
        "PSA_CACHE_OWNER": "" if own_machine() else job.visitor,
    }
    if cache := os.environ.get("PSA_CACHE_DIR"):
        told["PSA_CACHE_DIR"] = os.path.abspath(os.path.expanduser(cache))
    return told
