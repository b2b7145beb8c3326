"""A model in a process of its own: what a person chose for a page costs the server no more than the limits."""

from __future__ import annotations

import atexit
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from psa_core import models, trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.bounded import Resident
from psa_core.inputs.checks import as_texts
from psa_core.inputs.limits import ASK_MEMORY, ASK_MODELS, ASK_SECONDS
from psa_core.models import Scorer
from psa_core.scoring._run import score
from psa_core.trust import Origin
from psa_core.trust.sandbox import Sandbox

T = TypeVar("T")
_LOOK_SECONDS = 0.05


@dataclass(frozen=True, eq=False)
class SubprocessScorer:
    """A scorer whose model is in another process; that process holds one model at a time, whoever asks.

    Attributes
    ----------
    model_id : str
    origin : Origin
        On whose word it is loaded.
    fingerprint : str
    targets : tuple of Target, length T
    """

    model_id: str
    origin: Origin
    fingerprint: str
    targets: tuple[Target, ...]

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores of the texts in their order: float32 array (len(texts), T).

        Raises
        ------
        ModelError
            When the model needs more memory or time than the limits, or others ask theirs for as long as that.
        """
        return _ask(scores, self.model_id, self.origin, list(as_texts(texts)))


def load(model_id: str, origin: Origin) -> SubprocessScorer:
    """Load a model in the process apart; see `models.load` and `SubprocessScorer.score` for what is raised."""
    models.check(model_id, origin)
    fingerprint, targets = _ask(about, model_id, origin)
    return SubprocessScorer(model_id, origin, fingerprint, targets)


def about(model_id: str, origin: Origin) -> tuple[str, tuple[Target, ...]]:
    """In the process apart: fingerprint and targets of a model."""
    loaded = _loaded(model_id, origin)
    return loaded.fingerprint, tuple(loaded.targets)


def scores(model_id: str, origin: Origin, texts: list[str]) -> np.ndarray:
    """In the process apart: scores of texts, float32 (len(texts), T)."""
    return score(_loaded(model_id, origin), texts)


@lru_cache(maxsize=1)
def _loaded(model_id: str, origin: Origin) -> Scorer:
    return models.load(model_id, origin=origin)


def limits(model_id: str, origin: Origin) -> Sandbox | None:
    """In a process that may fetch: what the one that loads a model may touch."""
    with trust.acting(origin):
        return models.sandbox_for(models.needs(model_id))


def _limits(model_id: str, origin: Origin) -> Sandbox | None:
    """Fetch what a visitor's model needs, within the limits of a model, before the process that loads it is started."""
    if origin < Origin.VISITOR:
        return None
    fetching = Resident(ASK_SECONDS, ASK_MEMORY)
    try:
        return fetching.call(limits, model_id, origin)
    finally:
        fetching.end()


@dataclass(eq=False)
class _Held:
    """A process that holds one model; its lock is held by who asks it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    process: Resident | None = None

    def end(self) -> None:
        if self.process is not None:
            self.process.end()


#: The models that are held, the one that was asked for longest ago first.
_held: OrderedDict[tuple[str, Origin], _Held] = OrderedDict()
_choosing = threading.Lock()


def _ask(function: Callable[..., T], model_id: str, origin: Origin, *arguments: Any) -> T:
    with _process((model_id, origin)) as process:
        return process.call(function, model_id, origin, *arguments)


@contextmanager
def _process(key: tuple[str, Origin]) -> Iterator[Resident]:
    """The process that holds a model; where there are as many as there may be, one that nobody asks is ended for it."""
    held = _locked(key)
    try:
        if held.process is None or not held.process.is_well:
            held.end()
            held.process = Resident(ASK_SECONDS, ASK_MEMORY, _limits(*key))
        yield held.process
    finally:
        held.lock.release()


def _locked(key: tuple[str, Origin]) -> _Held:
    """The place of a model, locked for this thread."""
    give_up = time.monotonic() + ASK_SECONDS.value
    while time.monotonic() < give_up:
        with _choosing:
            held = _place(key)
        if held is None:
            time.sleep(_LOOK_SECONDS)
        elif held.lock.acquire(timeout=max(0.0, give_up - time.monotonic())):
            if _held.get(key) is held:  # nobody took its place meanwhile
                return held
            held.lock.release()
    got = f"others who have asked models of their own for {ASK_SECONDS.words}"
    raise ModelError("model", got=got, expected="a turn", fix="Try again in a moment.")


def _place(key: tuple[str, Origin]) -> _Held | None:
    """Where a model is held or will be; None while every place is in use."""
    if key not in _held and len(_held) >= ASK_MODELS.value:
        idle = next((other for other, held in _held.items() if held.lock.acquire(blocking=False)), None)
        if idle is None:
            return None
        gone = _held.pop(idle)
        gone.end()
        gone.lock.release()
    held = _held.setdefault(key, _Held())
    _held.move_to_end(key)
    return held


@atexit.register
def _end() -> None:
    while _held:
        _held.popitem()[1].end()
