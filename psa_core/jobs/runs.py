"""Submit, cancel and resume runs in worker processes, through their folders.

A run's folder holds ``job.json`` (the command, and a study's spec), ``inputs/`` (uploads, the worker's working
folder), ``status.json``, ``partial.npz`` (the cube of the finished sentences), ``worker.log`` and, at the end,
``result/``. Its id is the only key to it and cannot be guessed; only the owner of the server's process can read it.
Runs wait in a queue for their turn; see `psa_core.jobs._queue`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from psa_core import atomic
from psa_core.errors import RunFolderError
from psa_core.inputs.checks import file_name
from psa_core.jobs import _queue, _starting
from psa_core.jobs._places import CANCEL, removed_on_failure, root, run_path
from psa_core.jobs._records import JobRecord, keeping, read_job, read_status, write_status
from psa_core.jobs.create import made_folder
from psa_core.study import StudySpec
from psa_core.trust import Origin


def submit(
    spec: StudySpec,
    uploads: Mapping[str, bytes] | None = None,
    *,
    origin: Origin = Origin.VISITOR,
    visitor: str = "",
    seconds: float | None = None,
) -> str:
    """Queue a study for a worker process; returns the run id.

    Parameters
    ----------
    spec : StudySpec
        Its `sentences` and `names` may be file names among the uploads, which are kept in the run's own folder.
    uploads : mapping of file name to bytes, optional
    origin : Origin
        Who asked for it, which decides what it may load.
    visitor : str
        Whose run it is, by something that cannot be guessed; visitors take turns.
    seconds : float, optional
        How long it will take, by a measured trial.

    Raises
    ------
    OptionError
        When the queue, or the visitor's part of it, is full.
    RunFolderError
        When it cannot be kept: no room, no right to write.
    """
    kept = {name: file_name(name) for name in uploads or {}}
    sentences, names = (kept.get(name) or _starting.absolute(name, (), origin) for name in (spec.sentences, spec.names))
    model = _starting.absolute(spec.model, kept.values(), origin)
    study = replace(spec, sentences=sentences, names=names, model=model)
    return _queued(JobRecord("run", study=study, visitor=visitor, seconds=seconds, origin=origin), uploads or {})


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
    full = tuple(_starting.absolute(argument, kept, origin) for argument in arguments)
    return _queued(JobRecord(command, full, visitor=visitor, seconds=seconds, origin=origin), uploads or {})


def resume(run_id: str) -> None:
    """Queue a run that has no worker again; scores that were reached before come from the cache.

    One that has finished, or that somebody else resumes at the same moment, goes on as it is.

    Raises
    ------
    OptionError, RunFolderError
        As `submit`.
    """
    place = run_path(run_id)
    job = read_job(place)
    with keeping():
        with _queue.changing():
            is_done = read_status(place).state == "finished"
            if is_done or _queue.is_waiting(run_id) or _queue.is_worked_on(run_id):
                return
            (place / CANCEL).unlink(missing_ok=True)
            for left in place.glob(f"{atomic.UNFINISHED}*"):
                left.unlink(missing_ok=True)
            _queue.enter(run_id, job.visitor, job.seconds)
            write_status(place, state="queued")
        _starting.advance()


def cancel(run_id: str) -> None:
    """Stop a run at once; what was scored stays in the cache and `resume` goes on from there.

    A worker looks for the mark that this leaves and ends itself, so no other process can be hit.
    """
    place = run_path(run_id)
    with keeping(), _queue.changing():
        if _queue.leave(run_id):
            write_status(place, state="cancelled", message="Stopped before its turn came; resume to queue it again.")
        elif _queue.is_worked_on(run_id):
            (place / CANCEL).touch(atomic.ONLY_MINE_FILE)


def spec_at(path: Path) -> StudySpec:
    """The study that a run's folder describes."""
    spec = read_job(path).study
    if spec is None:
        raise RunFolderError("run", got="a run of another command", expected="a study")
    return spec


def origin_at(path: Path) -> Origin:
    """Who asked for a run; a file, where nobody did (it was opened, or made by an older version)."""
    return read_job(path).origin


def _queued(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    run_id = made_folder(job, uploads)
    with removed_on_failure(root() / run_id):
        resume(run_id)
    return run_id
