"""The worker process of a run: scores, publishes partial results, writes the result, starts the next run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from psa_core import atomic, cache_dir, generators, jobs, locks, models, report, signals, study, trust
from psa_core.cache import ScoreCache
from psa_core.errors import Cancelled, OptionError, PsaError
from psa_core.folders import cube_file, results
from psa_core.inputs.limits import RUN_MINUTES, check_run
from psa_core.jobs import _starting, retention
from psa_core.jobs._places import INPUTS
from psa_core.jobs._records import DELETE_OLD, JobRecord, is_full, read_job
from psa_core.models import Scorer
from psa_core.scoring import Progress
from psa_core.trust import Need, sandbox
from psa_core.trust.sandbox import Sandbox

TELL_SECONDS = 0.3
PUBLISH_SECONDS = 1.0
WATCH_SECONDS = 0.2
#: Seconds in which a run that is to stop puts things in order.
STOP_SECONDS = 4.0
#: Seconds between the end of a run's time, the end of its process by itself, and that by the system.
GRACE_SECONDS = 30
#: Pieces of a message that may be somebody's sentence.
_QUOTED = re.compile(r"""(['"])(?:(?!\1).){25,}\1""", re.DOTALL)


@contextmanager
def process() -> Iterator[list[str]]:
    """Become the worker of the run that the environment names; returns the arguments of its command line.

    While the block lasts the run's lock is held, a request to stop and the end of its time end the process, and the
    system would rather end this process than the server when memory runs out. Then the next run is started.
    """
    place = Path(os.environ.pop(_starting.PLACE))
    if sandbox.entered():  # the worker that started this one holds the lock, and starts the next
        threading.Thread(target=_watch, args=(place, os.getppid()), daemon=True).start()
        yield _command(place)
        return
    handle = os.environ.pop(_starting.HANDLE, "")
    lock = int(handle) if handle.isdigit() else locks.take(place / jobs.LOCK)
    if lock is None:
        raise OptionError("run", got="a run that has a worker", expected="one that has none")
    os.set_inheritable(lock, False)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
    threading.Thread(target=_watch, args=(place,), daemon=True).start()
    try:
        yield _command(place)
    finally:
        locks.release(lock)
        with suppress(OSError, PsaError):
            jobs.advance()
            retention.sweep()
            retention.make_room(read_job(place).visitor)


def _command(path: Path) -> list[str]:
    job = read_job(path)
    return [job.command, *job.arguments, "--out", str(path / jobs.RESULT), "--job", str(path)]


def _watch(path: Path, parent: int | None = None) -> None:
    """End this process when its run is to stop or is deleted, as Ctrl-C would, or when its time or parent is over."""
    limit = RUN_MINUTES.value
    if hasattr(signal, "setitimer"):  # by the system, whatever the process is stuck in
        signal.setitimer(signal.ITIMER_REAL, limit + 2 * GRACE_SECONDS)
    over = time.monotonic() + limit + GRACE_SECONDS
    while not _is_to_end(path) and parent in (None, os.getppid()):
        if time.monotonic() > over:
            with suppress(OSError):
                jobs.write_status(path, state="failed", message=_time_is_over())
            os._exit(3)
        time.sleep(WATCH_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(3)  # inside of one long call of a library no signal is heard; the mark says that the run was stopped


def _is_to_end(path: Path) -> bool:
    """Whether somebody stopped a run, or deleted its folder."""
    return (path / jobs.CANCEL).exists() or not (path / jobs.JOB).exists()


def _time_is_over() -> str:
    return f"run: got more than {RUN_MINUTES.words} of work, expected less. {RUN_MINUTES.fix_words}"


@dataclass
class Job:
    """What a command that runs as a job is given: where to tell its progress, and whether to stop."""

    place: Path
    told: float = field(default=0.0)
    began: float = field(default_factory=time.monotonic)

    def allow(self, cells: int, letters: int = 0) -> None:
        """Refuse work above the limits; raises `OptionError`."""
        check_run(cells, letters, field="run")

    def tell(self, message: str, **values: Any) -> None:
        """Say what is being done now."""
        self._write("running", message=message, **values)

    def show(self, progress: Progress) -> None:
        """Say how far the scoring is, a few times a second."""
        if time.monotonic() - self.told < TELL_SECONDS:
            return
        self.told = time.monotonic()
        numbers = ("sentences_done", "sentences_total", "texts_done", "texts_total", "texts_per_second", "seconds_left")
        self._write("running", **{name: getattr(progress, name) for name in numbers})

    def should_stop(self) -> bool:
        """Whether the user asked it to, its folder is gone, or its time is over."""
        return self._is_late() or _is_to_end(self.place)

    def supervise(self, do: Callable[[], int]) -> int:
        """Do the work of a job and write how it ended; `do` returns the number of sentences."""
        try:
            self.tell("Starting")
            with trust.acting(jobs.origin_at(self.place), self.place / INPUTS):
                if limits := self._limits():
                    return self._work_within(limits)
                total = do()
        except Cancelled:
            if self._is_late():
                return self._failed(_time_is_over())
            self._write("cancelled", message="The scores so far are kept; resume to go on from them.")
            return 0
        except (PsaError, OSError) as error:
            if is_full(error):
                return self._failed(f"The disk of the runs folder is full. {DELETE_OLD}")
            return self._failed(without_quotations(error.told if isinstance(error, PsaError) else str(error)))
        except MemoryError:
            return self._failed("Memory ran out. Take fewer sentences or names, then start again.")
        self._write("finished", sentences_done=total, sentences_total=total)
        return 0

    def _limits(self) -> Sandbox | None:
        """What the process of this run may touch, where it loads what nobody vouched for and is not in one yet."""
        return None if sandbox.entered() else models.sandbox_for(_needs(read_job(self.place)))

    def _work_within(self, limits: Sandbox) -> int:
        """The same run in a process of its own, which tells how it ended; returns its exit status."""
        with tempfile.TemporaryDirectory(prefix="psa-") as scratch:
            cache = atomic.private_folder(cache_dir.cache_folder(), ours=cache_dir.is_ours)
            box = replace(limits, writes=(str(self.place), str(cache)), scratch=scratch)
            told = {_starting.PLACE: str(self.place), "PSA_CACHE_DIR": str(cache)}
            process = subprocess.Popen([sys.executable, "-P", "-m", "psa_core"], env=box.environment() | told)
            try:
                return process.wait()
            finally:
                if process.poll() is None:  # stopped: it stops by itself, and has a moment for it
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(signals.GRACE / 2)
                    process.kill()
                    process.wait()

    def _is_late(self) -> bool:
        return time.monotonic() - self.began > RUN_MINUTES.value

    def _failed(self, message: str) -> int:
        self._write("failed", message=message)
        return 2

    def _write(self, state: str, **values: Any) -> None:
        """Write the status; an error here does not end the run, and the lock shows when the worker has ended."""
        changed = datetime.now(UTC).isoformat(timespec="seconds")
        with suppress(OSError):
            jobs.write_status(self.place, state=state, changed=changed, **values)


def _needs(job: JobRecord) -> list[Need]:
    """What loading the models of a run does, whichever of its arguments names them."""
    named = [job.study.model] if job.study else [id for part in job.arguments for id in (part, *part.split(","))]
    found: list[Need] = []
    for needs in (models.needs, generators.needs):
        for item in dict.fromkeys(named):
            with suppress(PsaError):
                found += needs(item.strip())
    return list(dict.fromkeys(found))


def without_quotations(message: str) -> str:
    """A message without what may be somebody's sentence: status files are no place for one.

    Examples
    --------
    >>> without_quotations("text: got 'He said that he would come tomorrow', expected 'he'")
    "text: got (a text), expected 'he'"
    """
    return _QUOTED.sub("(a text)", message)


def work(path: Path) -> int:
    """Do the study of one run folder; returns an exit status, and the folder tells the rest."""
    job = Job(path)
    return job.supervise(lambda: _study(job))


def _study(job: Job) -> int:
    spec = jobs.spec_at(job.place)
    job.tell("Reading the sentences and finding anchors")
    planned = study.plan(spec)
    job.allow(planned.cells, planned.letters)
    total = len(planned.selection.sentences)
    job.tell("Loading the model", sentences_total=total)
    scorer = models.load(spec.model)
    publisher = _Publisher(job, planned, scorer)
    cube = study.execute(
        planned, scorer, cache=ScoreCache.open(), on_window=publisher.show, should_stop=job.should_stop
    )
    jobs.run_path(job.place.name)  # a deleted run gets no folder again
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

    def show(self, progress: Progress) -> None:
        self.job.show(progress)
        if progress.sentences_done and time.monotonic() - self.published > PUBLISH_SECONDS:
            cube = study.assemble(self.planned, self.scorer, progress.partial())
            with suppress(OSError):  # a failed preview must not end the run
                cube_file.save(cube, self.job.place / jobs.PARTIAL)
            self.published = time.monotonic()
