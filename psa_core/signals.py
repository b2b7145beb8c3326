"""How a program ends: cleanly on Ctrl-C and SIGTERM, with one sentence and an exit status where a user can fix it."""

from __future__ import annotations

import argparse
import atexit
import difflib
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from psa_core.errors import PsaError, in_short

EXIT_BAD_INPUT, EXIT_INTERRUPTED = 2, 130
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


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage text before it."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """What a command does not know it says itself: its parent would name its own help, which has no options."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            given = unknown[0].partition("=")[0]
            options = re.findall(r"--[\w-]+", self.format_help()) if given.startswith("-") else []
            meant = difflib.get_close_matches(given, options, 1)
            such = f", such as {meant[0]}" if meant else ""
            self.error(f"got {given!r}, expected an option of this command{such}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {in_short(message)}. See {self.prog} --help.\n")


def exit_status(work: Callable[[], int], *, named: str = "", stopped: str) -> int:
    """Do a command's work; returns its exit status, or that of what came between.

    `work` returns 0, or 1 for a gate that failed; bad input and files that cannot be read or written give 2, Ctrl-C
    130. `named` stands before each sentence, as ``psa run: `` does; `stopped` is printed after Ctrl-C.
    """
    try:
        status = work()
        print(end="", flush=True)  # there may be no standard output
        return status
    except PsaError as error:
        print(f"{named}{error.with_option}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{named}{stopped}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a listing has seen enough
        _let_go_of_output()
        return 0
    except OSError as error:
        _let_go_of_output()
        what = f"{os.fspath(error.filename)!r}" if error.filename else "a file"
        print(f"{named}{in_short(what)}: {error.strerror or type(error).__name__}.", file=sys.stderr)
    return EXIT_BAD_INPUT


def _let_go_of_output() -> None:
    """Discard what is still to be written to standard output, so that Python does not complain as it exits."""
    with suppress(AttributeError, OSError, ValueError):  # no stream, or one without a file, as a test has
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
