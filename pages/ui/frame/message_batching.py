"""What a run of a page draws travels in one go, where the run is short.

A browser redraws the page for whatever has come by then. Sent one by one, the fifty elements of a page are drawn in ten
rounds, each of which takes as long as all at once; and each wakes the server's other thread, for which this one waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

from streamlit.runtime.scriptrunner import get_script_run_ctx

M = TypeVar("M")
#: What takes longer is shown piece by piece, so that somebody who waits sees it come.
SECONDS = 0.1


@contextmanager
def batch(seconds: float = SECONDS) -> Iterator[None]:
    """Hold back what this run of the script sends inside until its end, or until so many seconds are over.

    Inside of another such part, it is that one which holds longer.
    """
    context: Any = get_script_run_ctx(suppress_warning=True)
    send = getattr(context, "_enqueue", None)  # no public way leads there; without it, each is sent by itself
    if send is None:
        yield
    elif isinstance(send, Hold) and send.is_holding:
        with send.extend(seconds):
            yield
    else:
        with held(send, context.yield_check, seconds) as hold:
            context._enqueue = hold
            try:
                yield
            finally:
                context._enqueue = send


@contextmanager
def defer() -> Iterator[Callable[[], None]]:
    """Keep what is sent inside, and give what sends it: for something that has to arrive after what comes later."""
    context: Any = get_script_run_ctx(suppress_warning=True)
    send = getattr(context, "_enqueue", None)
    kept: list[Any] = []

    def send_now() -> None:
        for message in kept:
            send(message)

    if send is not None:
        context._enqueue = kept.append
    try:
        yield send_now
    finally:
        if send is not None:
            context._enqueue = send


class Hold(Generic[M]):
    """Keeps what it is called with, in order, until its time is over; then it passes everything on.

    Parameters
    ----------
    send : callable
        Is called from another thread for what was kept; from then on from the caller's own.
    check : callable
        Is called for each message that is kept: it may end the run, as sending may.
    seconds : float
    """

    def __init__(self, send: Callable[[M], None], check: Callable[[], None], seconds: float) -> None:
        self._send, self._check = send, check
        self._until = time.monotonic() + seconds
        self._kept: list[M] = []
        self._lock, self._changed = threading.Lock(), threading.Event()
        self.is_holding = True
        self._sender = threading.Thread(target=self._release, daemon=True, name="bundle")
        self._sender.start()

    def __call__(self, message: M) -> None:
        """Keep a message, or send it when the time is over."""
        with self._lock:
            is_kept = self.is_holding
            if is_kept:
                self._kept.append(message)
        (self._check if is_kept else partial(self._send, message))()

    @contextmanager
    def extend(self, seconds: float) -> Iterator[None]:
        """Hold for so many seconds from now, at least, while inside."""
        before = self._until
        self._hold_until(max(before, time.monotonic() + seconds))
        try:
            yield
        finally:
            self._hold_until(before)

    def end(self) -> None:
        """Send what is kept and return when that is done."""
        self._hold_until(0.0)
        self._sender.join()

    def _hold_until(self, until: float) -> None:
        self._until = until
        self._changed.set()

    def _release(self) -> None:
        while (left := self._until - time.monotonic()) > 0:
            self._changed.wait(left)
            self._changed.clear()
        with self._lock:
            for message in self._kept:
                self._send(message)
            self.is_holding = False


@contextmanager
def held(send: Callable[[M], None], check: Callable[[], None], seconds: float = SECONDS) -> Iterator[Hold[M]]:
    """What to call instead of `send`: it keeps what it gets, in order, until the end or until the time is over."""
    hold = Hold(send, check, seconds)
    try:
        yield hold
    finally:
        hold.end()
