"""Who is at work on a file: locks that outlive whoever took them and can be looked at.

A run's lock is taken by the server, handed to its worker and held as long as that lives, however it ends; so neither a
process number that was given away again nor a process that is dead but not yet cleared away is taken for one at work.
The locks are the system's own (``flock``): they hold between all processes of one machine, on its own disks.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from filelock import FileLock, lock_descriptor

try:
    import fcntl
except ImportError:  # Windows: results are written as ever, runs in the background are not for it
    fcntl = None  # type: ignore[assignment]


def locked(path: Path, seconds: float = 20.0) -> FileLock:
    """A lock for what only one process may do at a time; entering it raises `TimeoutError` while another has it."""
    return FileLock(path, timeout=seconds, mode=0o600, poll_interval=0.01)


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of a file; what is not there is held by none."""
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
    """Lock a file, made where it is missing, and try for so many seconds: somebody may be looking.

    Returns a file descriptor that holds the lock until it is closed, here and in every process that it was handed to;
    None when another process has the lock.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    give_up = time.monotonic() + seconds
    try:
        while not lock_descriptor(handle, blocking=False):
            if time.monotonic() > give_up:
                os.close(handle)
                return None
            time.sleep(0.01)
    except OSError:
        os.close(handle)
        raise
    return handle
