"""Who works on a run: whatever process holds the lock of its folder.

The system lets go of a lock when the last process that has it ends, however it ends, so neither a process number that
was given away again nor a process that is dead but not yet cleared away is taken for a worker. Whoever starts a
worker locks first and hands the open lock over, so there is no moment in between. Locks are those of the system
(``flock``), which hold between all processes of a machine; the folder must be on one of its own disks.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psa_core.errors import RunFolderError

_PAUSE = 0.01
_PATIENCE = 20.0


def held(path: Path) -> bool:
    """Whether a process holds this lock."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # lookers do not get in each other's way
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def take(path: Path, seconds: float = 1.0) -> int | None:
    """Lock; returns a file descriptor that holds the lock until it is closed, None when another process has it.

    Parameters
    ----------
    path : Path
        Made where it is missing.
    seconds : float
        How long to try.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    give_up = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() > give_up:
                os.close(handle)
                return None
            time.sleep(_PAUSE)
        except OSError:
            os.close(handle)
            raise


def release(handle: int) -> None:
    """Give a lock back."""
    with suppress(OSError):
        os.close(handle)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Do something that only one process may do at a time and that is over in a moment."""
    handle = take(path, _PATIENCE)
    if handle is None:
        raise RunFolderError(
            "runs folder", got="a lock that stays taken", expected="a moment's access", fix="Try again."
        )
    try:
        yield
    finally:
        release(handle)
