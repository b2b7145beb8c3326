"""The study's own model, asked again: whether it may be, and its scores, from a thread while the page is in use."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from pages.ui.frame import cached, markup, shell, visitor
from pages.ui.results.context import StudyContext
from psa_core import models
from psa_core.errors import PsaError
from psa_core.study.conditions import condition_of
from psa_core.trust import Origin

#: A quick model answers while the page is drawn; for a slower one the page looks again every so often.
FIRST_WAIT_SECONDS, LOOK_SECONDS = 0.15, 0.7


def told(study: StudyContext) -> tuple[str, int]:
    """The study's model, told what the target's condition says, and the place of the target among its targets.

    A model that cannot be told it, as a file may claim, has no id.
    """
    model, name = str(study.cube.asked.get("model", "")), study.target.name
    condition = condition_of(study.cube, name)
    together = [one.name for one in study.cube.targets if condition_of(study.cube, one.name) == condition]
    if condition is not None and condition.system:
        try:
            model = models.told(model, condition.system)
        except PsaError:
            model = ""
    return model, together.index(name)


def allowed(run: str, model: str) -> Origin | None:
    """The origin with which the study's model may be loaded without asking; None if it may not."""
    origin = visitor.origin_of(run, model)
    return origin if visitor.is_offered(model, origin) else None


def confirmed(run: str, model: str) -> Origin | None:
    """The origin with which the study's model may be loaded; an id from a file has to be typed to confirm."""
    if (origin := allowed(run, model)) is not None:
        return origin
    st.html(markup.plain("The model of this study is not loaded: what a file names is only a suggestion."))
    with shell.report_errors("It cannot be loaded on this page"):
        visitor.check(model)
        label = "Type the model id to confirm that it may be loaded"
        typed = st.text_input(label, key=f"mitigate_model {run}", max_chars=visitor.MAX_ID_LENGTH)
        if typed.strip() == model:
            return visitor.origin()
    return None


@dataclass(eq=False)
class Scoring:
    """Texts being scored: `scores` is float32 (len(texts), T) once all are, `error` says why there are none."""

    texts: tuple[str, ...]
    scores: np.ndarray | None = None
    error: PsaError | None = None
    ended: threading.Event = field(default_factory=threading.Event)

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
