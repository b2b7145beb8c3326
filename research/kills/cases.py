"""What is killed, filled up or damaged, and what is found afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from psa_core import jobs
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError
from psa_core.models._transformers.lm_files import is_packaged
from research.kills import audit
from research.kills.scene import ROOT, Scene, equal, kill, wait_for

MOMENTS = {"scoring": "in scoring", "commit": "in the commit of scores", "writing": "in writing the result"}


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `seen` is what a person reads of it, `again` how many committed scores had to be computed again, `same` whether the
    result is equal bit for bit to that of a run that nothing happened to.
    """

    what: str
    when: str
    seen: str
    again: int | None
    same: bool


def rows(place: Path) -> Iterator[Row]:
    """Try everything, one after the other, each in a folder of its own."""
    whole = Scene.new(place / "whole")
    whole.command().communicate()
    reference = whole.cube()
    for moment in MOMENTS:
        yield _command(Scene.new(place / f"command {moment}"), moment, reference)
        yield _worker(Scene.new(place / f"worker {moment}"), moment, reference)
        yield _server(Scene.new(place / f"server {moment}"), moment, reference)
    for case in (_damaged_cache, _four_writers, _clock):
        yield case(Scene.new(place / case.__name__), reference)
    if is_packaged():
        yield language_model(place / "audit")
    for name in INSIDE:
        yield _with_a_disk_of_its_own(place / name, name, whole.place / "out")


def _command(scene: Scene, moment: str, reference: ScoreCube) -> Row:
    process = scene.command(moment)
    kept = _wait_for_the_moment(scene, moment)
    kill(process.pid)
    process.communicate()
    seen = "no result" if not (scene.place / "out").exists() else "half a result"
    scene.command().communicate()
    cube = scene.cube()
    return Row("command", MOMENTS[moment], f"{seen}; run again", _again(cube, kept), equal(cube, reference))


def _worker(scene: Scene, moment: str, reference: ScoreCube) -> Row:
    server = scene.server(1, moment)
    kept = _wait_for_the_moment(scene, moment)
    kill(psutil.Process(server.pid).children()[0].pid)
    (run_id,) = scene.runs()
    server.communicate()
    with scene.looked_at():
        seen = jobs.status(run_id).message
        jobs.resume(run_id)
        wait_for(lambda: not jobs.status(run_id).live)
        cube = jobs.open_cube(run_id)
    return Row("worker", MOMENTS[moment], seen, _again(cube, kept), equal(cube, reference))


def _server(scene: Scene, moment: str, reference: ScoreCube) -> Row:
    """With another run in the queue, which nobody is left to start but the worker of the first."""
    server = scene.server(2, moment)
    kept = _wait_for_the_moment(scene, moment)
    ids = scene.runs()
    kill(server.pid)
    server.communicate()
    scene.told.with_suffix(".go").touch()
    found = [scene.place / "runs" / run_id / jobs.RESULT for run_id in ids]
    wait_for(lambda: all(path.is_dir() for path in found))
    cubes = [scene.cube(str(path)) for path in found]
    same = all(equal(cube, reference) for cube in cubes)
    return Row(
        "server", MOMENTS[moment], "both runs in the queue finish by themselves", _again(cubes[0], kept, 0), same
    )


def _damaged_cache(scene: Scene, reference: ScoreCube) -> Row:
    scene.command().communicate()
    store = scene.place / "cache" / "scores.sqlite"
    with store.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * (store.stat().st_size // 2))
    _, said = scene.command(out="second").communicate()
    return Row(
        "cache", "half of it overwritten", said.strip().rpartition(": ")[2], None, _same(scene, "second", reference)
    )


def _four_writers(scene: Scene, reference: ScoreCube) -> Row:
    outs = [f"out{number}" for number in range(4)]
    said = [process.communicate()[1] for process in [scene.command(out=out) for out in outs]]
    same = all(_same(scene, out, reference) for out in outs)
    return Row("cache", "four commands write it at once", "".join(said).strip() or "nothing", None, same)


def _clock(scene: Scene, reference: ScoreCube) -> Row:
    server = scene.server(2, "clock")
    server.communicate()
    found = [scene.place / "runs" / run_id / jobs.RESULT for run_id in scene.runs()]
    same = all(path.is_dir() and equal(scene.cube(str(path)), reference) for path in found)
    return Row("clock", "goes back by a day a second", "both runs finish in their order", None, same)


def language_model(place: Path) -> Row:
    """An audit of SmolLM2; what is counted are continuations."""
    again, same = audit.killed(place)
    return Row("audit of a language model", "in writing continuations", "no result; run again", again, same)


def _with_a_disk_of_its_own(place: Path, name: str, reference: Path) -> Row:
    """Mounting is for the system's owner, or for whoever may make a name space of his own."""
    place.mkdir()
    mounted = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"'
    command = [sys.executable, "-m", "research.kills", "--inside", name, str(place), str(reference)]
    try:
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", mounted, str(place), *command], cwd=ROOT, capture_output=True, text=True
        )
        return Row(**json.loads(done.stdout))
    except (OSError, ValueError):
        return Row("disk", name, "not tried: this machine lets nobody mount", None, False)


def _full(place: Path, reference: ScoreCube) -> Row:
    """The disk has room for the run, and none for its result."""
    scene = Scene.new(place / "scene")
    (place / "filler").write_bytes(bytes(4 * 2**20 - ROOM))
    server = scene.server(1)
    server.communicate()
    (run_id,) = scene.runs()
    with scene.looked_at():
        seen = jobs.status(run_id).message
        refused = _sentence(lambda: (place / "more").write_bytes(bytes(2**20)), lambda: jobs.resume(run_id))
        (place / "more").unlink(missing_ok=True)
        (place / "filler").unlink()
        jobs.resume(run_id)
        wait_for(lambda: not jobs.status(run_id).live)
        same = equal(jobs.open_cube(run_id), reference)
    return Row("disk", "full", f"{seen} Resumed on the full disk: {refused}", None, same)


def _read_only(place: Path, reference: ScoreCube) -> Row:
    """The runs can be looked at, and no new one can be kept."""
    scene = Scene.new(place / "scene")
    scene.server(1).communicate()
    (run_id,) = scene.runs()
    wait_for(lambda: subprocess.run(["mount", "-o", "remount,ro", str(place)], capture_output=True).returncode == 0)
    with scene.looked_at():
        same = jobs.status(run_id).state == "finished" and equal(jobs.open_cube(run_id), reference)
        seen = _sentence(lambda: jobs.resume(run_id))
    return Row("disk", "read-only", f"earlier runs open; a new one: {seen}", None, same)


#: Bytes that are left on the full disk: a run begins, and its result does not fit.
ROOM = 2**18
INSIDE: dict[str, Callable[[Path, ScoreCube], Row]] = {"full": _full, "read-only": _read_only}


def inside(name: str, place: Path, reference: Path) -> str:
    """Try one case on a disk that was mounted for it; the row as JSON."""
    from psa_core.folders import results

    return json.dumps(asdict(INSIDE[name](place, results.read(reference))))


def _wait_for_the_moment(scene: Scene, moment: str) -> int:
    """Wait until it has come; returns the scores that were committed by then."""
    wait_for(scene.told.exists if moment != "scoring" else lambda: scene.kept() > 0)
    return scene.kept()


def _again(cube: ScoreCube, kept: int, hits: int | None = None) -> int:
    """Scores that were kept at the moment and are not among the hits of the next run."""
    return max(0, kept - int(cube.provenance["cache_hits"])) if hits is None else hits


def _same(scene: Scene, out: str, reference: ScoreCube) -> bool:
    return (scene.place / out).is_dir() and equal(scene.cube(out), reference)


def _sentence(*does: Callable[[], object]) -> str:
    for do in does:
        try:
            do()
        except PsaError as error:
            return str(error)
        except OSError:  # the disk is full now, as it was to be
            continue
    return "nothing"
