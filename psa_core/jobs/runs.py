"""Submit, watch, cancel and resume runs in worker processes, through their folders.

A run's folder holds ``job.json`` (the command, and a study's spec), ``inputs/`` (uploads, the worker's working
folder), ``status.json``, ``partial.npz`` (the cube of the finished sentences), ``worker.log`` and, at the end,
``result/``. Its id is the only key to it and cannot be guessed; only the owner of the server's process can read it.
Runs wait in a queue for their turn; see `psa_core.jobs._queue`.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import cube_file, results
from psa_core.inputs.checks import file_name
from psa_core.jobs import _queue, _starting
from psa_core.jobs._places import CANCEL, INPUTS, PARTIAL, RESULT, SO_FAR, is_run, private_root, root, run_path
from psa_core.jobs._records import DELETE_OLD, JobRecord, StatusRecord, keeping, read_job, read_status, write_job
from psa_core.jobs._records import write_status as _write_status
from psa_core.study import StudySpec, spec_of
from psa_core.trust import Origin

LIVE = ("queued", "running")
_NO_ROOM = 2**20


@dataclass(frozen=True)
class RunStatus:
    """What is known of a run.

    Attributes
    ----------
    state : str
        ``queued``, ``running``, ``finished``, ``failed`` or ``cancelled``.
    ahead : int or None
        Runs before this one, while it waits.
    starts_in : float or None
        Seconds until its turn, by what is known of the runs before it; None when that is not enough.
    """

    run_id: str
    state: str
    command: str
    spec: StudySpec | None
    sentences_done: int = 0
    sentences_total: int = 0
    texts_done: int = 0
    texts_total: int = 0
    texts_per_second: float = 0.0
    seconds_left: float | None = None
    message: str = ""
    changed: str = ""
    ahead: int | None = None
    starts_in: float | None = None

    @property
    def live(self) -> bool:
        """Whether a worker is waiting or working."""
        return self.state in LIVE


def submit(
    spec: StudySpec,
    uploads: Mapping[str, bytes] | None = None,
    *,
    origin: Origin = Origin.VISITOR,
    visitor: str = "",
    seconds: float | None = None,
) -> str:
    """Queue a study for a worker process, on somebody's word; returns the run id.

    Parameters
    ----------
    spec : StudySpec
        Its `sentences` and `names` may be file names among the uploads, which are kept in the run's own folder.
    uploads : mapping of file name to bytes, optional
    origin : Origin
        On whose word it works.
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

    Raises
    ------
    OptionError, RunFolderError
        As `submit`.
    """
    place = run_path(run_id)
    job = read_job(place)
    with keeping():
        with _queue.changing():
            if _queue.is_waiting(run_id) or _queue.is_worked_on(run_id):
                return
            (place / CANCEL).unlink(missing_ok=True)
            for left in place.glob(f"{atomic.UNFINISHED}*"):
                left.unlink(missing_ok=True)
            _queue.enter(run_id, job.visitor, job.seconds)
            write_status(place, state="queued")
        advance()


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


def status(run_id: str) -> RunStatus:
    """What is known of a run now; a worker that died is told from one that works by the lock it holds.

    Raises
    ------
    RunFolderError
        When there is no such run, or its folder is damaged.
    """
    place = run_path(run_id)
    job, known = read_job(place), read_status(place)
    ahead, starts_in = None, None
    if known.state in LIVE:
        with suppress(OSError, PsaError):  # what cannot be written can still be looked at
            advance()
        known = judged(place)
        if known.state == "queued":
            ahead, starts_in = _queue.before(run_id, _seconds_left)
    return RunStatus(run_id, command=job.command, spec=job.study, ahead=ahead, starts_in=starts_in, **asdict(known))


def advance() -> None:
    """Start the runs whose turn has come; whoever submits, looks at or ends a run calls it."""
    _starting.reap()
    _queue.advance(_starting.start)


def open_cube(run_id: str) -> ScoreCube:
    """The cube of a finished run, or of the finished sentences of one that is not."""
    place = run_path(run_id)
    with suppress(OSError):
        os.utime(place)  # it is in use: see `retention`
    if (place / RESULT).is_dir():
        return results.read(place / RESULT)
    return cube_file.load(place / PARTIAL)


def result_folder(run_id: str) -> Path:
    """The result folder of a finished run; raises `RunFolderError` while there is none."""
    place = run_path(run_id) / RESULT
    if not place.is_dir():
        raise RunFolderError("run", got="a run without a result", expected="a finished run")
    return place


def result_so_far(run_id: str) -> Path | None:
    """The smaller result of the same kind that a run puts there while it is not finished; None while there is none."""
    place = run_path(run_id) / SO_FAR
    return place if place.is_dir() else None


def keep(cube: ScoreCube, report: Callable[[ScoreCube], str], *, shared: bool = False) -> str:
    """Give a cube that was made or opened in place a run of its own; returns the run id.

    A `shared` one is for many visitors to look at and for nobody to change; see `own_copy`.
    """
    job = JobRecord("run", study=spec_of(cube), shared=shared)
    done = {"sentences_done": cube.shape[0], "sentences_total": cube.shape[0]}
    return _finished(job, lambda place: results.write(cube, place, report), **done)


def adopt(command: str, result: Path) -> str:
    """Give a result folder of another command, made elsewhere, a run of its own; returns the run id."""
    return _finished(JobRecord(command), lambda place: shutil.copytree(result, place))


def own_copy(run_id: str) -> str:
    """A run that its visitor may write to: the run itself, or a copy where many look at it; returns the run id."""
    job = read_job(run_path(run_id))
    if not job.shared:
        return run_id
    source, known = result_folder(run_id), read_status(run_path(run_id))
    done = {"sentences_done": known.sentences_done, "sentences_total": known.sentences_total}
    return _finished(replace(job, shared=False), lambda place: shutil.copytree(source, place), **done)


def history() -> list[RunStatus]:
    """Every run on this machine, newest first; empty unless ``PSA_HISTORY=1``, since a server may be shared.

    Damaged folders and other people's are left out; ``python -m psa_core runs`` lists the damaged ones.
    """
    if not _starting.own_machine():
        return []
    found = []
    for place in run_places():
        with suppress(RunFolderError):
            found.append(status(place.name))
    return found


def run_places() -> list[Path]:
    """The folders of all runs, newest first."""
    try:
        places = [place for place in root().iterdir() if is_run(place)]
    except OSError:
        return []
    return sorted(places, key=_made, reverse=True)


def create(job: Mapping[str, Any], uploads: Mapping[str, bytes]) -> str:
    """Make the folder of a run that has no worker yet; `job` has its ``command``. Returns the run id."""
    return _made_folder(JobRecord(**job), uploads)


def write_status(place: Path, **values: Any) -> None:
    """Replace a run's ``status.json``; the worker calls it as scores come."""
    _write_status(place, **values)


def spec_at(place: Path) -> StudySpec:
    """The study that a run's folder describes."""
    spec = read_job(place).study
    if spec is None:
        raise RunFolderError("run", got="a run of another command", expected="a study")
    return spec


def origin_at(place: Path) -> Origin:
    """On whose word a run works: who submitted it; a file, where nobody did (it was opened, or an older one)."""
    return read_job(place).origin


def _queued(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    run_id = _made_folder(job, uploads)
    try:
        resume(run_id)
    except BaseException:
        shutil.rmtree(root() / run_id, ignore_errors=True)
        raise
    return run_id


def _finished(job: JobRecord, write_result: Callable[[Path], object], **done: int) -> str:
    run_id = _made_folder(job, {})
    place = root() / run_id
    try:
        with keeping():
            write_result(place / RESULT)
            atomic.close_to_others(place / RESULT)
            write_status(place, state="finished", **done)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return run_id


def _made_folder(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    """A run's folder appears whole, so that nobody meets one without its ``job.json``."""
    run_id = secrets.token_urlsafe(15)
    with keeping():
        aside = private_root() / f"{atomic.UNFINISHED}{secrets.token_hex(8)}"
        try:
            (aside / INPUTS).mkdir(atomic.ONLY_MINE_FOLDER, parents=True)
            aside.chmod(atomic.ONLY_MINE_FOLDER)
            for name, content in uploads.items():
                atomic.write(aside / INPUTS / file_name(name), content)
            write_job(aside, job)
            aside.rename(root() / run_id)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
    return run_id


def judged(place: Path) -> StatusRecord:
    """How far a run is, by its folder; one that goes on by its own word, without worker or ticket, has ended."""
    known = read_status(place)
    if known.state not in LIVE or _is_cared_for(place.name):
        return known
    with suppress(OSError, PsaError), _queue.changing():  # it may have been between two states
        known = read_status(place)
        if known.state not in LIVE or _is_cared_for(place.name):
            return known
    if (place / CANCEL).exists():
        return replace(known, state="cancelled", message="Stopped; resume to go on from the scores kept so far.")
    if _disk_is_full(place):
        return replace(known, state="failed", message=f"The disk of the runs folder is full. {DELETE_OLD}")
    message = "The worker stopped unexpectedly (memory may have run out); resume to go on from the scores kept so far."
    return replace(known, state="failed", message=message)


def _is_cared_for(run_id: str) -> bool:
    return _queue.is_worked_on(run_id) or _queue.is_waiting(run_id)


def _disk_is_full(place: Path) -> bool:
    try:
        return shutil.disk_usage(place).free < _NO_ROOM
    except OSError:
        return False


def _seconds_left(ticket: _queue.Ticket) -> float | None:
    if ticket.started:
        with suppress(RunFolderError):
            left = read_status(root() / ticket.run_id).seconds_left
            return ticket.seconds if left is None else left
    return ticket.seconds


def _made(place: Path) -> float:
    try:
        return (place / "job.json").stat().st_mtime
    except OSError:
        return 0.0
