"""Scoring on many machines: Ray actors that hold the model, each scoring whole windows of texts."""

from __future__ import annotations

import logging
import os
import pickle
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
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


class Worker:
    """What an actor does: choose a backend where it runs, then score windows.

    Parameters
    ----------
    scorer : Scorer
        Moved to the actor's GPU where it has one and the model can be moved.
    """

    def __init__(self, scorer: Scorer, options: ScoringOptions, sample: tuple[str, ...], total: int) -> None:
        _move_to_gpu(scorer)
        self._backend = choose_backend(scorer, options, sample=sample, total=total)

    def about(self) -> tuple[int, Conditions]:
        """Texts of a window, and where and how this actor scores."""
        of = self._backend
        return of.window_texts, Conditions(of.device, of.name, of.precision, of.truncated, of.notes)

    def score(self, texts: tuple[str, ...]) -> tuple[np.ndarray, int]:
        """Scores of a window (m, T), and how many of its texts the model cut."""
        before = self._backend.truncated
        scores = self._backend.score(self._backend.read(texts), _go_on)
        return scores, self._backend.truncated - before


@dataclass
class RayExecutor:
    """Spreads windows over actors; a window whose actor dies is scored again by another.

    Attributes
    ----------
    actors : list
        Handles of `Worker` actors.
    window_texts : int
    """

    actors: list[Any]
    window_texts: int
    _conditions: Conditions
    _owned: bool = False
    _cut: int = 0

    def conditions(self) -> Conditions:
        """Where and how the scores were computed."""
        return replace(self._conditions, texts_truncated=self._cut)

    def stream(self, windows: Iterator[Window], check: Check) -> Generator[tuple[Window, np.ndarray]]:
        """Each window with its scores (m, T), in the order in which they are finished."""
        import ray

        idle = deque(self.actors * _IN_FLIGHT)
        again: deque[Window] = deque()
        flying: dict[Any, tuple[Window, Any]] = {}
        try:
            while True:
                while idle and (window := again.popleft() if again else next(windows, None)) is not None:
                    actor = idle.popleft()
                    flying[actor.score.remote(window.texts)] = (window, actor)
                if not flying:
                    return
                check()
                for done in ray.wait(list(flying), timeout=_POLL_SECONDS)[0]:
                    window, actor = flying.pop(done)
                    answer = self._answer(done)
                    if answer is None:
                        again.append(window)
                        idle = deque(other for other in idle if other is not actor)
                        self._expect_one_left(actor)
                    else:
                        idle.append(actor)
                        yield window, answer
        finally:
            self._close()

    def _close(self) -> None:
        import ray

        for actor in self.actors:
            ray.kill(actor)
        if self._owned:
            ray.shutdown()

    def _answer(self, done: Any) -> np.ndarray | None:
        """Scores, or None when the actor is gone for good and the window has to be scored by another."""
        import ray

        try:
            scores, cut = ray.get(done)
        except ray.exceptions.RayActorError:
            return None
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None  # as it would have come from this process
        self._cut += cut
        return np.asarray(scores)

    def _expect_one_left(self, gone: Any) -> None:
        self.actors = [actor for actor in self.actors if actor is not gone]
        if not self.actors:
            raise ModelError(
                "executor",
                got="no Ray actor left alive",
                expected="at least one",
                fix="See the cluster's logs; run again to resume, every finished window is kept.",
            )


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
    import ray

    owned = _connect(options.executor.partition(":")[2])
    held = _sent(scorer)
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0))
    # An actor whose process died is started again, and its windows are sent again, by Ray; a few times only, since
    # a text that kills its process would kill every other one too.
    remote = ray.remote(num_cpus=1, num_gpus=min(1, gpus), max_restarts=3, max_task_retries=3)(Worker)
    count = gpus or max(1, int(resources.get("CPU", 1)))
    actors: list[Any] = [remote.remote(held, replace(options, executor="local"), sample, total) for _ in range(count)]
    windows, conditions = zip(*ray.get([actor.about.remote() for actor in actors]), strict=True)
    return RayExecutor(actors, max(windows), _joint(conditions), owned)


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
