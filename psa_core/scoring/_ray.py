"""Scoring on many machines: Ray actors that hold the model, each scoring whole windows of texts."""

from __future__ import annotations

import logging
import os
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import psa_core
from psa_core.errors import ModelError, OptionError
from psa_core.models import Scorer
from psa_core.scoring._base import Check, Conditions, ScoringOptions
from psa_core.scoring._ledger import Window
from psa_core.scoring.backends.choice import choose_backend

# A second window waits at each actor, so that none is idle while an answer travels.
_IN_FLIGHT = 2
_POLL_SECONDS = 0.25
_TRIES = 4
#: How long a run waits for a new actor where every one is gone: for room, and until it has loaded the model.
_PATIENCE_SECONDS = 600.0


class Worker:
    """What an actor does: choose a backend where it runs, then score windows.

    Parameters
    ----------
    scorer : Scorer
        Moved to the actor's GPU where it has one and the model can be moved.
    """

    def __init__(self, scorer: Scorer, options: ScoringOptions, sample: tuple[str, ...], total: int) -> None:
        self._asked = (scorer, options, sample, total)

    def load(self) -> tuple[int, Conditions]:
        """Texts of a window, and where and how this actor scores; what goes wrong is raised where it is asked for."""
        scorer, options, sample, total = self._asked
        _move_to_gpu(scorer)
        self._backend = of = choose_backend(scorer, options, sample=sample, total=total)
        return of.window_texts, Conditions(of.device, of.name, of.precision, of.truncated, of.notes)

    def score(self, texts: tuple[str, ...]) -> tuple[np.ndarray, int]:
        """Scores of a window (m, T), and how many of its texts the model cut."""
        before = self._backend.truncated
        scores = self._backend.score(self._backend.read(texts), _go_on)
        return scores, self._backend.truncated - before


class RayExecutor:
    """Spreads windows over actors. One that dies, alone or with its machine, is replaced, and its windows are repeated.

    Ray restarts actors by itself, but their windows then wait until there is room for them again, which there may never
    be once a machine is gone.

    Parameters
    ----------
    start : callable
        Starts an actor where there is room; it keeps the model, so that there is one to load.
    count : int
        How many actors.
    owned : bool
        Whether the cluster ends with the run.
    """

    def __init__(self, start: Callable[[], Any], count: int, owned: bool = False) -> None:
        self.start, self._owned = start, owned
        self.actors = [start() for _ in range(count)]
        self._idle: deque[Any] = deque()
        #: What is asked of which actor; None while it loads the model.
        self._flying: dict[Any, tuple[_Try | None, Any]] = {actor.load.remote(): (None, actor) for actor in self.actors}
        self._lost: deque[_Try] = deque()
        self._loaded: list[tuple[int, Conditions]] = []
        self._deaths = self._cut = 0
        self._last_work = float("inf")  # a large model may be loaded for as long as it takes
        first = set(self._flying)
        try:
            while first & self._flying.keys() or not self._loaded:
                list(self._answers())
        except BaseException:
            self._close()
            raise
        self._last_work = time.monotonic()

    @property
    def window_texts(self) -> int:
        """Texts of the next window."""
        return max(texts for texts, _ in self._loaded)

    def conditions(self) -> Conditions:
        """Where and how the scores were computed."""
        return replace(_joint([conditions for _, conditions in self._loaded]), texts_truncated=self._cut)

    def stream(self, windows: Iterator[Window], check: Check) -> Generator[tuple[Window, np.ndarray]]:
        """Each window with its scores (m, T), in the order in which they are finished."""
        try:
            while True:
                while self._idle and (work := self._lost.popleft() if self._lost else _first_try(windows)) is not None:
                    actor = self._idle.popleft()
                    self._flying[actor.score.remote(work.window.texts)] = (work, actor)
                if self._idle and not self._is_working():
                    return
                check()
                yield from self._answers()
        finally:
            self._close()

    def _answers(self) -> Generator[tuple[Window, np.ndarray]]:
        """The windows that are finished by now; actors that were loaded or lost meanwhile are noted."""
        import ray

        if self._is_working():
            self._last_work = time.monotonic()
        elif time.monotonic() - self._last_work > _PATIENCE_SECONDS:
            raise _gave_up("no Ray actor left alive", "at least one")
        for done in ray.wait(list(self._flying), timeout=_POLL_SECONDS)[0]:
            work, actor = self._flying.pop(done)
            answer = self._answer(done)
            if answer is None:
                if work is not None:
                    self._lost.append(work.next())
                self._replace(actor)
            elif work is None:
                self._loaded.append(answer)
                self._idle.extend([actor] * _IN_FLIGHT)
            else:
                scores, cut = answer
                self._cut += cut
                self._idle.append(actor)
                yield work.window, np.asarray(scores)

    def _is_working(self) -> bool:
        return any(work is not None for work, _ in self._flying.values())

    def _answer(self, done: Any) -> Any:
        """What an actor answered, or None when it died or its answer was lost with its machine."""
        import ray

        try:
            return ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None  # as it would have come from this process
        except ray.exceptions.RayError:
            return None

    def _replace(self, gone: Any) -> None:
        """Start an actor in place of one, once for all that was asked of it."""
        import ray

        others = [actor for actor in self.actors if actor is not gone]
        if len(others) == len(self.actors):
            return
        self._deaths += 1
        if self._deaths > _TRIES * len(self.actors):
            raise _gave_up(f"{self._deaths} Ray actors that died", "actors that live")
        ray.kill(gone)  # it may be alive behind a broken connection
        new = self.start()
        self.actors = [*others, new]
        self._idle = deque(other for other in self._idle if other is not gone)
        self._flying[new.load.remote()] = (None, new)

    def _close(self) -> None:
        import ray

        for actor in self.actors:
            ray.kill(actor)
        if self._owned:
            ray.shutdown()


@dataclass(frozen=True)
class _Try:
    """A window, and how many actors it has been given to."""

    window: Window
    number: int = 1

    def next(self) -> _Try:
        """For another actor; but a text that ends its process would end every other one too."""
        if self.number == _TRIES:
            raise _gave_up(f"texts that {_TRIES} Ray actors died of", "texts that the model survives")
        return _Try(self.window, self.number + 1)


def _first_try(windows: Iterator[Window]) -> _Try | None:
    window = next(windows, None)
    return None if window is None else _Try(window)


def _gave_up(got: str, expected: str) -> ModelError:
    fix = "See the cluster's logs; run again to resume, every finished window is kept."
    return ModelError("executor", got=got, expected=expected, fix=fix)


def open_ray(scorer: Scorer, options: ScoringOptions, *, sample: tuple[str, ...], total: int) -> RayExecutor:
    """Start one actor on each GPU of the cluster, or on each processor when it has none.

    Raises
    ------
    OptionError
        When Ray is not installed or the cluster cannot be reached.
    ModelError
        When the scorer cannot be sent to another process.
    """
    if find_spec("ray") is None:
        fix = "Run: pip install ray; in a checkout: pip install -r requirements-ray.txt"
        raise OptionError("executor", got="ray, which is not installed", expected="local", fix=fix)
    # Ray prints what becomes of its workers on the driver's standard output; this is read when it is imported.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    import ray

    owned = _connect(options.executor.partition(":")[2])
    held = _sent(scorer)
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0))
    remote = ray.remote(num_cpus=1, num_gpus=min(1, gpus))(Worker)
    start = partial(remote.remote, held, replace(options, executor="local"), sample, total)
    return RayExecutor(start, gpus or max(1, int(resources.get("CPU", 1))), owned)


def _joint(every: Sequence[Conditions]) -> Conditions:
    """The conditions of all actors as one."""
    devices = Counter(each.device for each in every)
    return Conditions(
        device="ray: " + " + ".join(f"{count} × {device}" for device, count in devices.items()),
        backend=" + ".join(dict.fromkeys(each.backend for each in every)),
        precision="exact" if all(each.precision == "exact" for each in every) else "fast",
        notes=tuple(dict.fromkeys(note for each in every for note in each.notes)),
    )


def _connect(address: str) -> bool:
    """Join a cluster, or start one on this machine; returns whether it was started here."""
    import ray

    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere that the user did not name
    code = str(Path(psa_core.__file__).parent)
    if not address:
        paths = os.pathsep.join(filter(None, (str(Path(code).parent), os.environ.get("PYTHONPATH"))))
        environment = {"env_vars": {"PYTHONPATH": paths}}
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, runtime_env=environment)
        return True
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, runtime_env={"py_modules": [code]})
    except (ConnectionError, ValueError, RuntimeError) as error:
        got = f"no answer from {address} ({error})"
        raise OptionError("executor", got=got, expected="the address of a running Ray cluster") from error
    return False


def _sent(scorer: Scorer) -> Any:
    import ray

    try:
        return ray.put(scorer)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise ModelError(
            "model",
            got=f"one that cannot be sent to another process ({error})",
            expected="one that can be pickled",
            fix="Use the local executor.",
        ) from error


def _move_to_gpu(scorer: Any) -> None:
    model = getattr(scorer, "model", None)
    if model is None or not hasattr(model, "to"):
        return
    import torch

    if torch.cuda.is_available():
        model.to("cuda")


def _go_on() -> None:
    return None
