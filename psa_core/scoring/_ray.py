"""Scoring on many machines: Ray actors that hold the model, each scoring whole windows of texts."""

from __future__ import annotations

import logging
import os
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import psa_core
from psa_core.errors import ModelError, OptionError
from psa_core.models import Scorer
from psa_core.scoring._base import Check, Conditions, ScoringOptions, Window
from psa_core.scoring.backends import choose_backend

# A second window waits at each actor, so that none is idle while an answer travels.
_IN_FLIGHT = 2
_POLL_SECONDS = 0.25
_TRIES = 4
#: How long a run waits for a new actor where every one is gone: for room, and until it has loaded the model.
_PATIENCE_SECONDS = 600.0


class Worker:
    """What an actor does: choose a backend where it runs, on its GPU if there is one, then score windows."""

    def __init__(self, scorer: Scorer, options: ScoringOptions, sample: tuple[str, ...], total: int) -> None:
        self._asked = (scorer, options, sample, total)

    def load(self) -> tuple[int, Conditions]:
        """What goes wrong is raised where the answer is asked for."""
        scorer, options, sample, total = self._asked
        model = getattr(scorer, "model", None)
        if model is not None and hasattr(model, "to"):
            import torch

            if torch.cuda.is_available():
                model.to("cuda")
        self._backend = choose_backend(scorer, options, sample=sample, total=total)
        return self._backend.window_texts, self._backend.conditions()

    def score(self, texts: tuple[str, ...]) -> tuple[np.ndarray, int]:
        """Scores (m, T), and how many of the texts the model cut."""
        before = self._backend.truncated
        scores = self._backend.score(self._backend.read(texts), lambda: None)
        return scores, self._backend.truncated - before


class RayExecutor:
    """Spreads windows over actors; does what a run asks of a `Backend`.

    An actor that dies, alone or with its machine, is replaced, and its windows are repeated. Ray restarts actors by
    itself, but their windows then wait until there is room for them again, which there may never be once a machine is
    gone. `start` starts an actor where there is room, and keeps the model; an `owned` cluster ends with the run.
    """

    def __init__(self, start: Callable[[], Any], count: int, owned: bool = False) -> None:
        self.start, self._owned = start, owned
        self.actors = [start() for _ in range(count)]
        self._idle: deque[Any] = deque()
        #: Which window is asked of which actor, and at which attempt; no window while it loads the model.
        self._flying: dict[Any, tuple[Window | None, int, Any]] = {
            actor.load.remote(): (None, 0, actor) for actor in self.actors
        }
        self._lost: deque[tuple[Window, int]] = deque()
        self._loaded: list[tuple[int, Conditions]] = []
        self._deaths = self._cut = 0
        self._last_work = float("inf")  # a large model may be loaded for as long as it takes
        first = set(self._flying)
        try:
            while first & self._flying.keys() or not self._loaded:
                list(self._answers())
        except BaseException:  # Ctrl-C too must leave no actor behind; the exception goes on
            self._close()
            raise
        self._last_work = time.monotonic()

    @property
    def window_texts(self) -> int:
        return max(texts for texts, _ in self._loaded)

    def conditions(self) -> Conditions:
        every = [conditions for _, conditions in self._loaded]
        devices = Counter(each.device for each in every)
        device = "ray: " + " + ".join(f"{count} × {device}" for device, count in devices.items())
        return replace(Conditions.joined(every), device=device, texts_truncated=self._cut)

    def stream(self, windows: Iterator[Window], check: Check) -> Generator[tuple[Window, np.ndarray]]:
        """Each window with its scores (m, T), in the order in which they are finished."""
        try:
            while True:
                while self._idle:
                    window, attempt = self._lost.popleft() if self._lost else (next(windows, None), 1)
                    if window is None:
                        break
                    actor = self._idle.popleft()
                    self._flying[actor.score.remote(window.texts)] = (window, attempt, actor)
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
            raise _gave_up("no live Ray actor", "at least one")
        for done in ray.wait(list(self._flying), timeout=_POLL_SECONDS)[0]:
            window, attempt, actor = self._flying.pop(done)
            try:
                answer = ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None  # as it would have come from this process
            except ray.exceptions.RayError:  # it died, or its answer was lost with its machine
                if attempt == _TRIES:  # a text that ends its process would end every other one too
                    got = f"texts on which {_TRIES} Ray actors died"
                    raise _gave_up(got, "texts that the model can score") from None
                if window is not None:
                    self._lost.append((window, attempt + 1))
                self._replace(actor)
                continue
            if window is None:
                self._loaded.append(answer)
                self._idle.extend([actor] * _IN_FLIGHT)
            else:
                scores, cut = answer
                self._cut += cut
                self._idle.append(actor)
                yield window, np.asarray(scores)

    def _is_working(self) -> bool:
        return any(window is not None for window, _, _ in self._flying.values())

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
        self._flying[new.load.remote()] = (None, 0, new)

    def _close(self) -> None:
        import ray

        for actor in self.actors:
            ray.kill(actor)
        if self._owned:
            ray.shutdown()


def _gave_up(got: str, expected: str) -> ModelError:
    fix = "See the cluster's logs; run again to resume, every finished window is kept."
    return ModelError("executor", got=got, expected=expected, fix=fix)


def open_ray(scorer: Scorer, options: ScoringOptions, *, sample: tuple[str, ...], total: int) -> RayExecutor:
    """Start one actor on each GPU of the cluster, or on each processor when it has none.

    Raises `OptionError` when Ray is not installed or the cluster cannot be reached; `ModelError` when the scorer cannot
    be sent to another process.
    """
    if find_spec("ray") is None:
        fix = "Run: pip install ray; in a checkout: pip install -r requirements-ray.txt"
        raise OptionError("executor", got="ray, which is not installed", expected="local", fix=fix)
    # Ray prints what becomes of its workers on the driver's standard output; this is read when it is imported.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    import ray

    owned = _connect(options.executor.partition(":")[2])
    try:
        reference = ray.put(scorer)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        got, expected = f"one that cannot be sent to another process ({error})", "one that can be pickled"
        raise ModelError("model", got=got, expected=expected, fix="Use the local executor.") from error
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0))
    remote = ray.remote(num_cpus=1, num_gpus=min(1, gpus))(Worker)
    start = partial(remote.remote, reference, replace(options, executor="local"), sample, total)
    return RayExecutor(start, gpus or max(1, int(resources.get("CPU", 1))), owned)


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
