"""Locks on files and folders, held for as long as the process lives.

The system lets go of a lock when the last process that has it ends, however it ends, so neither a process number that
was given away again nor a process that is dead but not yet cleared away is taken for one at work. The locks are
those of the system (``flock``): they hold between all processes of one machine, on disks of its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: results are written as ever, runs in the background are not for it
    fcntl = None  # type: ignore[assignment]

_PAUSE = 0.01
_PATIENCE = 20.0


def held(path: Path) -> bool:
    """Whether a process holds the lock of a file or folder; what is not there is held by none."""
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
    """Lock a file, made where it is missing, or a folder.

    Parameters
    ----------
    path : Path
    seconds : float
        How long to try.

    Returns
    -------
    int or None
        A file descriptor that holds the lock until it is closed, here and in every process that it was handed to;
        None when another process has the lock.
    """
    way = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
    handle = os.open(path, way | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    give_up = time.monotonic() + seconds
    try:
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
    """Do something that only one process may do at a time and that is over in a moment; raises `TimeoutError`."""
    handle = take(path, _PATIENCE)
    if handle is None:
        raise TimeoutError(None, "the lock of another process stays taken")
    try:
        yield
    finally:
        release(handle)
