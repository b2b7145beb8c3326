"""Runs in worker processes, through their folders: submit, cancel, resume, and make finished ones of other results.

A run's folder holds ``job.json`` (the command, and a study's spec), ``inputs/`` (uploads, the worker's working
folder), ``status.json``, ``partial.npz`` (the cube of the finished sentences), ``worker.log`` and, at the end,
``result/``. Its id is the only key to it and cannot be guessed; only the owner of the server's process can read it.
Runs wait in a queue for their turn; see `psa_core.jobs._queue`. A zip that somebody uploads is opened from its data
alone; what is measured of it is computed when its files are asked for.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from psa_core import atomic, locks
from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import judgements, results
from psa_core.folders.view import View, view_of, with_view
from psa_core.inputs import bounded, corpus, names
from psa_core.inputs.checks import file_name
from psa_core.inputs.limits import MEASURE, RUN_CELLS
from psa_core.jobs import _queue, _records, run_status
from psa_core.jobs._records import INPUTS, RESULT, JobRecord, disk_as_error, read_job, run_path
from psa_core.study import StudySpec, spec_of
from psa_core.trust import Origin

#: That a report measured here is about; each takes a second to be drawn.
MAX_TARGETS = 12


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

    The `sentences`, `names` and `conditions` of the spec may be file names among the uploads, which are kept in the
    run's own folder; the other parameters are fields of a `JobRecord`. Raises `OptionError` when the queue, or the
    visitor's part of it, is full, and `RunFolderError` when the run cannot be kept: no room, no right to write.
    """
    kept = {name: file_name(name) for name in uploads or {}}
    files = {name: getattr(spec, name) for name in ("sentences", "names", "conditions")}
    found: dict[str, Any] = {name: kept.get(given) or _absolute(given, (), origin) for name, given in files.items()}
    study = replace(spec, **found, model=_absolute(spec.model, kept.values(), origin))
    job = JobRecord("run", study=study, visitor=visitor, seconds=seconds, origin=origin, most=most)
    return _submit(job, uploads or {})


def submit_audit(
    command: str,
    arguments: Sequence[str],
    uploads: Mapping[str, bytes] | None = None,
    *,
    origin: Origin = Origin.VISITOR,
    visitor: str = "",
) -> str:
    """Queue another command of the command line, such as ``eec``, for a worker process; returns the run id.

    Its arguments may name files among the uploads, by `inputs.checks.file_name`; ``--out`` and ``--job`` are added. See
    `submit` for the rest.
    """
    kept = [file_name(name) for name in uploads or {}]
    full = tuple(_absolute(argument, kept, origin) for argument in arguments)
    return _submit(JobRecord(command, full, visitor=visitor, origin=origin), uploads or {})


def _absolute(value: str, uploads: Iterable[str], origin: Origin) -> str:
    """Replace a relative path to one of the server's files, such as in ``hf:models/mine``, by its full path.

    A worker runs elsewhere; what is the name of an upload stays, since the uploads are where the worker runs. Those
    who may not name the server's files are not told where they are either.
    """
    if origin > Origin.OWN_MACHINE:
        return value
    parts = []
    for part in value.split(","):
        kind, colon, named = part.rpartition(":")
        path, mark, options = named.partition("?")
        relative = ("/" in path or "." in path or colon) and path not in uploads and not os.path.isabs(path)
        known = bool(path) and relative and "\0" not in path and os.path.exists(path)
        parts.append(f"{kind}{colon}{os.path.abspath(path)}{mark}{options}" if known else part)
    return ",".join(parts)


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
    with _records.removed_on_failure(_records.root() / run_id):
        resume(run_id)
    return run_id


def create_folder(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    """Create a run's folder, whole or not at all: there is none without its ``job.json``. Returns the run id."""
    run_id = secrets.token_urlsafe(15)
    run_status.make_room(job.visitor)
    with disk_as_error():
        aside = _records.private_root() / f"{atomic.UNFINISHED}{secrets.token_hex(8)}"
        with _records.removed_on_failure(aside):
            (aside / INPUTS).mkdir(atomic.ONLY_MINE_FOLDER, parents=True)
            aside.chmod(atomic.ONLY_MINE_FOLDER)
            for name, content in uploads.items():
                atomic.write(aside / INPUTS / file_name(name), content)
            _records.write_job(aside, job)
            aside.rename(_records.root() / run_id)
    return run_id


def resume(run_id: str) -> None:
    """Queue a run that has no worker again; scores that were reached before come from the cache.

    One that has finished, or that somebody else resumes at the same moment, goes on as it is. Raises as `submit` does.
    """
    folder = run_path(run_id)
    job = read_job(folder)
    with disk_as_error():
        with _queue.changing():
            is_done = _records.read_status(folder).state == "finished"
            if is_done or _queue.is_waiting(run_id) or _queue.is_worked_on(run_id):
                return
            (folder / _records.CANCEL).unlink(missing_ok=True)
            for left in folder.glob(f"{atomic.UNFINISHED}*"):
                left.unlink(missing_ok=True)
            _queue.enter(run_id, job.visitor, job.seconds)
            _records.write_status(folder, state="queued")
        _queue.advance()


def cancel(run_id: str) -> None:
    """Stop a run at once; what was scored stays in the cache and `resume` goes on from there.

    A worker looks for the mark that this leaves and ends itself, so no other process can be hit.
    """
    folder = run_path(run_id)
    with disk_as_error(), _queue.changing():
        if _queue.leave(run_id):
            message = "Stopped before its turn came; resume to queue it again."
            _records.write_status(folder, state="cancelled", message=message)
        elif _queue.is_worked_on(run_id):
            (folder / _records.CANCEL).touch(atomic.ONLY_MINE_FILE)


def spec_at(path: Path) -> StudySpec:
    """The study that a run's folder describes."""
    spec = read_job(path).study
    if spec is None:
        raise RunFolderError("run", got="a run of another command", expected="a study")
    return spec


def finished(job: JobRecord, write_result: Callable[[Path], object], sentences: int = 0) -> str:
    """Make a finished run of a result; returns the run id."""
    run_id = create_folder(job, {})
    folder = _records.root() / run_id
    with _records.removed_on_failure(folder), disk_as_error():
        write_result(folder / RESULT)
        atomic.close_to_others(folder / RESULT)
        _records.write_status(folder, state="finished", sentences_done=sentences, sentences_total=sentences)
    return run_id


def keep(cube: ScoreCube, report: Callable[[ScoreCube], str], *, shared: bool = False, visitor: str = "") -> str:
    """Store a finished cube as a run of its own; returns the run id.

    A `shared` one is for many visitors to look at and for nobody to change; see `own_copy`.
    """
    job = JobRecord("run", study=spec_of(cube), shared=shared, visitor=visitor)
    return finished(job, lambda folder: results.write(cube, folder, report), cube.shape[0])


def adopt(command: str, result: Path, *, visitor: str = "") -> str:
    """Copy a result folder of another command into a run of its own; returns the run id."""
    return finished(JobRecord(command, visitor=visitor), lambda folder: shutil.copytree(result, folder))


def own_copy(run_id: str, *, visitor: str = "") -> str:
    """A run that its visitor may write to: the run itself, or a copy where many look at it; returns the run id."""
    job = read_job(run_path(run_id))
    if not job.shared:
        return run_id
    source, sentences = run_status.result_folder(run_id), _records.read_status(run_path(run_id)).sentences_total
    own = replace(job, shared=False, visitor=visitor)
    return finished(own, lambda folder: shutil.copytree(source, folder), sentences)


def keep_zip(content: bytes, *, visitor: str = "") -> str:
    """Give a study that somebody uploads as a zip a run of its own, with its judgements; returns the run id.

    It is read and written in a process of its own. What is measured of it is not taken from the zip, and is missing in
    the run's folder until `complete_result` is asked for it: a study can be large, and have many targets. Raises
    `RunFolderError` when it is damaged, no study, or needs more than the limits.
    """
    with tempfile.TemporaryDirectory() as aside:
        spec, sentences = bounded.call(rebuild_data, content, Path(aside), field="zip", error=RunFolderError)
        job = JobRecord("run", study=spec, visitor=visitor)
        return finished(job, lambda folder: shutil.copytree(Path(aside) / RESULT, folder), sentences)


def complete_result(run_id: str) -> Path:
    """The result folder of a finished run with all its files.

    Those that are missing, of a study that was opened from a zip, are made in a process of its own; who asks for the
    same study meanwhile waits for them. Raises `RunFolderError` when there is no result, or measuring it needs more
    than the limits.
    """
    folder = run_status.result_folder(run_id)
    if results.is_complete(folder):
        return folder
    try:
        with disk_as_error(), locks.locked(folder.parent / "measuring.lock", MEASURE.value):
            if not results.is_complete(folder):
                with tempfile.TemporaryDirectory(prefix=atomic.UNFINISHED, dir=_records.private_root()) as aside:
                    result = _measured(folder, Path(aside))
                    atomic.close_to_others(result)
                    results.fill(folder, result)
    except RunFolderError:
        run_path(run_id)  # deleted meanwhile: then that is what happened
        raise
    return folder


def zip_as_seen(run_id: str, view: View) -> bytes:
    """The result folder of a finished run as a zip, measured as its reader sees it, with what was judged.

    Raises `RunFolderError` as `complete_result` does.
    """
    folder = run_status.result_folder(run_id)
    cube = results.read(folder)
    if view_of(with_view(cube, view)) == view_of(cube):
        return results.to_zip(complete_result(run_id))
    with disk_as_error(), tempfile.TemporaryDirectory(prefix=atomic.UNFINISHED, dir=_records.private_root()) as aside:
        result = _measured(folder, Path(aside), view)
        if (folder / judgements.FILE).is_file():
            shutil.copy(folder / judgements.FILE, result)
        return results.to_zip(result)


def _measured(folder: Path, aside: Path, view: View | None = None) -> Path:
    result = aside / RESULT
    bounded.call(remeasure, folder, result, view, field="study", error=RunFolderError, seconds=MEASURE, draws=True)
    return result


def rebuild_data(content: bytes, aside: Path) -> tuple[StudySpec, int]:
    """In the process apart: the data of a zipped study as a new result folder; its spec, and its sentences' number."""
    for name in ("study", "judged"):
        (aside / name).mkdir()
    cube = results.unpacked(content, aside / "study")
    if audit := cube.provenance.get("audit"):
        fix = "Open it on that audit's own page."
        raise RunFolderError("zip", got=f"the folder of a {audit[:40]} audit", expected="a study", fix=fix)
    sentences, names, _ = cube.shape
    RUN_CELLS.check(sentences * names, field="zip", error=RunFolderError)
    judged = judgements.about(judgements.unpacked(content, aside / "judged"), cube)
    results.write_data(cube, aside / RESULT)
    judgements.keep(aside / RESULT, judged)
    return spec_of(cube), sentences


def remeasure(path: Path, result: Path, view: View | None = None) -> None:
    """In the process apart: every file of a study of which a folder has the data, as a reader sees it."""
    from psa_core import report

    cube = results.read(path)
    cube = cube if view is None else with_view(cube, view)
    drawn = [target.name for target in cube.targets[:MAX_TARGETS]]
    results.write(cube, result, lambda study: report.render(study, drawn))
