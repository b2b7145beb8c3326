"""A run's folder: where it is, and the files that describe it.

``job.json`` is written once; ``status.json`` is replaced while the run goes on.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.errors import PsaError, RunFolderError
from psa_core.inputs import json_file
from psa_core.inputs.checks import as_texts
from psa_core.options import fields_of, option
from psa_core.study import StudySpec
from psa_core.trust import Origin

RUN_ID = re.compile(r"[A-Za-z0-9_-]{16,32}")
JOB, STATUS, RESULT, PARTIAL, LOCK, CANCEL = "job.json", "status.json", "result", "partial.npz", "worker.lock", "cancel"
SO_FAR, INPUTS, LOG, QUEUE = "so-far", "inputs", "worker.log", "queue"
STATES = ("queued", "running", "finished", "failed", "cancelled")
MAX_MESSAGE_LENGTH = 2000
SCORES_KEPT = "The scores so far are kept; resume to go on from them."
DELETE_OLD = "Delete old runs (psa runs --older-than 30d --delete) or make room on the disk."
DISK_FULL = f"The disk of the runs folder is full. {DELETE_OLD}"
_AMOUNT = {"low": 0, "high": 2**53}


@dataclass(frozen=True)
class JobRecord:
    """What a run has to do: a `command` of the command line, with its `arguments` or, of ``run``, the `study`.

    `visitor` says whose run it is, by a digest of what only that visitor's browser knows (empty on one's own machine),
    `origin` who asked for it (a file, where nobody submitted it). `seconds` is how long it will take, by the page's
    estimate, `most` the dollars that a language model at an address may be asked for. Nobody may change a `shared` one,
    which many visitors look at.
    """

    command: str = option()
    arguments: tuple[str, ...] = ()
    study: StudySpec | None = None
    visitor: str = option("")
    seconds: float | None = option(None, **_AMOUNT)
    origin: Origin = Origin.FILE
    most: float | None = option(None, **_AMOUNT)
    shared: bool = option(False)


@dataclass(frozen=True)
class StatusRecord:
    """How far a run is, as its worker last wrote, and in `message` what it is doing, or why it ended, for people.

    `seconds_left` is None while nothing is known of the speed; `changed` is when this was written, in ISO 8601, UTC.
    """

    state: str = option("queued", choices=dict.fromkeys(STATES, ""))
    sentences_done: int = option(0, **_AMOUNT)
    sentences_total: int = option(0, **_AMOUNT)
    texts_done: int = option(0, **_AMOUNT)
    texts_total: int = option(0, **_AMOUNT)
    texts_per_second: float = option(0.0, **_AMOUNT)
    seconds_left: float | None = option(None, **_AMOUNT)
    message: str = option("")
    changed: str = option("")


def root() -> Path:
    """The folder of all runs: ``PSA_RUNS_DIR``, or the user's data folder; never relative."""
    from platformdirs import user_data_path

    folder = os.environ.get("PSA_RUNS_DIR")
    return Path(os.path.abspath(os.path.expanduser(folder))) if folder else user_data_path("psa-dashboard") / "runs"


def private_root() -> Path:
    """The folder of all runs, made where it is missing and closed to other users of the machine."""
    ours = (QUEUE, "scoring.lock")
    return atomic.private_folder(
        root(), ours=lambda name: bool(RUN_ID.fullmatch(name)) or name in ours or name.startswith(".")
    )


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


def read_job(path: Path) -> JobRecord:
    """Raises `RunFolderError` when it is damaged; so does `read_status`."""
    with _damage_as_error(JOB):
        values = json_file.read(path / JOB)
        known = fields_of(JobRecord)
        return JobRecord(
            **{name: item.checked(values[name]) for name, item in known.items() if name in values},
            arguments=tuple(as_texts(values.get("arguments", []))),
            study=StudySpec.from_mapping(dict(values["study"])) if "study" in values else None,
            origin=Origin.__members__.get(str(values.get("origin")), Origin.FILE),
        )


def write_job(path: Path, job: JobRecord) -> None:
    values = {name: value for name, value in asdict(job).items() if value not in (None, (), "", False)}
    atomic.write(path / JOB, json.dumps({**values, "origin": job.origin.name}))


def read_status(path: Path) -> StatusRecord:
    with _damage_as_error(STATUS):
        try:
            values = json_file.read(path / STATUS)
        except FileNotFoundError:
            return StatusRecord()
        known = fields_of(StatusRecord)
        status = StatusRecord(**{name: known[name].checked(value) for name, value in values.items() if name in known})
        return replace(status, message=status.message[:MAX_MESSAGE_LENGTH])


def write_status(path: Path, **values: Any) -> None:
    """Replace a run's ``status.json``; the worker calls it as scores come."""
    finite = {name: value for name, value in values.items() if not isinstance(value, float) or math.isfinite(value)}
    atomic.write(path / STATUS, json.dumps(finite), durable=values["state"] != "running")


@contextmanager
def disk_as_error() -> Iterator[None]:
    """Raise a `RunFolderError` for what keeps a run from being written: a full disk, a folder that may only be read."""
    try:
        yield
    except OSError as error:
        fix = DELETE_OLD if is_full(error) else "Ask whoever runs this server."
        got = error.strerror or type(error).__name__
        expected = "room and the right to write there"
        raise RunFolderError("runs folder", got=got, expected=expected, fix=fix) from error


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is a disk without room."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def removed_on_failure(path: Path) -> Iterator[None]:
    """Remove a folder again when the block that fills it fails or is interrupted."""
    try:
        yield
    except BaseException:  # Ctrl-C too must leave no half-made run; the exception goes on
        shutil.rmtree(path, ignore_errors=True)
        raise


@contextmanager
def _damage_as_error(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, OverflowError, PsaError) as error:
        got, fix = f"a damaged folder ({name})", "Start the study again, or open its zip."
        raise RunFolderError("run", got=got, expected="the folder of a run", fix=fix) from error
