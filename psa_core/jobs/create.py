"""Create run folders: new ones for a worker, and finished ones from results made or opened elsewhere."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from psa_core import atomic
from psa_core.cube import ScoreCube
from psa_core.folders import results
from psa_core.inputs.checks import file_name
from psa_core.jobs import retention
from psa_core.jobs._places import INPUTS, RESULT, private_root, removed_on_failure, root, run_path
from psa_core.jobs._records import JobRecord, keeping, read_job, read_status, write_job, write_status
from psa_core.jobs.run_status import result_folder
from psa_core.study import spec_of


def keep(cube: ScoreCube, report: Callable[[ScoreCube], str], *, shared: bool = False, visitor: str = "") -> str:
    """Store a finished cube as a run of its own; returns the run id.

    A `shared` one is for many visitors to look at and for nobody to change; see `own_copy`.
    """
    job = JobRecord("run", study=spec_of(cube), shared=shared, visitor=visitor)
    done = {"sentences_done": cube.shape[0], "sentences_total": cube.shape[0]}
    return finished(job, lambda place: results.write(cube, place, report), **done)


def adopt(command: str, result: Path, *, visitor: str = "") -> str:
    """Copy a result folder of another command into a run of its own; returns the run id."""
    return finished(JobRecord(command, visitor=visitor), lambda place: shutil.copytree(result, place))


def own_copy(run_id: str, *, visitor: str = "") -> str:
    """A run that its visitor may write to: the run itself, or a copy where many look at it; returns the run id."""
    job = read_job(run_path(run_id))
    if not job.shared:
        return run_id
    source, known = result_folder(run_id), read_status(run_path(run_id))
    done = {"sentences_done": known.sentences_done, "sentences_total": known.sentences_total}
    return finished(replace(job, shared=False, visitor=visitor), lambda place: shutil.copytree(source, place), **done)


def finished(job: JobRecord, write_result: Callable[[Path], object], **done: int) -> str:
    run_id = made_folder(job, {})
    place = root() / run_id
    with removed_on_failure(place), keeping():
        write_result(place / RESULT)
        atomic.close_to_others(place / RESULT)
        write_status(place, state="finished", **done)
    return run_id


def made_folder(job: JobRecord, uploads: Mapping[str, bytes]) -> str:
    """Create a run's folder, whole or not at all: there is none without its ``job.json``. Returns the run id."""
    run_id = secrets.token_urlsafe(15)
    retention.make_room(job.visitor)
    with keeping():
        aside = private_root() / f"{atomic.UNFINISHED}{secrets.token_hex(8)}"
        with removed_on_failure(aside):
            (aside / INPUTS).mkdir(atomic.ONLY_MINE_FOLDER, parents=True)
            aside.chmod(atomic.ONLY_MINE_FOLDER)
            for name, content in uploads.items():
                atomic.write(aside / INPUTS / file_name(name), content)
            write_job(aside, job)
            aside.rename(root() / run_id)
    return run_id
