"""Finished runs made of results from elsewhere: the page's own, copies, and studies that somebody uploads as a zip.

A zip is opened from its data alone; what is measured of it is computed when its files are asked for.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from psa_core import atomic, locks
from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import judgements, results
from psa_core.folders.view import View, view_of, with_view
from psa_core.inputs import bounded
from psa_core.inputs.limits import MEASURE, RUN_CELLS
from psa_core.jobs._records import (
    RESULT,
    JobRecord,
    disk_as_error,
    private_root,
    read_job,
    read_status,
    removed_on_failure,
    root,
    run_path,
    write_status,
)
from psa_core.jobs.run_status import result_folder
from psa_core.jobs.runs import create_folder
from psa_core.study import StudySpec, spec_of

#: That a report measured here is about; each takes a second to be drawn.
MAX_TARGETS = 12


def finished(job: JobRecord, write_result: Callable[[Path], object], sentences: int = 0) -> str:
    """Make a finished run of a result; returns the run id."""
    run_id = create_folder(job, {})
    folder = root() / run_id
    with removed_on_failure(folder), disk_as_error():
        write_result(folder / RESULT)
        atomic.close_to_others(folder / RESULT)
        write_status(folder, state="finished", sentences_done=sentences, sentences_total=sentences)
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
    source, sentences = result_folder(run_id), read_status(run_path(run_id)).sentences_total
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
    folder = result_folder(run_id)
    if results.is_complete(folder):
        return folder
    try:
        with disk_as_error(), locks.locked(folder.parent / "measuring.lock", MEASURE.value):
            if not results.is_complete(folder):
                with tempfile.TemporaryDirectory(prefix=atomic.UNFINISHED, dir=private_root()) as aside:
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
    folder = result_folder(run_id)
    cube = results.read(folder)
    if view_of(with_view(cube, view)) == view_of(cube):
        return results.to_zip(complete_result(run_id))
    with disk_as_error(), tempfile.TemporaryDirectory(prefix=atomic.UNFINISHED, dir=private_root()) as aside:
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
