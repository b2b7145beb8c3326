"""``psa_core runs``: list the runs on this machine, or delete some."""

from __future__ import annotations

import re
from datetime import datetime

from psa_core.cli._base import MEGABYTE, Command, print_rows
from psa_core.errors import OptionError
from psa_core.jobs import root, run_status
from psa_core.jobs.run_status import StoredRun
from psa_core.options import option
from psa_core.plurals import counted

UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def _execute(
    older_than: str | None = option(None, metavar="AGE", help="only runs unused for this long: 30d, 12h, 4w"),
    damaged: bool = option(False, help="only runs whose folders cannot be read"),
    delete: bool = option(False, help="delete them (default age: 30d)"),
) -> int:
    age = older_than or ("30d" if delete and not damaged else None)
    found = run_status.stored() if age is None else run_status.unused(_seconds(age))
    if damaged:
        found = [run for run in found if run.state == "damaged"]
    if delete:
        deleted = [run for run in found if run_status.delete(run.run_id)]
        print(f"{counted(len(deleted), 'run')} deleted, {_megabytes(*deleted)} MB freed in {root()}")
        return 0
    if found:
        times = (datetime.fromtimestamp(run.used).isoformat(" ", "minutes") for run in found)
        rows = [
            (run.run_id, run.state, run.what, when, _megabytes(run)) for run, when in zip(found, times, strict=True)
        ]
        print_rows([("run", "state", "what", "last used", "MB"), *rows])
    print(f"{counted(len(found), 'run')}, {_megabytes(*found)} MB in {root()}")
    return 0


def _megabytes(*runs: StoredRun) -> str:
    return f"{sum(run.bytes for run in runs) / MEGABYTE:.1f}"


def _seconds(age: str) -> float:
    match = re.fullmatch(r"(\d{1,6})([mhdw])", age)
    if match is None:
        raise OptionError("--older-than", got=repr(age[:20]), expected="a number with m, h, d or w, such as 30d")
    return float(match[1]) * UNITS[match[2]]


COMMAND = Command("runs", "Show the runs of this machine, or delete old ones.", _execute)
