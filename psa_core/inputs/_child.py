"""The process that reads untrusted files: it forks for each file and enforces limits."""

from __future__ import annotations

import importlib
import os
import pickle
import select
import signal
import sys
from typing import Any

IDLE_SECONDS = 600.0
ANSWER, ERROR, UNEXPECTED, MEMORY, LATE = "answer", "error", "unexpected", "memory", "late"
CAN_FORK = hasattr(os, "fork")


def main() -> None:
    """Answer requests on standard input until it is closed.

    A request is a line that says what to call within which limits, and the pickled arguments and settings. Both come
    from the process that started this one, and so does the code that they name; the answer goes back to it.
    """
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no answer
    while line := _next_line():
        module, name, memory, seconds = line.split()
        function = getattr(importlib.import_module(module), name)
        if not CAN_FORK:
            _answer(function, answers, int(memory), int(seconds))
            return
        child = os.fork()
        if not child:
            _answer(function, answers, int(memory), int(seconds))
            os._exit(0)
        if status := os.waitpid(child, 0)[1]:
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
                os.write(answers, pickle.dumps((LATE, None)))
            return  # it may have left some of its request unread, which is no line of ours


def _next_line() -> str:
    """The next request's first line, and not one byte more; empty at the end, or after a long time without one."""
    if CAN_FORK and not select.select([0], [], [], IDLE_SECONDS)[0]:
        return ""
    line = bytearray()
    while (letter := os.read(0, 1)) and letter != b"\n":
        line += letter
    return line.decode()


def _answer(function: Any, answers: int, memory: int, seconds: int) -> None:
    from psa_core.errors import PsaError

    with os.fdopen(0, "rb", closefd=False) as requests:
        arguments, settings = pickle.load(requests)
    os.environ.update(settings)
    _limit(memory, seconds)
    try:
        outcome = (ANSWER, function(*arguments))
    except PsaError as error:
        outcome = (ERROR, error)
    except MemoryError:
        outcome = (MEMORY, None)
    except Exception as error:  # noqa: BLE001 - the edge of a process: what it cannot foresee it hands over
        outcome = (UNEXPECTED, f"{type(error).__name__}: {error}"[:300])
    with os.fdopen(answers, "wb") as stream:
        pickle.dump(outcome, stream, protocol=pickle.HIGHEST_PROTOCOL)


def _limit(memory: int, seconds: int) -> None:
    """Let this process take so many more bytes than it has, and so many seconds of work, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as counts:
            taken = int(counts.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, taken + memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
