"""The files that describe a run: ``job.json``, written once, and ``status.json``, updated while it runs."""

from __future__ import annotations

import errno
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.errors import PsaError, RunFolderError
from psa_core.inputs import json_file
from psa_core.jobs._places import JOB, STATUS
from psa_core.study import StudySpec
from psa_core.trust import Origin

STATES = ("queued", "running", "finished", "failed", "cancelled")
MAX_MESSAGE_LENGTH = 2000
DELETE_OLD = "Delete old runs (python -m psa_core runs --older-than 30d --delete) or make room on the disk."
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LARGEST = 2**53


@dataclass(frozen=True)
class JobRecord:
    """What a run has to do.

    Attributes
    ----------
    command : str
        Of the command line.
    arguments : tuple of str
        Of a command other than ``run``.
    study : StudySpec or None
        Of the command ``run``.
    visitor : str
        Whose run it is: a digest of what only that visitor's browser knows; empty on one's own machine.
    seconds : float or None
        How long it will take, by the page's estimate.
    origin : Origin
        Who asked for it; a file, where nobody submitted it.
    shared : bool
        Whether many visitors look at it, so that nobody may change it.
    """

    command: str
    arguments: tuple[str, ...] = ()
    study: StudySpec | None = None
    visitor: str = ""
    seconds: float | None = None
    origin: Origin = Origin.FILE
    shared: bool = False


@dataclass(frozen=True)
class StatusRecord:
    """How far a run is, as its worker last wrote.

    Attributes
    ----------
    state : str
        One of `STATES`.
    seconds_left : float or None
        None while nothing is known of the speed.
    message : str
        What it is doing, or why it ended, in a sentence for people.
    changed : str
        When this was written, in ISO 8601, UTC.
    """

    state: str = "queued"
    sentences_done: int = 0
    sentences_total: int = 0
    texts_done: int = 0
    texts_total: int = 0
    texts_per_second: float = 0.0
    seconds_left: float | None = None
    message: str = ""
    changed: str = ""


def read_job(path: Path) -> JobRecord:
    """What a run's ``job.json`` says; raises `RunFolderError` when it is damaged."""
    with _whole(JOB):
        values = json_file.read(path / JOB)
        spec = StudySpec.from_mapping(_mapping(values["study"])) if "study" in values else None
        arguments = values.get("arguments", [])
        seconds, visitor = values.get("seconds"), values.get("visitor", "")
        if not isinstance(values["command"], str) or not isinstance(arguments, list) or not isinstance(visitor, str):
            raise TypeError("a field of the wrong kind")
        return JobRecord(
            values["command"],
            tuple(str(part) for part in arguments),
            spec,
            visitor,
            None if seconds is None else _number(seconds),
            Origin.__members__.get(str(values.get("origin")), Origin.FILE),
            values.get("shared") is True,
        )


def write_job(path: Path, job: JobRecord) -> None:
    """Write ``job.json``."""
    values = {name: value for name, value in asdict(job).items() if value not in (None, (), "", False)}
    atomic.write(path / JOB, json.dumps({**values, "origin": job.origin.name}))


def read_status(path: Path) -> StatusRecord:
    """What a run's ``status.json`` says; raises `RunFolderError` when it is damaged."""
    with _whole(STATUS):
        try:
            values = json_file.read(path / STATUS)
        except FileNotFoundError:
            return StatusRecord()
        if values.get("state") not in STATES:
            raise ValueError("an unknown state")
        return StatusRecord(**{name: _KINDS[name](value) for name, value in values.items() if name in _KINDS})


def write_status(path: Path, **values: Any) -> None:
    """Replace a run's ``status.json``; the worker calls it as scores come."""
    sayable = {name: value for name, value in values.items() if not isinstance(value, float) or math.isfinite(value)}
    atomic.write(path / STATUS, json.dumps(sayable), durable=values["state"] != "running")


@contextmanager
def keeping() -> Iterator[None]:
    """Tell in one sentence that a run cannot be written: a full disk, a folder that may only be read.

    Raises
    ------
    RunFolderError
        In place of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise cannot_write(error) from error


def cannot_write(error: OSError) -> RunFolderError:
    """One sentence for a run that cannot be written."""
    fix = DELETE_OLD if is_full(error) else "Ask whoever runs this server."
    got = error.strerror or type(error).__name__
    return RunFolderError("runs folder", got=got, expected="room and the right to write there", fix=fix)


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is a disk without room."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def _whole(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, OverflowError, PsaError) as error:
        got, fix = f"a damaged folder ({name})", "Start the study again, or open its zip."
        raise RunFolderError("run", got=got, expected="the folder of a run", fix=fix) from error


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise ValueError("no count")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise ValueError("no amount")
    return float(value)


def _words(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value[:MAX_MESSAGE_LENGTH]


_KINDS: dict[str, Callable[[Any], Any]] = {
    **{item.name: _count for item in fields(StatusRecord) if item.type == "int"},
    **{item.name: _words for item in fields(StatusRecord) if item.type == "str"},
    "texts_per_second": _number,
    "seconds_left": lambda value: None if value is None else _number(value),
}
