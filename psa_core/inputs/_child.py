"""The process that reads untrusted files: it forks for each file and enforces limits."""

from __future__ import annotations

import errno
import importlib
import os
import pickle
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any

IDLE_SECONDS = 600.0
#: Between the end of an answer's time, when who asked ends this process, and when the system does.
GRACE_SECONDS = 30
ANSWER, ERROR, UNEXPECTED, MEMORY, LATE = "answer", "error", "unexpected", "memory", "late"
#: Between two looks at how much a child holds.
LOOK_SECONDS = 0.05
#: How memory is counted: as it is used, or already as it is reserved.
USED, RESERVED = "used", "reserved"
CAN_FORK = hasattr(os, "fork")


def main(*, stays: bool = False) -> None:
    """Answer requests on standard input until it is closed.

    A request is a line with the function and its limits, then the pickled arguments and settings; it comes from the
    process that started this one, which gets the answer. One that stays answers all of them itself, so what one call
    keeps is there for the next.
    """
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no answer
    if stays:
        _stay(answers)
    while line := _next_line():
        module, name, memory, seconds, how = line.split()
        function = getattr(importlib.import_module(module), name)
        child = os.fork() if CAN_FORK else 0
        if not child:
            arguments = _arguments()
            if how == RESERVED:
                _limit_reserved(int(memory))
            if sys.platform != "win32":
                import resource

                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _answer(answers, function, arguments)
            if not CAN_FORK:
                return
            os._exit(0)
        if how == USED and _grew(child, int(memory)):
            os.write(answers, pickle.dumps((MEMORY, None)))
            return
        if status := os.waitpid(child, 0)[1]:
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
                os.write(answers, pickle.dumps((LATE, None)))
            return  # it may have left some of its request unread, which is no line of ours


def _stay(answers: int) -> None:
    """Answer in this process; the one that asks ends it when the time is over, and a timer does if that one is gone."""
    is_limited, has_timer = False, hasattr(signal, "setitimer")
    while line := _next_line():
        module, name, memory, seconds, _ = line.split()
        function = getattr(importlib.import_module(module), name)
        if not is_limited:
            _limit_used(int(memory))
            is_limited = True
        arguments = _arguments()
        if has_timer:
            signal.setitimer(signal.ITIMER_REAL, int(seconds) + GRACE_SECONDS)
        _answer(answers, function, arguments)
        if has_timer:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _next_line() -> str:
    """The next request's first line, and not one byte more; empty at the end, or after a long time without one."""
    if CAN_FORK and not select.select([0], [], [], IDLE_SECONDS)[0]:
        return ""
    line = bytearray()
    while (letter := os.read(0, 1)) and letter != b"\n":
        line += letter
    return line.decode()


def _arguments() -> tuple[Any, ...]:
    with os.fdopen(0, "rb", closefd=False) as requests:
        arguments, settings = pickle.load(requests)
    os.environ.update(settings)
    return tuple(arguments)


def _answer(answers: int, function: Any, arguments: tuple[Any, ...]) -> None:
    """Call the function and write what became of it."""
    from psa_core.errors import PsaError

    outcome: tuple[str, Any]
    try:
        outcome = ANSWER, function(*arguments)
    except PsaError as error:
        outcome = (MEMORY, None) if _ran_out(error) else (ERROR, error)
    except Exception as error:  # noqa: BLE001 - the edge of a process: what it cannot foresee it hands over
        outcome = (MEMORY, None) if _ran_out(error) else (UNEXPECTED, f"{type(error).__name__}: {error}"[:300])
    with os.fdopen(answers, "wb", closefd=False) as stream:
        pickle.dump(outcome, stream, protocol=pickle.HIGHEST_PROTOCOL)


def _ran_out(error: BaseException | None) -> bool:
    """Whether memory was what an error, or one behind it, lacked; torch has no kind of error for it."""
    while error is not None:
        lacks = isinstance(error, OSError) and error.errno == errno.ENOMEM
        # An extension module that lacks memory while it is imported says nothing more than SystemError.
        if lacks or isinstance(error, MemoryError | SystemError) or "can't allocate memory" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _grew(child: int, memory: int) -> bool:
    """Wait for a child; one that holds more than so many bytes is ended, and then the answer is True."""
    if sys.platform != "linux":
        return False
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with suppress(OSError), open(f"/proc/{child}/statm", encoding="ascii") as counts:
            if int(counts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") > memory:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return True
        time.sleep(LOOK_SECONDS)
    return False


def _limit_used(memory: int) -> None:
    """Let this process hold so many bytes of its own; address space that is only reserved and files are not counted.

    When memory runs out all the same, the system would rather end this process than the one that asks.
    """
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write("500")


def _limit_reserved(memory: int) -> None:
    """Let this process take so many more bytes of address space than it has, where the system can."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as counts:
            taken = int(counts.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, taken + memory))
