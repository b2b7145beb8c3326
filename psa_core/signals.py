"""End the program cleanly on Ctrl-C and SIGTERM."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn

EXIT_INTERRUPTED = 130
SENTENCE = "stopped; run it again to go on from the scores kept."
#: Seconds that a run has to put things in order before it ends anyway: libraries may swallow the interruption.
GRACE = 5.0
_SIGNALS = ("SIGINT", "SIGTERM")
#: What was received; a list, since a lock could be held by what was interrupted.
_received: list[int] = []


def run(work: Callable[[], int]) -> NoReturn:
    """Do a program's work, imports and all, and leave with the exit status that it returns, or with 130 when stopped.

    Whatever an interruption turns into on its way (an `ImportError` of a half-imported library, a traceback of a
    callback that cannot raise) is not the user's business.
    """
    _on_signals(_stop)
    atexit.register(_on_signals, signal.SIG_IGN)  # the last to run; what comes then is over in a moment
    if hasattr(os, "register_at_fork"):  # the processes of somebody's model end as they always did
        os.register_at_fork(after_in_child=lambda: _on_signals(signal.SIG_DFL))
    status: int | None = None
    try:
        status = work()
    finally:
        if _received:
            _leave(is_reported=status == EXIT_INTERRUPTED)
    _on_signals(lambda *_: os._exit(status))  # the work is done, and so is its status
    sys.exit(status)


def _on_signals(handle: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for name in _SIGNALS:
        number = getattr(signal, name)
        if signal.getsignal(number) != signal.SIG_IGN:  # as a shell has it for what it runs in the background
            signal.signal(number, handle)


def _stop(number: int, _frame: FrameType | None) -> None:
    if _received:
        _leave(is_reported=False)
    _received.append(number)
    sys.unraisablehook = lambda _: None
    threading.excepthook = lambda _: None
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, GRACE)
    raise KeyboardInterrupt


def _leave(*, is_reported: bool) -> NoReturn:
    """End now, without waiting for threads; not through print, which may be what was interrupted."""
    with suppress(OSError, RuntimeError, ValueError):
        sys.stdout.flush()
    with suppress(OSError):
        os.write(2, b"" if is_reported else f"psa: {SENTENCE}\n".encode())
    os._exit(EXIT_INTERRUPTED)
