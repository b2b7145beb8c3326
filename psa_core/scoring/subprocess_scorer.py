"""A model in a process of its own: what a person chose for a page costs the server no more than the limits."""

from __future__ import annotations

import atexit
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
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
    """A scorer whose model is in another process; that process holds one model at a time, whoever asks."""

    model_id: str
    origin: Origin
    fingerprint: str
    targets: tuple[Target, ...]
    max_tokens: int = 0

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Raises `ModelError` when the model needs more memory or time than the limits, or others ask as long."""
        return _ask(scores, self.model_id, self.origin, list(as_texts(texts)))

    def truncated(self, texts: Sequence[str]) -> np.ndarray:
        return _ask(cut, self.model_id, self.origin, list(as_texts(texts)))


def load(model_id: str, origin: Origin) -> SubprocessScorer:
    """Load a model in the process apart; see `models.load` and `SubprocessScorer.score` for what is raised."""
    models.check(model_id, origin)
    return SubprocessScorer(model_id, origin, *_ask(about, model_id, origin))


def about(model_id: str, origin: Origin) -> tuple[str, tuple[Target, ...], int]:
    """In the process apart: fingerprint and targets of a model, and how many tokens it reads (0: it counts none)."""
    loaded = _loaded(model_id, origin)
    tokens = int(getattr(loaded, "max_tokens", 0)) if hasattr(loaded, "truncated") else 0
    return loaded.fingerprint, tuple(loaded.targets), tokens


def scores(model_id: str, origin: Origin, texts: list[str]) -> np.ndarray:
    return score(_loaded(model_id, origin), texts)


def cut(model_id: str, origin: Origin, texts: list[str]) -> np.ndarray:
    loaded: Any = _loaded(model_id, origin)
    return np.asarray(loaded.truncated(texts))


@lru_cache(maxsize=1)
def _loaded(model_id: str, origin: Origin) -> Scorer:
    return models.load(model_id, origin=origin)


def limits(model_id: str, origin: Origin) -> Sandbox | None:
    """In a process that may fetch: what the one that loads a model may touch."""
    with trust.acting(origin):
        return models.sandbox_for(models.needs(model_id))


@dataclass(eq=False)
class _Slot:
    """A process with one model loaded; whoever queries it holds the lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    process: Resident | None = None

    def end(self) -> None:
        if self.process is not None:
            self.process.end()


#: The loaded models, least recently used first.
_slots: OrderedDict[tuple[str, Origin], _Slot] = OrderedDict()
_choosing = threading.Lock()


def _ask(function: Callable[..., T], model_id: str, origin: Origin, *arguments: Any) -> T:
    """Call a function in the process that has the model loaded.

    At the limit of loaded models, an idle one is ended to make room.
    """
    slot = _locked((model_id, origin))
    try:
        if slot.process is None or not slot.process.is_well:
            slot.end()
            box = None
            if origin >= Origin.VISITOR:
                # What the model needs is fetched within a model's limits, before the process that loads it is started.
                fetching = Resident(ASK_SECONDS, ASK_MEMORY)
                try:
                    box = fetching.call(limits, model_id, origin)
                finally:
                    fetching.end()
            slot.process = Resident(ASK_SECONDS, ASK_MEMORY, box)
        return slot.process.call(function, model_id, origin, *arguments)
    finally:
        slot.lock.release()


def _locked(key: tuple[str, Origin]) -> _Slot:
    """The place of a model, locked for this thread."""
    give_up = time.monotonic() + ASK_SECONDS.value
    while time.monotonic() < give_up:
        with _choosing:
            slot = _place(key)
        if slot is None:
            time.sleep(_LOOK_SECONDS)
        elif slot.lock.acquire(timeout=max(0.0, give_up - time.monotonic())):
            if _slots.get(key) is slot:  # it was not evicted meanwhile
                return slot
            slot.lock.release()
    got = f"the models of other visitors busy for {ASK_SECONDS.words}"
    raise ModelError("model", got=got, expected="a free model", fix="Try again in a moment.")


def _place(key: tuple[str, Origin]) -> _Slot | None:
    """The slot of a model, new or existing; None while all slots are in use."""
    if key not in _slots and len(_slots) >= ASK_MODELS.value:
        idle = next((other for other, slot in _slots.items() if slot.lock.acquire(blocking=False)), None)
        if idle is None:
            return None
        gone = _slots.pop(idle)
        gone.end()
        gone.lock.release()
    slot = _slots.setdefault(key, _Slot())
    _slots.move_to_end(key)
    return slot


@atexit.register
def _end() -> None:
    while _slots:
        _slots.popitem()[1].end()
