"""What this app changes inside Streamlit and the interpreter, all in one place.

Streamlit has no public way to most of it, so `pyproject.toml` bounds its version and a test names what is used.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

EXPIRE_SECONDS = 30.0
NEW_MODULES = 20
_freezing = threading.Lock()
_modules_frozen = 0


def use_navigation_only() -> None:
    """Turn off Streamlit's own discovery of ``pages/``, which would serve pages before ``st.navigation`` is reached."""
    PagesManager.uses_pages_directory = False


@contextmanager
def defer() -> Iterator[Callable[[], None]]:
    """Hold back messages sent inside and yield a function that sends them, for output that must arrive last."""
    context: Any = get_script_run_ctx(suppress_warning=True)
    send = getattr(context, "_enqueue", None)
    kept: list[Any] = []
    if send is not None:
        context._enqueue = kept.append
    try:
        yield lambda: [send(message) for message in kept] and None
    finally:
        if send is not None:
            context._enqueue = send


@st.cache_resource(show_spinner=False)
def watch_closed_tabs() -> threading.Thread | None:
    """Free the memory of closed tabs soon, from one thread per server; None where there is no server.

    Streamlit keeps a session, with its uploads, for two minutes after its tab is closed, for a network that comes back,
    and then drops it only when another session is stored: on a quiet server that is never.
    """
    from streamlit import runtime

    if not runtime.exists():
        return None
    try:  # without these, memory is freed by the next visitor
        server: Any = runtime.get_instance()
        stored = server._session_mgr._session_storage._cache
        loop = server._get_async_objs().eventloop
        stored.expire  # noqa: B018 - asked for here, where its absence can be caught
    except AttributeError:
        return None
    over: list[Any] = []

    def end() -> None:
        for _, ended in stored.expire():
            ended.session.shutdown()  # its uploads go, whoever still knows of the session
            over.append(ended)

    def watch() -> None:
        while not loop.is_closed():
            time.sleep(EXPIRE_SECONDS)
            with suppress(RuntimeError):  # the server is about to end
                loop.call_soon_threadsafe(end)
            time.sleep(1.0)
            if over:
                over.clear()
                release_memory()

    watcher = threading.Thread(target=watch, daemon=True, name="closed tabs")
    watcher.start()
    return watcher


def release_memory() -> None:
    """Collect garbage, including what `freeze_modules` froze, and return the memory to the system."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    trim()


def trim() -> None:
    """Return to the system what is free already, such as the pieces of a large upload that was read."""
    with suppress(AttributeError, OSError):  # the C library is not GNU's
        ctypes.CDLL(None).malloc_trim(0)


def freeze_modules() -> bool:
    """Exclude loaded objects from garbage collection if modules were imported since; returns whether it did.

    Streamlit collects garbage after every run of a page, over every object of the process. The modules of this app have
    about half a million, so that a run spent more time on looking through them than on the page, with the interpreter's
    lock held. Nothing that a page made is lost to the collector but what was in a cycle just then.
    """
    global _modules_frozen
    if len(sys.modules) < _modules_frozen + NEW_MODULES or not _freezing.acquire(blocking=False):
        return False
    try:
        _modules_frozen = len(sys.modules)
        gc.collect()
        gc.freeze()
    finally:
        _freezing.release()
    return True
