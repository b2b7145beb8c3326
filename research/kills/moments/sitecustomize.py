"""Loaded by Python itself at its start: lets a process wait at the moment at which it is to be killed.

``KILL_AT`` is ``commit`` (scores are in an open transaction), ``writing`` (the result is whole and about to take its
place) or ``clock`` (no waiting: the time goes back by a day a second); ``KILL_TOLD`` is the file that tells it;
a file of that name with ``.go`` behind it lets the process go on.
"""

import os
import sqlite3
import time
from pathlib import Path

_at, _told = os.environ.get("KILL_AT", ""), Path(os.environ.get("KILL_TOLD", "/nonexistent"))


def _wait() -> None:
    if not _told.exists():  # once only: whoever resumes goes on
        _told.write_text(str(os.getpid()))
        end = time.monotonic() + 120
        while not _told.with_suffix(".go").exists():
            time.sleep(0.05)
            if time.monotonic() > end:  # nobody came to kill it
                os._exit(1)


class _Waiting(sqlite3.Connection):
    def executemany(self, *arguments):  # type: ignore[no-untyped-def]
        answer = super().executemany(*arguments)
        _wait()
        return answer


if _at == "commit":
    _connect = sqlite3.connect
    sqlite3.connect = lambda *given, **named: _connect(*given, **{**named, "factory": _Waiting})
if _at == "writing":
    _rename = os.rename

    def _slowly(source, place):  # type: ignore[no-untyped-def]
        if ".psa-new-" in str(source):
            _wait()
        _rename(source, place)

    os.rename = _slowly
if _at == "clock":
    _time, _began = time.time, time.monotonic()
    time.time = lambda: _time() - 86_400 * (time.monotonic() - _began)
