"""The process behind a submitted run: waits for its turn, scores, publishes as it goes, writes the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from psa_core import jobs, models, report, study, trust
from psa_core.cache import ScoreCache
from psa_core.errors import Cancelled, PsaError
from psa_core.folders import cube_file, results
from psa_core.models import Scorer
from psa_core.scoring import Window

TELL_SECONDS = 0.3
PUBLISH_SECONDS = 1.0


@dataclass
class Job:
    """What a command that runs as a job is given: where to tell its progress, and whether to stop."""

    place: Path
    told: float = field(default=0.0)

    def tell(self, message: str, **values: Any) -> None:
        """Say what is being done now."""
        self._write("running", message=message, **values)

    def show(self, window: Window) -> None:
        """Say how far the scoring is, a few times a second."""
        if time.monotonic() - self.told < TELL_SECONDS:
            return
        self.told = time.monotonic()
        numbers = ("sentences_done", "sentences_total", "texts_done", "texts_total", "texts_per_second", "seconds_left")
        self._write("running", **{name: getattr(window, name) for name in numbers})

    def should_stop(self) -> bool:
        """Whether the user asked it to."""
        return (self.place / jobs.CANCEL).exists()

    def _write(self, state: str, **values: Any) -> None:
        changed = datetime.now(UTC).isoformat(timespec="seconds")
        jobs.write_status(self.place, state=state, changed=changed, **values)

    def supervise(self, do: Callable[[], int]) -> int:
        """Do the work of a job in its turn and write how it ended; `do` returns the number of sentences."""
        with jobs.attached(self.place):
            try:
                with self._turn(), trust.acting(jobs.origin_at(self.place), self.place / "inputs"):
                    total = do()
            except Cancelled:
                self._write("cancelled", message="Stopped; resume to go on from the scores kept so far.")
                return 0
            except PsaError as error:
                self._write("failed", message=str(error))
                return 2
            self._write("finished", sentences_done=total, sentences_total=total)
        return 0

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until no other run on this machine is scoring."""
        lock = FileLock(self.place.parent / "scoring.lock")
        while True:
            if self.should_stop():
                raise Cancelled
            try:
                lock.acquire(timeout=0.5)
                break
            except Timeout:
                self._write("queued", message="Waiting for another run to finish")
        try:
            yield
        finally:
            lock.release()


def work(place: Path) -> int:
    """Do the study of one run folder; returns an exit status, and the folder tells the rest."""
    job = Job(place)
    return job.supervise(lambda: _study(job))


def _study(job: Job) -> int:
    spec = jobs.spec_at(job.place)
    job.tell("Reading the sentences and finding anchors")
    planned = study.plan(spec)
    total = len(planned.selection.sentences)
    job.tell("Loading the model", sentences_total=total)
    scorer = models.load(spec.model)
    publisher = _Publisher(job, planned, scorer)
    cube = study.execute(
        planned, scorer, cache=ScoreCache.open(), on_window=publisher.show, should_stop=job.should_stop
    )
    job.tell("Writing the results", sentences_done=len(cube.sentences), sentences_total=total)
    results.write(cube, job.place / jobs.RESULT, report.render)
    (job.place / jobs.PARTIAL).unlink(missing_ok=True)
    return len(cube.sentences)


@dataclass
class _Publisher:
    """Puts the cube of the finished sentences where pages look for it, about once a second."""

    job: Job
    planned: study.Plan
    scorer: Scorer
    published: float = field(default=0.0)

    def show(self, window: Window) -> None:
        self.job.show(window)
        if window.sentences_done and time.monotonic() - self.published > PUBLISH_SECONDS:
            cube = study.assemble(self.planned, self.scorer, window.partial())
            cube_file.save(cube, self.job.place / jobs.PARTIAL)
            self.published = time.monotonic()
