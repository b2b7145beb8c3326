"""Studies that somebody brings as a zip: opened from their data alone, measured when their files are asked for."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psa_core import atomic, locks
from psa_core.errors import RunFolderError
from psa_core.folders import judgements, results
from psa_core.inputs import bounded
from psa_core.inputs.limits import MEASURE, RUN_CELLS
from psa_core.jobs._places import RESULT, private_root, run_path
from psa_core.jobs._records import JobRecord, keeping
from psa_core.jobs.create import finished
from psa_core.jobs.run_status import result_folder
from psa_core.study import StudySpec, spec_of

#: That a report measured here is about; each takes a second to be drawn.
MAX_TARGETS = 12


def keep_zip(content: bytes, *, visitor: str = "") -> str:
    """Give a study that somebody brought as a zip a run of its own, with its judgements; returns the run id.

    It is read and written in a process of its own. What is measured of it is not taken from the zip, and is missing in
    the run's folder until `complete_result` is asked for it: a study can be large, and have many targets.

    Raises
    ------
    RunFolderError
        When it is damaged, no study, or needs more than the limits.
    """
    with tempfile.TemporaryDirectory() as aside:
        spec, total = bounded.call(rebuild_data, content, Path(aside), field="zip", error=RunFolderError)
        return finished(
            JobRecord("run", study=spec, visitor=visitor),
            lambda place: shutil.copytree(Path(aside) / RESULT, place),
            sentences_done=total,
            sentences_total=total,
        )


def complete_result(run_id: str) -> Path:
    """The result folder of a finished run with all its files.

    Those that are missing, of a study that was opened from a zip, are made in a process of its own; who asks for the
    same study meanwhile waits for them.

    Raises
    ------
    RunFolderError
        When there is no result, or measuring it needs more than the limits.
    """
    place = result_folder(run_id)
    if results.is_complete(place):
        return place
    try:
        with keeping(), _in_turn(place):
            if not results.is_complete(place):
                _measure(place)
    except RunFolderError:
        run_path(run_id)  # deleted meanwhile: then that is what happened
        raise
    return place


@contextmanager
def _in_turn(path: Path) -> Iterator[None]:
    """Wait while somebody else measures a study; not longer than that may take."""
    lock = locks.take(path, MEASURE.value)
    try:
        yield
    finally:
        if lock is not None:
            locks.release(lock)


def _measure(path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=atomic.UNFINISHED, dir=private_root()) as aside:
        made = Path(aside) / RESULT
        bounded.call(remeasure, path, made, field="study", error=RunFolderError, seconds=MEASURE, draws=True)
        atomic.close_to_others(made)
        results.fill(path, made)


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


def remeasure(path: Path, made: Path) -> None:
    """In the process apart: every file of a study of which a folder has the data."""
    from psa_core import report

    cube = results.read(path)
    drawn = [target.name for target in cube.targets[:MAX_TARGETS]]
    results.write(cube, made, lambda study: report.render(study, drawn))
