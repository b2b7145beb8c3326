"""Run functions in another process with memory and time limits: in a new one each, or in one that stays."""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from psa_core.errors import ModelError, PsaError
from psa_core.inputs import _child
from psa_core.inputs.limits import MEMORY, READERS, SECONDS, SETTING, Limit
from psa_core.trust.sandbox import Sandbox

T = TypeVar("T")
#: Where processor time is counted, a busy machine may take so many times as long.
PATIENCE = 4
PACKAGE = Path(__file__).resolve().parent.parent
#: The package is imported by its file: what was started in a sandbox may not look around in the folder above it.
START = f"""
import sys
from importlib import util
sys.path.insert(0, {str(PACKAGE.parent)!r})
spec = util.spec_from_file_location("psa_core", {str(PACKAGE / "__init__.py")!r})
sys.modules["psa_core"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["psa_core"])
from psa_core.trust import sandbox
sandbox.enter()
from psa_core.inputs import _child
_child.main"""
#: Libraries start no threads in there, and give memory back.
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}


def call(
    function: Callable[..., T],
    *arguments: Any,
    field: str,
    error: type[PsaError],
    seconds: Limit = SECONDS,
    draws: bool = False,
) -> T:
    """Call a function of this library in a process of its own, with limited memory and time.

    The limit of memory is `limits.MEMORY`; where an operating system has none, the sizes that files declare and the
    time still hold. Raises what the function raises, or `error` when it needs too much or fails in a way that it did
    not foresee.

    Parameters
    ----------
    function : callable
        At the top level of a module of this library; its arguments can be pickled.
    field : str
        What is read, for messages.
    draws : bool
        Whether the function draws pictures: what does that reserves gigabytes of addresses and uses few of them.
    """
    with _reader() as reader:
        how = _child.USED if draws else _child.RESERVED
        result: T = reader.ask(function, arguments, seconds, MEMORY, field=field, error=error, noun="a file", how=how)
    return result


class _Process:
    """Another process, which starts in half a second and answers one request at a time."""

    def __init__(self, *, stays: bool = False, limits: Sandbox | None = None) -> None:
        self.stays = stays
        self.late = self.broken = False
        self.scratch = tempfile.TemporaryDirectory(prefix="psa-") if limits else None
        known = replace(limits, scratch=self.scratch.name).environment() if limits and self.scratch else os.environ
        own = {name: value for name, value in known.items() if not name.startswith(SETTING)}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-c", f"{START}(stays={stays})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=own if stays else own | QUIET,
            cwd=self.scratch.name if self.scratch else None,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.requests, self.answers = self.process.stdin, self.process.stdout

    def ask(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        seconds: Limit,
        memory: Limit,
        *,
        field: str,
        error: type[PsaError],
        noun: str,
        how: str = _child.USED,
    ) -> Any:
        """Call a function in there; raises what it raises, or `error` where it needs too much or the process ends."""
        by_processor = _child.CAN_FORK and not self.stays
        timer = threading.Timer(seconds.value * (PATIENCE if by_processor else 1), self._give_up)
        timer.daemon = True
        timer.start()
        self.broken = True  # until its answer is read: this thread may be interrupted in between
        try:
            line = f"{function.__module__} {function.__name__} {memory.value} {seconds.value} {how}\n"
            self.requests.write(line.encode())
            settings = {name: value for name, value in os.environ.items() if name.startswith(SETTING)}
            pickle.dump((arguments, settings), self.requests, protocol=pickle.HIGHEST_PROTOCOL)
            self.requests.flush()
            kind, value = pickle.load(self.answers)
            self.broken = kind in (_child.LATE, _child.MEMORY)  # it may end itself then
        except (EOFError, OSError, pickle.UnpicklingError):
            kind, value = _child.LATE if self.late else _child.UNEXPECTED, "its process ended"
        finally:
            timer.cancel()
        if kind == _child.ANSWER:
            return value
        if kind == _child.ERROR:
            raise value
        if kind == _child.UNEXPECTED:
            got = f"{noun} that cannot be used ({value})"
            raise error(field, got=got, expected="an undamaged one", fix="Save it again.")
        over = memory if kind == _child.MEMORY else seconds
        got = f"{noun} that needs more than {over.words}"
        raise error(field, got=got, expected=f"{noun} that needs less", fix=over.fix_words)

    @property
    def is_well(self) -> bool:
        """Whether it can be asked again."""
        return not self.late and not self.broken and self.process.poll() is None

    def _give_up(self) -> None:
        self.late = True
        self._kill()

    def _kill(self) -> None:
        """End it and what it forked; once it has ended, its number may be somebody else's."""
        if self.process.poll() is None:
            with suppress(OSError):
                if sys.platform == "win32":
                    self.process.kill()
                else:
                    os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """End it, and all that it keeps."""
        self._kill()
        for stream in (self.requests, self.answers):
            with suppress(OSError):
                stream.close()
        self.process.wait()
        if self.scratch:
            self.scratch.cleanup()


class Resident(_Process):
    """A process that stays, and keeps what its functions keep; it ends itself after ten minutes without a call.

    `seconds` are of the clock, for one call; `limits` is what else it may touch, else everything that this process may.
    """

    def __init__(self, seconds: Limit, memory: Limit, limits: Sandbox | None = None) -> None:
        super().__init__(stays=True, limits=limits)
        self._seconds, self._memory = seconds, memory

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function of this library in there, one caller at a time.

        Raises what the function raises, or `ModelError` when it needs too much or fails in a way that it did not
        foresee.
        """
        kind: dict[str, Any] = {"field": "model", "error": ModelError, "noun": "a model"}
        result: T = self.ask(function, arguments, self._seconds, self._memory, **kind)
        return result


_idle: list[_Process] = []
_turn = threading.Condition()
_line: deque[object] = deque()
_busy = 0


@contextmanager
def _reader() -> Iterator[_Process]:
    """A waiting process, or a new one: at most `limits.READERS` at once, the others wait in the order of arrival.

    Who reads a thousand documents, one after the other, is behind everybody who came meanwhile each time.
    """
    global _busy
    mine = object()
    with _turn:
        _line.append(mine)
        try:
            _turn.wait_for(lambda: _line[0] is mine and _busy < READERS.value)
            _busy += 1
        finally:
            _line.remove(mine)
            _turn.notify_all()
    try:
        reader = _waiting() or _Process()
        try:
            yield reader
        finally:
            if _child.CAN_FORK and reader.is_well:
                _idle.append(reader)
            else:
                reader.end()
    finally:
        with _turn:
            _busy -= 1
            _turn.notify_all()


def _waiting() -> _Process | None:
    """A process that is still there: one that waited for long has ended itself, one that was interrupted is gone."""
    with suppress(IndexError):  # another thread may take the last one at the same moment
        while True:
            reader = _idle.pop()
            if reader.is_well:
                return reader
            reader.end()
    return None


@atexit.register
def _end_all() -> None:
    while (reader := _waiting()) is not None:
        reader.end()
