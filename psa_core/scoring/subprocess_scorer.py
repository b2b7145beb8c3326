"""A model in a process of its own: what a person chose for a page costs the server no more than the limits."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from psa_core import models, trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.bounded import Resident
from psa_core.inputs.checks import as_texts
from psa_core.inputs.limits import ASK_MEMORY, ASK_SECONDS
from psa_core.models import Scorer
from psa_core.scoring._run import score
from psa_core.trust import Origin
from psa_core.trust.sandbox import Sandbox

T = TypeVar("T")


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


_turn = threading.Lock()
_there: tuple[tuple[str, Origin], Resident] | None = None


def _ask(function: Callable[..., T], model_id: str, origin: Origin, *arguments: Any) -> T:
    with _process((model_id, origin)) as process:
        return process.call(function, model_id, origin, *arguments)


@contextmanager
def _process(key: tuple[str, Origin]) -> Iterator[Resident]:
    """The process that holds a model; the one that held another is ended first."""
    global _there
    if not _turn.acquire(timeout=ASK_SECONDS.value):
        got = f"others who have asked models of their own for {ASK_SECONDS.words}"
        raise ModelError("model", got=got, expected="a turn", fix="Try again in a moment.")
    try:
        if _there is None or _there[0] != key or not _there[1].is_well:
            _end()
            _there = key, Resident(ASK_SECONDS, ASK_MEMORY, _limits(*key))
        yield _there[1]
    finally:
        _turn.release()


@atexit.register
def _end() -> None:
    global _there
    if _there is not None:
        _there[1].end()
        _there = None
