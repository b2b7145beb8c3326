"""Where runs are stored, and the names of the files in a run's folder."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psa_core import atomic
from psa_core.errors import RunFolderError

RUN_ID = re.compile(r"[A-Za-z0-9_-]{16,32}")
JOB, STATUS, RESULT, PARTIAL, LOCK, CANCEL = "job.json", "status.json", "result", "partial.npz", "worker.lock", "cancel"
SO_FAR = "so-far"
INPUTS, LOG = "inputs", "worker.log"
QUEUE = "queue"


def root() -> Path:
    """The folder of all runs: ``PSA_RUNS_DIR``, or the user's data folder; never relative."""
    from platformdirs import user_data_path

    place = os.environ.get("PSA_RUNS_DIR")
    return Path(os.path.abspath(os.path.expanduser(place))) if place else user_data_path("psa-dashboard") / "runs"


def private_root() -> Path:
    """The folder of all runs, made where it is missing and closed to other users of the machine."""
    return atomic.private_folder(root(), ours=is_ours)


def is_ours(name: str) -> bool:
    """Whether a file or folder of this name in the folder of all runs is of our making."""
    return bool(RUN_ID.fullmatch(name)) or name in (QUEUE, "scoring.lock") or name.startswith(".")


def is_run(path: Path) -> bool:
    """Whether this is the folder of a run; what is in it may still be damaged."""
    try:
        return bool(RUN_ID.fullmatch(path.name)) and (path / JOB).is_file()
    except OSError:
        return False


def run_path(run_id: str) -> Path:
    """The folder of one run; raises `RunFolderError` for an id that is not one or is not there."""
    if not RUN_ID.fullmatch(run_id) or not is_run(root() / run_id):
        fix = "Start a new study, or open its zip."
        raise RunFolderError("run", got="an unknown run id", expected="the id of a run on this machine", fix=fix)
    return root() / run_id


@contextmanager
def removed_on_failure(path: Path) -> Iterator[None]:
    """Remove a folder again when the block that fills it fails or is interrupted."""
    try:
        yield
    except BaseException:  # Ctrl-C too must leave no half-made run; the exception goes on
        shutil.rmtree(path, ignore_errors=True)
        raise
