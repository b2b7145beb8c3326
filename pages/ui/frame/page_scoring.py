"""Runs of pages take turns; texts are scored while a page waits, in short slices, for a limited time.

A model has a lock of its own, so that a slow one delays nobody who asks another. A slice takes a quarter of a second,
so that those who ask the same model wait for a slice of each other, not for all of it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from psa_core import scoring
from psa_core.errors import ModelError
from psa_core.inputs.limits import PAGE_SECONDS
from psa_core.models import Scorer

#: How long a run of a page keeps others from running; see `docs/performance.md`.
PAGE_TURN_SECONDS = 0.25
#: What takes longer shows how far it is.
SHOWN_AFTER_SECONDS = 0.5
_locks: WeakValueDictionary[str, FairLock] = WeakValueDictionary()
_registering = threading.Lock()


class FairLock:
    """First come, first served; Python's own locks give whoever lets go and asks again at once the lock again.

    After some seconds, where they are given, the next one no longer waits for who has the lock: a slow page holds up no
    other. `waiting` has an object for each thread that waits, in the order of arrival.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._holder: object | None = None
        self._until = 0.0
        self.waiting: deque[object] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        mine = object()
        with self._changed:
            self.waiting.append(mine)
            try:
                while True:
                    is_next = self.waiting[0] is mine
                    left = None if self._seconds is None else max(0.0, self._until - time.monotonic())
                    if is_next and (self._holder is None or left == 0.0):
                        break
                    self._changed.wait(left if is_next else None)
                self._holder, self._until = mine, time.monotonic() + (self._seconds or 0.0)
            finally:
                self.waiting.remove(mine)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                if self._holder is mine:
                    self._holder = None
                    self._changed.notify_all()


@dataclass(eq=False)
class Answer:
    """What a model has answered so far, and the seconds spent on it; several runs of a page may continue one answer.

    Each part is a float32 array (k, T): scores of the next k texts.
    """

    parts: list[np.ndarray] = field(default_factory=list)
    seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def done(self) -> int:
        return sum(map(len, self.parts))


class PageScorer:
    """A model as pages use it; can be used wherever a scorer can."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer, self.fingerprint, self.targets = scorer, scorer.fingerprint, scorer.targets
        with _registering:
            self._lock = _locks.setdefault(scorer.fingerprint, FairLock())

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores of all texts, float32 (len(texts), T); raises `ModelError` when the time is not enough."""
        return self.finish(Answer(), texts)

    def finish(self, answer: Answer, texts: Sequence[str], scorer: Scorer | None = None) -> np.ndarray:
        """The same, continuing an answer; see `go_on`."""
        scores = self.go_on(answer, texts, scorer=scorer)
        if len(scores) < len(texts):
            got = f"{len(scores):,} of {len(texts):,} texts scored in {PAGE_SECONDS.words}"
            raise ModelError("time", got=got, expected="all of them in that time", fix=PAGE_SECONDS.fix_words)
        return scores

    def go_on(
        self, answer: Answer, texts: Sequence[str], *, seconds: float | None = None, scorer: Scorer | None = None
    ) -> np.ndarray:
        """Scores of the first k texts, float32 (k, T): all of them unless the time was over.

        The answer is added to, so its texts must be the same at each call. It has `seconds` in all (`PAGE_SECONDS` if
        not given). `scorer` is asked in place of the model itself: one that remembers the model's scores.
        """
        limit = PAGE_SECONDS.value if seconds is None else seconds
        with answer.lock, _progress(len(texts)) as show:
            if answer.done < len(texts) and answer.seconds < limit:
                slices = scoring.score_slices(scorer or self.scorer, texts[answer.done :])
                began, before = time.monotonic(), answer.seconds
                try:
                    while answer.seconds < limit:
                        with self._lock.turn():
                            part = next(slices, None)
                        if part is None:
                            break
                        answer.parts.append(part)
                        answer.seconds = before + time.monotonic() - began
                        show(answer.done)
                finally:
                    answer.seconds = before + time.monotonic() - began
            return np.concatenate([np.empty((0, len(self.targets)), np.float32), *answer.parts])


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show how many texts are scored if that takes a while. Showing it also ends a run whose tab was closed."""
    began, bars = time.monotonic(), []
    in_background = get_script_run_ctx(suppress_warning=True) is None  # nobody to show it to

    def show(done: int) -> None:
        if in_background or time.monotonic() - began < SHOWN_AFTER_SECONDS:
            return
        bars[:] = bars or [st.empty()]
        bars[0].progress(done / total, f"{done:,} of {total:,} texts scored")

    yield show
    for bar in bars:
        bar.empty()
