"""Studies in a worker process: submitted, watched and stopped through a folder, so they outlive page and server.

A run's folder holds ``job.json`` (the command, and a study's spec), ``inputs/`` (uploads, the worker's working
folder), ``status.json``, ``partial.npz`` (the cube of the finished sentences), ``worker.log`` and, at the end,
``result/``. Its id is the only key to it and cannot be guessed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import cube_file, results
from psa_core.inputs.checks import file_name
from psa_core.study import StudySpec, spec_of
from psa_core.trust import Origin

#: This process's own workers, kept so that one that ended can be told from one that is still starting.
_WORKERS: dict[str, subprocess.Popen[bytes]] = {}
RUN_ID = re.compile(r"[A-Za-z0-9_-]{16,32}")
LIVE = ("queued", "running")
JOB, RESULT, PARTIAL, LOCK, ATTACHED, CANCEL = "job.json", "result", "partial.npz", "worker.lock", "attached", "cancel"


@dataclass(frozen=True)
class RunStatus:
    """What is known of a run; `state` is queued, running, finished, failed or cancelled."""

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

    @property
    def live(self) -> bool:
        """Whether a worker is waiting or working."""
        return self.state in LIVE


def root() -> Path:
    """The folder of all runs: ``PSA_RUNS_DIR``, or the user's data folder."""
    from platformdirs import user_data_path

    place = os.environ.get("PSA_RUNS_DIR")
    return Path(place) if place else user_data_path("psa-dashboard") / "runs"


def run_path(run_id: str) -> Path:
    """The folder of one run; raises `RunFolderError` for an id that is not one or is not there."""
    if not RUN_ID.fullmatch(run_id) or not (root() / run_id / JOB).is_file():
        fix = "Start a new study, or open its zip."
        raise RunFolderError("run", got="an unknown run id", expected="the id of a run on this machine", fix=fix)
    return root() / run_id


def submit(spec: StudySpec, uploads: Mapping[str, bytes] | None = None, *, origin: Origin = Origin.VISITOR) -> str:
    """Start a study in a worker process, on somebody's word; returns the run id.

    Its `sentences` and `names` may be file names among the uploads, which are kept in the run's own folder.
    """
    kept = {name: file_name(name) for name in uploads or {}}
    named = {field: kept.get(getattr(spec, field), getattr(spec, field)) for field in ("sentences", "names")}
    run_id = create({"command": "run", "study": asdict(spec) | named, "origin": origin.name}, uploads or {})
    resume(run_id)
    return run_id


def submit_audit(
    command: str,
    arguments: Sequence[str],
    uploads: Mapping[str, bytes] | None = None,
    *,
    origin: Origin = Origin.VISITOR,
) -> str:
    """Start another command of the command line, such as ``eec``, in a worker process; returns the run id.

    Its arguments may name files among the uploads, by `checks.file_name`; ``--out`` is added.
    """
    run_id = create({"command": command, "arguments": list(arguments), "origin": origin.name}, uploads or {})
    resume(run_id)
    return run_id


def resume(run_id: str) -> None:
    """Start the worker of a run that has none; scores that were reached before come from the cache."""
    place = run_path(run_id)
    if status(run_id).live:
        return
    if run_id in _WORKERS:
        _WORKERS[run_id].wait()  # it let go of its lock, so it is ending
    for marker in (CANCEL, ATTACHED):
        (place / marker).unlink(missing_ok=True)
    write_status(place, state="queued", message="Waiting for its turn")
    job = _job(place)
    options = [*job.get("arguments", ()), "--out", str(place / RESULT), "--job", str(place)]
    # -P: the uploads, its working folder, are not where modules are looked for
    command = [sys.executable, "-P", "-m", "psa_core", job["command"], *options]
    library = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([library, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    with (place / "worker.log").open("ab") as log:
        worker = _WORKERS[run_id] = subprocess.Popen(
            command,
            cwd=place / "inputs",
            env={**os.environ, "PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (place / "pid").write_text(str(worker.pid))


def cancel(run_id: str) -> None:
    """Stop a run at once; what was scored stays in the cache and `resume` goes on from there."""
    place = run_path(run_id)
    (place / CANCEL).touch()
    if status(run_id).live:
        try:
            os.kill(int((place / "pid").read_text()), signal.SIGTERM)
        except (ProcessLookupError, FileNotFoundError):
            return


def status(run_id: str) -> RunStatus:
    """What is known of a run now; a worker that died is told from one that works by the lock it holds."""
    place = run_path(run_id)
    known = _read_status(place)
    if known.live and not _worker_alive(place):
        known = _read_status(place)  # it may have finished between the two looks
    if known.live and not _worker_alive(place):
        cancelled = (place / CANCEL).exists()
        state, message = ("cancelled", "Stopped") if cancelled else ("failed", "The worker stopped unexpectedly")
        return replace(known, state=state, message=f"{message}; resume to go on from the scores kept so far.")
    return known


def open_cube(run_id: str) -> ScoreCube:
    """The cube of a finished run, or of the finished sentences of one that is not."""
    place = run_path(run_id)
    if (place / RESULT).is_dir():
        return results.read(place / RESULT)
    return cube_file.load(place / PARTIAL)


def result_folder(run_id: str) -> Path:
    """The result folder of a finished run; raises `RunFolderError` while there is none."""
    place = run_path(run_id) / RESULT
    if not place.is_dir():
        raise RunFolderError("run", got="a run without a result", expected="a finished run")
    return place


def keep(cube: ScoreCube, report: Callable[[ScoreCube], str]) -> str:
    """Give a cube that was made or opened in place a run of its own; returns the run id."""
    run_id = create({"command": "run", "study": asdict(spec_of(cube))}, {})
    results.write(cube, root() / run_id / RESULT, report)
    write_status(root() / run_id, state="finished", sentences_done=cube.shape[0], sentences_total=cube.shape[0])
    return run_id


def history() -> list[RunStatus]:
    """Every run on this machine, newest first; empty unless ``PSA_HISTORY=1``, since a server may be shared."""
    if os.environ.get("PSA_HISTORY") != "1" or not root().is_dir():
        return []
    places = [place for place in root().iterdir() if (place / JOB).is_file()]
    places.sort(key=lambda place: (place / JOB).stat().st_mtime, reverse=True)
    return [status(place.name) for place in places]


def create(job: Mapping[str, Any], uploads: Mapping[str, bytes]) -> str:
    """Make the folder of a run that has no worker yet; `job` has its ``command``. Returns the run id."""
    run_id = secrets.token_urlsafe(15)
    inputs = root() / run_id / "inputs"
    inputs.mkdir(parents=True)
    for name, content in uploads.items():
        (inputs / file_name(name)).write_bytes(content)
    (root() / run_id / JOB).write_text(json.dumps(job), encoding="utf-8")
    return run_id


def write_status(place: Path, **values: Any) -> None:
    """Replace a run's ``status.json``; the worker calls it as scores come."""
    aside = place / "status.tmp"
    aside.write_text(json.dumps(values), encoding="utf-8")
    os.replace(aside, place / "status.json")


def spec_at(place: Path) -> StudySpec:
    """The study that a run's folder describes."""
    return StudySpec.from_mapping(_job(place)["study"])


def origin_at(place: Path) -> Origin:
    """On whose word a run works: who submitted it; a file, where nobody did (it was opened, or an older one)."""
    return Origin.__members__.get(str(_job(place).get("origin")), Origin.FILE)


def _job(place: Path) -> dict[str, Any]:
    return json.loads((place / JOB).read_text(encoding="utf-8"))


def _read_status(place: Path) -> RunStatus:
    job = _job(place)
    try:
        values = json.loads((place / "status.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        values = {"state": "queued"}
    spec = StudySpec.from_mapping(job["study"]) if "study" in job else None
    return RunStatus(run_id=place.name, command=job["command"], spec=spec, **values)


@contextmanager
def attached(place: Path) -> Iterator[None]:
    """Hold a run's lock: while it is held the run has a worker."""
    with FileLock(place / LOCK):
        (place / ATTACHED).touch()
        yield


def _worker_alive(place: Path) -> bool:
    try:
        with FileLock(place / LOCK, timeout=0):
            held = False
    except Timeout:
        held = True
    return held or (not (place / ATTACHED).exists() and _starting(place))


def _starting(place: Path) -> bool:
    """Whether the process of a worker that has not taken its lock yet is there."""
    child = _WORKERS.get(place.name)
    if child is not None:
        return child.poll() is None
    try:
        os.kill(int((place / "pid").read_text()), 0)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return True
