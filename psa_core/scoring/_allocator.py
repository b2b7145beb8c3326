"""Keep freed memory in the process for the next batch.

By default the C library gives a freed block of megabytes back to the system, and the next batch waits while its pages
are handed out and zeroed again: of a small encoder's time 5 %, and up to 25 % in a process that has done other work.
"""

from __future__ import annotations

import ctypes
import functools

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_MEBIBYTE = 1 << 20


@functools.cache
def keep_freed_memory() -> bool:
    """Let the C library keep up to 256 MiB a thread that were freed; whether it could be asked to."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False  # macOS, Windows and musl have no such setting
    # Setting one switches off the library's own adaptation of the other, so both are set; 32 MiB is the most allowed.
    return bool(mallopt(_MMAP_THRESHOLD, 32 * _MEBIBYTE)) and bool(mallopt(_TRIM_THRESHOLD, 256 * _MEBIBYTE))
