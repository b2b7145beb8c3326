"""What a run of a page draws travels in one go, where the run is short.

A browser redraws the page for whatever has come by then. Sent one by one, the fifty elements of a page are drawn in ten
rounds, each of which takes as long as all at once; and each wakes the server's other thread, for which this one waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from streamlit.runtime.scriptrunner import get_script_run_ctx

M = TypeVar("M")
#: What takes longer is shown piece by piece, so that somebody who waits sees it come.
SECONDS = 0.1


@contextmanager
def together() -> Iterator[None]:
    """Hold back what this run of the script sends until its end, for a tenth of a second at most."""
    context: Any = get_script_run_ctx(suppress_warning=True)
    send = getattr(context, "_enqueue", None)  # no public way leads there; without it, each is sent by itself
    if send is None or hasattr(send, "is_held"):
        yield
        return
    with held(send, context.yield_check) as hold:
        context._enqueue = hold
        try:
            yield
        finally:
            context._enqueue = send


@contextmanager
def put_off() -> Iterator[Callable[[], None]]:
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


@contextmanager
def held(
    send: Callable[[M], None], check: Callable[[], None], seconds: float = SECONDS
) -> Iterator[Callable[[M], None]]:
    """What to call instead of `send`: it keeps what it gets, in order, until the end or until the time is over.

    Parameters
    ----------
    send : callable
        Is called from another thread for what was kept; from then on from the caller's own.
    check : callable
        Is called for each message that is kept: it may end the run, as sending may.
    seconds : float
    """
    kept: list[M] = []
    lock, ended, sent = threading.Lock(), threading.Event(), threading.Event()

    def hold(message: M) -> None:
        with lock:
            is_kept = not sent.is_set()
            if is_kept:
                kept.append(message)
        if is_kept:
            check()
        else:
            send(message)

    hold.is_held = True  # type: ignore[attr-defined]

    def release() -> None:
        ended.wait(seconds)
        with lock:
            for message in kept:
                send(message)
            sent.set()

    sender = threading.Thread(target=release, daemon=True, name="bundle")
    sender.start()
    try:
        yield hold
    finally:
        ended.set()
        sender.join()
