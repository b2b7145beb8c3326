"""Submit, cancel and resume runs in worker processes, through their folders.

A run's folder holds ``job.json`` (the command, and a study's spec), ``inputs/`` (uploads, the worker's working
folder), ``status.json``, ``partial.npz`` (the cube of the finished sentences), ``worker.log`` and, at the end,
``result/``. Its id is the only key to it and cannot be guessed; only the owner of the server's process can read it.
Runs wait in a queue for their turn; see `psa_core.jobs._queue`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.errors import RunFolderError
from psa_core.inputs import corpus, names
from psa_core.inputs.checks import file_name
from psa_core.jobs import _queue, retention
from psa_core.jobs._records import (
    CANCEL,
    INPUTS,
    JobRecord,
    disk_as_error,
    private_root,
    read_job,
    read_status,
    removed_on_failure,
    root,
    run_path,
    write_job,
    write_status,
)
from psa_core.study import StudySpec
from psa_core.trust import Origin


def submit(
    spec: StudySpec,
    uploads: Mapping[str, bytes] | None = None,
    *,
    origin: Origin = Origin.VISITOR,
    visitor: str = "",
    seconds: float | None = None,
    most: float | None = None,
) -> str:
    """Queue a study for a worker process; returns the run id.

    Parameters
    ----------
    spec : StudySpec
        Its `sentences`, `names` and `conditions` may be file names among the uploads, which are kept in the run's own
        folder.
    origin : Origin
        Who asked for it, which decides what it may load.
    visitor : str
        Whose run it is, by something that cannot be guessed; visitors take turns.
    seconds : float, optional
        How long it will take, by a measured trial.
    most : float, optional
        Dollars after which a language model is asked no more.

    Raises
    ------
    OptionError
        When the queue, or the visitor's part of it, is full.
    RunFolderError
        When it cannot be kept: no room, no right to write.
    """
    kept = {name: file_name(name) for name in uploads or {}}
    files = {name: getattr(spec, name) for name in ("sentences", "names", "conditions")}
    found: dict[str, Any] = {
        name: kept.get(given) or _queue.absolute(given, (), origin) for name, given in files.items()
    }
    study = replace(spec, **found, model=_queue.absolute(spec.model, kept.values(), origin))
    job = JobRecord("run", study=study, visitor=visitor, seconds=seconds, origin=origin, most=most)
    return _submit(job, uploads or {})


def submit_audit(
    command: str,
    arguments: Sequence[str],
    uploads: Mapping[str, bytes] | None = None,
    *,
    origin: Origin = Origin.VISITOR,
    visitor: str = "",
    seconds: float | None = None,
) -> str:
    """Queue another command of the command line, such as ``eec``, for a worker process; returns the run id.

    Its arguments may name files among the uploads, by `inputs.checks.file_name`; ``--out`` and ``--job`` are added. See
    `submit` for the rest.
    """
    kept = [file_name(name) for name in uploads or {}]
    full = tuple(_queue.absolute(argument, kept, origin) for argument in arguments)
    return _submit(JobRecord(command, full, visitor=visitor, seconds=seconds, origin=origin), uploads or {})


def has_inputs(run_id: str) -> bool:
    """Whether the sentences and the names of a run are at hand: packaged, or kept with it."""
    spec, kept = spec_at(run_path(run_id)), run_path(run_id) / INPUTS
    packaged = ((spec.sentences, corpus.packaged()), (spec.names, {card.id for card in names.available()}))
    # What a run that somebody brought names elsewhere is not looked for.
    return all(name in known or (file_name(name) == name and (kept / name).is_file()) for name, known in packaged)


def submit_with(run_id: str, model: str, *, origin: Origin = Origin.VISITOR, visitor: str = "") -> str:
    """Queue the study of a run with another model; returns the new run's id. See `submit`."""
    folder = run_path(run_id)
    with disk_as_error():
        uploads = {path.name: path.read_bytes() for path in sorted((folder / INPUTS).iterdir()) if path.is_file()}
    return submit(replace(spec_at(folder), model=model), uploads, origin=origin, visitor=visitor)


def _submit(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    run_id = create_folder(job, uploads)
    with removed_on_failure(root() / run_id):
        resume(run_id)
    return run_id


def create_folder(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    """Create a run's folder, whole or not at all: there is none without its ``job.json``. Returns the run id."""
    run_id = secrets.token_urlsafe(15)
    retention.make_room(job.visitor)
    with disk_as_error():
        aside = private_root() / f"{atomic.UNFINISHED}{secrets.token_hex(8)}"
        with removed_on_failure(aside):
            (aside / INPUTS).mkdir(atomic.ONLY_MINE_FOLDER, parents=True)
            aside.chmod(atomic.ONLY_MINE_FOLDER)
            for name, content in uploads.items():
                atomic.write(aside / INPUTS / file_name(name), content)
            write_job(aside, job)
            aside.rename(root() / run_id)
    return run_id


def resume(run_id: str) -> None:
    """Queue a run that has no worker again; scores that were reached before come from the cache.

    One that has finished, or that somebody else resumes at the same moment, goes on as it is. Raises as `submit` does.
    """
    folder = run_path(run_id)
    job = read_job(folder)
    with disk_as_error():
        with _queue.changing():
            is_done = read_status(folder).state == "finished"
            if is_done or _queue.is_waiting(run_id) or _queue.is_worked_on(run_id):
                return
            (folder / CANCEL).unlink(missing_ok=True)
            for left in folder.glob(f"{atomic.UNFINISHED}*"):
                left.unlink(missing_ok=True)
            _queue.enter(run_id, job.visitor, job.seconds)
            write_status(folder, state="queued")
        _queue.advance()


def cancel(run_id: str) -> None:
    """Stop a run at once; what was scored stays in the cache and `resume` goes on from there.

    A worker looks for the mark that this leaves and ends itself, so no other process can be hit.
    """
    folder = run_path(run_id)
    with disk_as_error(), _queue.changing():
        if _queue.leave(run_id):
            write_status(folder, state="cancelled", message="Stopped before its turn came; resume to queue it again.")
        elif _queue.is_worked_on(run_id):
            (folder / CANCEL).touch(atomic.ONLY_MINE_FILE)


def spec_at(path: Path) -> StudySpec:
    """The study that a run's folder describes."""
    spec = read_job(path).study
    if spec is None:
        raise RunFolderError("run", got="a run of another command", expected="a study")
    return spec


def origin_at(path: Path) -> Origin:
    """Who asked for a run; a file, where nobody did (it was opened, or made by an older version)."""
    return read_job(path).origin
