"""Exclude long-lived objects from garbage collection.

Streamlit collects garbage after every run of a page, over every object that the process has. The modules of this app
(pandas, Plotly, scikit-learn, torch) have about half a million, so that a run of *Try it* spent more time on looking
through them than on the page, with the interpreter's lock held: no other session's page could go on meanwhile.
"""

from __future__ import annotations

import gc
import sys
import threading

MODULES = 20
_turn = threading.Lock()
_modules_then = 0


def freeze_modules() -> bool:
    """Exclude what is loaded by now, if modules were imported since the last call; returns whether it did.

    Nothing that a page made is lost to the collector for good but what was in a cycle at the time: garbage is collected
    first, and new modules come a few times in the life of a server.
    """
    global _modules_then
    if len(sys.modules) < _modules_then + MODULES or not _turn.acquire(blocking=False):
        return False
    try:
        _modules_then = len(sys.modules)
        gc.collect()
        gc.freeze()
    finally:
        _turn.release()
    return True
