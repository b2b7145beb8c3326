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
from functools import partial
from pathlib import Path
from typing import Any

from psa_core import atomic, cache_dir, generators, jobs, locks, models, report, signals, study, trust
from psa_core.asking import journal
from psa_core.cache import ScoreCache
from psa_core.cube import ScoreCube
from psa_core.errors import Cancelled, OptionError, PsaError
from psa_core.folders import cube_file, results
from psa_core.inputs.limits import RUN_MINUTES, check_run
from psa_core.jobs import _queue, _records, run_status
from psa_core.jobs._records import INPUTS, read_job
from psa_core.scoring import Progress
from psa_core.trust import Need, sandbox
from psa_core.trust.sandbox import Sandbox

TELL_SECONDS = 0.3
PUBLISH_SECONDS = 1.0
WATCH_SECONDS = 0.2
#: Seconds in which a run that is to stop puts things in order.
STOP_SECONDS = 4.0
#: A program that ends its parent where no thread of it can: a library that keeps the interpreter's lock hears nothing.
LAST_RESORT = """
import os, signal, sys, time
job, cancel, seconds = sys.argv[1:]
parent = os.getppid()
while os.getppid() == parent and os.path.exists(job) and not os.path.exists(cancel):
    time.sleep(0.2)
end = time.monotonic() + float(seconds)
while os.getppid() == parent and time.monotonic() < end:
    time.sleep(0.1)
if os.getppid() == parent:
    os.kill(parent, signal.SIGKILL)
"""
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
    folder = Path(os.environ.pop(_queue.PLACE))
    if sandbox.entered():  # the worker that started this one holds the lock, and starts the next
        threading.Thread(target=_watch, args=(folder, os.getppid()), daemon=True).start()
        yield _command(folder)
        return
    handle = os.environ.pop(_queue.HANDLE, "")
    lock = int(handle) if handle.isdigit() else locks.take(folder / jobs.LOCK)
    if lock is None:
        raise OptionError("run", got="a run that has a worker", expected="one that has none")
    os.set_inheritable(lock, False)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
    threading.Thread(target=_watch, args=(folder,), daemon=True).start()
    watch_from_outside(folder)
    try:
        yield _command(folder)
    finally:
        os.close(lock)
        with suppress(OSError, PsaError):
            jobs.advance()
            run_status.sweep()
            run_status.make_room(read_job(folder).visitor)


def _command(path: Path) -> list[str]:
    job = read_job(path)
    return [job.command, *job.arguments, "--out", str(path / jobs.RESULT), "--job", str(path)]


def watch_from_outside(folder: Path) -> None:
    """Start the process that kills this one where it is to stop and does not."""
    marks = [str(folder / jobs.JOB), str(folder / jobs.CANCEL), str(STOP_SECONDS + 2 * WATCH_SECONDS)]
    subprocess.Popen([sys.executable, "-I", "-S", "-c", LAST_RESORT, *marks], stdin=subprocess.DEVNULL)


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
    return (path / jobs.CANCEL).exists() or not (path / jobs.JOB).exists()


def _time_is_over() -> str:
    return f"run: got more than {RUN_MINUTES.words} of work, expected less. {RUN_MINUTES.fix_words}"


@dataclass
class Job:
    """What a command that runs as a job is given: where to write its progress, and whether to stop."""

    folder: Path
    shown: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def allow(self, cells: int, letters: int = 0) -> None:
        check_run(cells, letters, field="run")

    def tell(self, message: str, **values: Any) -> None:
        self._write("running", message=message, **values)

    def show(self, progress: Progress) -> None:
        """Say how far the scoring is, a few times a second."""
        if time.monotonic() - self.shown < TELL_SECONDS:
            return
        self.shown = time.monotonic()
        numbers = ("sentences_done", "sentences_total", "texts_done", "texts_total", "texts_per_second", "seconds_left")
        self._write("running", message=progress.words, **{name: getattr(progress, name) for name in numbers})

    def should_stop(self) -> bool:
        return self._is_late() or _is_to_end(self.folder)

    def supervise(self, do: Callable[[], int]) -> int:
        """Do the work of a job and write how it ended; `do` returns the number of sentences."""
        try:
            self.tell("Starting")
            with trust.acting(read_job(self.folder).origin, self.folder / INPUTS):
                if not sandbox.entered() and (limits := models.sandbox_for(self._needs())):
                    return self._work_within(limits)
                total = do()
        except Cancelled:
            if self._is_late():
                return self._failed(_time_is_over())
            self._write("cancelled", message=_records.SCORES_KEPT)
            return 0
        except (PsaError, OSError) as error:
            if _records.is_full(error):
                return self._failed(_records.DISK_FULL)
            return self._failed(without_quotations(error.full_message if isinstance(error, PsaError) else str(error)))
        except MemoryError:
            return self._failed("Memory ran out. Take fewer sentences or names, then start again.")
        self._write("finished", sentences_done=total, sentences_total=total)
        return 0

    def _needs(self) -> list[Need]:
        """What loading the models of the run does, whichever of its arguments names them."""
        job = read_job(self.folder)
        named = [job.study.model] if job.study else [id for part in job.arguments for id in (part, *part.split(","))]
        found: list[Need] = []
        for needs in (models.needs, generators.needs):
            for item in dict.fromkeys(named):
                with suppress(PsaError):
                    found += needs(item.strip())
        return list(dict.fromkeys(found))

    def _work_within(self, limits: Sandbox) -> int:
        """The same run in a process of its own, within these limits, which writes how it ended; its exit status."""
        with tempfile.TemporaryDirectory(prefix="psa-") as scratch:
            cache = atomic.private_folder(cache_dir.cache_folder(), ours=cache_dir.is_ours)
            box = replace(limits, writes=(str(self.folder), str(cache)), scratch=scratch)
            variables = box.environment() | {_queue.PLACE: str(self.folder), "PSA_CACHE_DIR": str(cache)}
            process = subprocess.Popen([sys.executable, "-P", "-m", "psa_core"], env=variables)
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
            jobs.write_status(self.folder, state=state, changed=changed, **values)


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
    spec = jobs.spec_at(job.folder)
    job.tell("Reading the sentences and finding anchors")
    planned = study.plan(spec)
    job.allow(planned.cells, planned.perturbation.letters)
    total = len(planned.selection.sentences)
    job.tell("Loading the model", sentences_total=total)
    with journal.kept_for(job.folder / jobs.RESULT, read_job(job.folder).most) as answers:
        cube = _scored(job, planned)
        jobs.run_path(job.folder.name)  # a deleted run gets no folder again
        job.tell("Writing the results", sentences_done=len(cube.sentences), sentences_total=total)
        results.write(cube, job.folder / jobs.RESULT, partial(report.render, answers=answers.path), answers=answers)
    (job.folder / jobs.PARTIAL).unlink(missing_ok=True)
    return len(cube.sentences)


def _scored(job: Job, planned: study.Plan) -> ScoreCube:
    scorer = models.load(planned.spec.model)
    job.tell("Scoring the first texts", sentences_total=len(planned.selection.sentences))
    published = 0.0

    def show(progress: Progress) -> None:
        """Write the progress and, about once a second, the cube of the finished sentences, for pages to look at."""
        nonlocal published
        job.show(progress)
        is_new = progress.texts_done and progress.sentences_done  # what is all in the cache is finished in a moment
        is_new = is_new and not planned.conditions  # the scores of one condition say nothing yet
        if is_new and time.monotonic() - published > PUBLISH_SECONDS:
            cube = study.assemble(planned, scorer, progress.partial())
            with suppress(OSError):  # a failed preview must not end the run
                cube_file.save(cube, job.folder / jobs.PARTIAL)
            published = time.monotonic()

    cube = study.execute(planned, scorer, cache=ScoreCache.open(), on_window=show, should_stop=job.should_stop)
    if cube.provenance["backend"] == "cache":
        # A run that was killed when its last score was kept: what computed them, the cube shown until then says.
        with suppress(PsaError, LookupError):
            earlier = cube_file.load(job.folder / jobs.PARTIAL).provenance
            computed = {name: earlier[name] for name in ("device", "backend", "precision")}
            cube = replace(cube, provenance={**cube.provenance, **computed})
    return cube
