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
DIED = "died"
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
GONE = (EOFError, OSError, pickle.UnpicklingError)


def call(
    function: Callable[..., T],
    *arguments: Any,
    field: str,
    error: type[PsaError],
    seconds: Limit = SECONDS,
    draws: bool = False,
) -> T:
    """Call a function of this library in a process of its own, with limited memory and time.

    The limit of memory is `limits.MEMORY`. Where an operating system has no limit of memory, the sizes
    that files declare and the time still hold.

    Parameters
    ----------
    function : callable
        At the top level of a module of this library.
    *arguments
        What can be pickled.
    field : str
        What is read, for messages.
    error : type
        What to raise when the function needs too much, or fails in a way that it did not foresee.
    seconds : Limit
        Of the processor's time.
    draws : bool
        Whether the function draws pictures: what does that reserves gigabytes of addresses and uses few of them.

    Raises
    ------
    PsaError
        What the function raises, or `error`.
    """
    with _reader() as reader:
        how = _child.USED if draws else _child.RESERVED
        kind, value = reader.ask(function, arguments, seconds.value, MEMORY.value, how=how)
    if kind == _child.ERROR:
        raise value
    if kind == _child.ANSWER:
        result: T = value
        return result
    over = {_child.MEMORY: MEMORY, _child.LATE: seconds}.get(kind)
    if over is not None:
        got = f"a file that needs more than {over.words} to be read"
        raise error(field, got=got, expected="a file that needs less", fix=over.fix_words)
    got = f"a file that cannot be read ({value or 'its reader broke down'})"
    raise error(field, got=got, expected="an undamaged file", fix="Save it anew.")


class Resident:
    """A process that stays, and keeps what its functions keep; it ends itself after ten minutes without a call.

    Parameters
    ----------
    seconds : Limit
        Of the clock, for one call.
    memory : Limit
        That the process may hold, where an operating system can limit it.
    limits : Sandbox, optional
        What else it may touch; everything that this process may, where it is not given.
    """

    def __init__(self, seconds: Limit, memory: Limit, limits: Sandbox | None = None) -> None:
        self._seconds, self._memory = seconds, memory
        self._reader = _Reader(stays=True, limits=limits)

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function of this library in there; one caller at a time.

        Raises
        ------
        PsaError
            What the function raises.
        ModelError
            When it needs too much, or fails in a way that it did not foresee.
        """
        kind, value = self._reader.ask(function, arguments, self._seconds.value, self._memory.value)
        if kind == _child.ERROR:
            raise value
        if kind == _child.ANSWER:
            result: T = value
            return result
        over = {_child.MEMORY: self._memory, _child.LATE: self._seconds}.get(kind)
        if over is not None:
            got = f"one that needs more than {over.words}"
            raise ModelError("model", got=got, expected="one that needs less", fix=over.fix_words)
        got = f"one that breaks down ({value or 'its process ended'})"
        raise ModelError("model", got=got, expected="a model that answers")

    @property
    def is_well(self) -> bool:
        """Whether it can be asked again."""
        return self._reader.is_well

    def end(self) -> None:
        """End it, and all that it keeps."""
        self._reader.end()


class _Reader:
    """One such process. It starts in half a second and answers one request at a time."""

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
        seconds: int,
        memory: int,
        *,
        how: str = _child.USED,
    ) -> tuple[str, Any]:
        """What became of a call: one of the words of `_child`, or `DIED`, and the value, error or reason."""
        by_processor = _child.CAN_FORK and not self.stays
        timer = threading.Timer(seconds * (PATIENCE if by_processor else 1), self._give_up)
        timer.daemon = True
        timer.start()
        try:
            line = f"{function.__module__} {function.__name__} {memory} {seconds} {how}\n"
            self.requests.write(line.encode())
            settings = {name: value for name, value in os.environ.items() if name.startswith(SETTING)}
            pickle.dump((arguments, settings), self.requests, protocol=pickle.HIGHEST_PROTOCOL)
            self.requests.flush()
            answer: tuple[str, Any] = pickle.load(self.answers)
            self.broken = answer[0] in (_child.LATE, _child.MEMORY)  # it may end itself then
            return answer
        except GONE:
            self.broken = True
            return (_child.LATE if self.late else DIED), None
        finally:
            timer.cancel()

    @property
    def is_well(self) -> bool:
        """Whether it can be asked again."""
        return not self.late and not self.broken and self.process.poll() is None

    def _give_up(self) -> None:
        self.late = True
        self._kill()

    def _kill(self) -> None:
        """End it and what it forked; a number that was given back may be somebody else's."""
        if self.process.poll() is None:
            with suppress(OSError):
                if sys.platform == "win32":
                    self.process.kill()
                else:
                    os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """End it and let go of everything."""
        self._kill()
        for stream in (self.requests, self.answers):
            with suppress(OSError):
                stream.close()
        self.process.wait()
        if self.scratch:
            self.scratch.cleanup()


_idle: list[_Reader] = []
_turn = threading.Condition()
_busy = 0


@contextmanager
def _reader() -> Iterator[_Reader]:
    """A reader that waits, or a new one, in turn: `limits.READERS` at once."""
    global _busy
    with _turn:
        _turn.wait_for(lambda: _busy < READERS.value)
        _busy += 1
    try:
        reader = _waiting() or _Reader()
        is_well = False
        try:
            yield reader
            is_well = _child.CAN_FORK and reader.is_well
        finally:
            if is_well:
                _idle.append(reader)
            else:
                reader.end()
    finally:
        with _turn:
            _busy -= 1
            _turn.notify()


def _waiting() -> _Reader | None:
    """A reader that is still there; one that waited for long has ended itself."""
    while (reader := _taken()) is not None:
        if reader.is_well:
            return reader
        reader.end()
    return None


def _taken() -> _Reader | None:
    """A reader that waits, whatever its state; another thread may take the last one at the same moment."""
    try:
        return _idle.pop()
    except IndexError:
        return None


@atexit.register
def _end_all() -> None:
    while (reader := _taken()) is not None:
        reader.end()
