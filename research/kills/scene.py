"""One study in folders of its own, run by hand or by a worker, with somebody who may kill it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from psa_core.cube import ScoreCube
from psa_core.folders import results

ROOT = Path(__file__).resolve().parents[2]
MOMENTS = Path(__file__).with_name("moments")
SENTENCES = "text\n" + "\n".join(f"He told us that he would run race {number}." for number in range(60))
NAMES = "\n".join(f"Person {letter}" for letter in "ABCDEFGHIJKLMNOPQRST")
MODEL = "python:research.kills.slow:score"
PATIENCE = 120.0
#: Submits as many studies as it is told to and looks at them until all have ended, as a server does for its visitors.
SERVER = """
import sys, time
from psa_core import jobs
from psa_core.study import StudySpec
from psa_core.trust import Origin
place, runs = sys.argv[1], int(sys.argv[2])
files = {name: open(f"{place}/{name}", "rb").read() for name in ("comments.csv", "people.txt")}
spec = StudySpec("comments.csv", "people.txt", sys.argv[3])
ids = [jobs.submit(spec, files, origin=Origin.COMMAND_LINE, visitor=str(i)) for i in range(runs)]
open(f"{place}/ids", "w").write("\\n".join(ids))
while any(jobs.status(run_id).live for run_id in ids):
    time.sleep(0.1)
"""


@dataclass(frozen=True)
class Scene:
    """Folders of one trial."""

    place: Path

    @classmethod
    def new(cls, place: Path) -> Scene:
        """A scene with its inputs."""
        place.mkdir(parents=True)
        (place / "comments.csv").write_text(SENTENCES)
        (place / "people.txt").write_text(NAMES)
        return cls(place)

    @property
    def told(self) -> Path:
        """The file that says that the moment has come; it holds the process."""
        return self.place / "told"

    def environment(self, at: str = "") -> dict[str, str]:
        """Of a process that waits at a moment."""
        own = {"PSA_RUNS_DIR": str(self.place / "runs"), "PSA_CACHE_DIR": str(self.place / "cache")}
        paths = os.pathsep.join([str(ROOT), str(MOMENTS)])
        return {**os.environ, **own, "PYTHONPATH": paths, "KILL_AT": at, "KILL_TOLD": str(self.told)}

    def command(self, at: str = "", out: str = "out") -> subprocess.Popen[str]:
        """The study by hand."""
        given = ["--sentences", "comments.csv", "--names", "people.txt", "--model", MODEL, "--out", out]
        command = [sys.executable, "-m", "psa_core", "run", *given]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.place, env=self.environment(at), stdout=pipe, stderr=pipe, text=True)

    def server(self, runs: int, at: str = "") -> subprocess.Popen[str]:
        """A process that submits the study as often as that, and watches."""
        command = [sys.executable, "-c", SERVER, str(self.place), str(runs), MODEL]
        return subprocess.Popen(command, cwd=ROOT, env=self.environment(at), stderr=subprocess.PIPE, text=True)

    def runs(self) -> list[str]:
        """Ids of the submitted runs, in their order."""
        wait_for(lambda: (self.place / "ids").exists())
        return (self.place / "ids").read_text().split()

    def kept(self) -> int:
        """Scores in the cache."""
        with suppress(sqlite3.OperationalError), closing(self._store()) as store:
            return int(store.execute("SELECT count(*) FROM scores").fetchone()[0])
        return 0

    def _store(self) -> sqlite3.Connection:
        """The cache, to look into while others write."""
        return sqlite3.connect(f"file:{self.place / 'cache' / 'scores.sqlite'}?mode=ro", uri=True)

    def cube(self, result: str = "out") -> ScoreCube:
        """The cube of a result."""
        return results.read(self.place / result)

    def left_behind(self) -> int:
        """Unfinished files and folders that nobody needs any more."""
        return sum(1 for path in self.place.rglob("*") if path.name.startswith((".psa-new-", ".psa-old-", ".new-")))

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        """This process sees the scene's runs, as a page does; the workers that it starts wait for nothing."""
        before, self_told = dict(os.environ), {"KILL_AT": "", "KILL_TOLD": ""}
        os.environ.update({**self.environment(), **self_told})
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def wait_for(there: Callable[[], bool]) -> None:
    """Wait until something is so; raises `TimeoutError`."""
    end = time.monotonic() + PATIENCE
    while not there():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)


def kill(pid: int) -> None:
    """End a process as the system does when memory runs out."""
    os.kill(pid, signal.SIGKILL)


def equal(one: ScoreCube, other: ScoreCube) -> bool:
    """Whether two cubes have the same scores, bit for bit."""
    return np.array_equal(one.original, other.original) and np.array_equal(one.perturbed, other.perturbed)
