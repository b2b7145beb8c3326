"""Free the memory of a closed tab soon, rather than when the next visitor comes.

Streamlit keeps a session for two minutes after its tab is closed, for a network that comes back, and then drops it
when another session is stored. Its uploads stay in memory until then.
"""

from __future__ import annotations

import ctypes
import gc
import threading
import time
from contextlib import suppress
from typing import Any

import streamlit as st

EVERY_SECONDS = 30.0


@st.cache_resource(show_spinner=False)
def watch() -> threading.Thread | None:
    """Start watching for ended sessions, once per server; None where Streamlit does not list its sessions."""
    from streamlit import runtime

    if not runtime.exists():
        return None
    try:  # no public way leads there; without it, memory is freed by the next visitor
        server: Any = runtime.get_instance()
        stored = server._session_mgr._session_storage._cache
        loop = server._get_async_objs().eventloop
        stored.expire  # noqa: B018 - asked for here, where its absence can be caught
    except AttributeError:
        return None
    watcher = threading.Thread(target=_free, args=(stored, loop), daemon=True, name="closed tabs")
    watcher.start()
    return watcher


def _free(stored: Any, loop: Any) -> None:
    over: list[Any] = []

    def end() -> None:
        for _, ended in stored.expire():
            ended.session.shutdown()  # its uploads go, whoever still knows of the session
            over.append(ended)

    while not loop.is_closed():
        time.sleep(EVERY_SECONDS)
        with suppress(RuntimeError):  # the server is about to end
            loop.call_soon_threadsafe(end)
        time.sleep(1.0)
        if over:
            over.clear()
            give_back()


def give_back() -> None:
    """Collect what is no longer used and give its memory back to the system.

    What was taken for permanent (see `heap`) is looked through as well: a session that was there then is over now.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    with suppress(AttributeError, OSError):  # the C library is not GNU's
        ctypes.CDLL(None).malloc_trim(0)
