"""Score texts in the background while a page is in use: a thread loads the model, for a limited time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from pages.ui.frame import cached, visitor
from psa_core.errors import PsaError
from psa_core.trust import Origin

#: A quick model answers while the page is drawn; for a slower one the page looks again every so often.
FIRST_WAIT_SECONDS, LOOK_SECONDS = 0.15, 0.7


@dataclass(eq=False)
class Scoring:
    """Texts being scored: `scores` is float32 (len(texts), T) once all are, `error` says why there are none."""

    texts: tuple[str, ...]
    scores: np.ndarray | None = None
    error: PsaError | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def is_going(self) -> bool:
        """Whether scores may still come."""
        return not self.ended.is_set()

    def run(self, model: str, origin: Origin, owner: str) -> None:
        """Load the model and score the texts; runs in a thread, so it draws nothing."""
        try:
            self.scores = cached.kept_scores(cached.scorer(model, origin), self.texts, owner=owner)
        except PsaError as error:
            self.error = error
        finally:
            self.ended.set()


def score(model: str, origin: Origin, texts: Sequence[str]) -> Scoring:
    """Start scoring texts, or return what was started before for the same visitor."""
    found = _scoring(visitor.key(), model, origin, tuple(texts))
    found.ended.wait(FIRST_WAIT_SECONDS)
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _scoring(owner: str, model: str, origin: Origin, texts: tuple[str, ...]) -> Scoring:
    started = Scoring(texts)
    threading.Thread(target=started.run, args=(model, origin, owner), daemon=True, name="background scoring").start()
    return started
