"""Models answer one after the other, the quick ones first; what is there is drawn while the others are waited for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NoReturn

import streamlit as st

from pages.ui.frame import cached
from pages.ui.frame.keys import Key
from pages.ui.frame.step import duration
from psa_core.models import Purpose
from psa_core.plurals import counted

QUICK_SECONDS = 0.5
#: Seconds that each model took last, in this process, to score one sentence with every name.
_scoring: dict[str, float] = {}


def answered(models: Sequence[str], texts: tuple[str, ...]) -> tuple[str, ...]:
    """The models that have scored these texts, or will at once; the others are to be waited for, see `wait_for`."""
    of, known = st.session_state.get(Key.TRY_ANSWERED, ((), frozenset[str]()))
    light = {card.id for card in cached.model_cards() if Purpose.FIRST_LOOK in card.good_for}
    found = tuple(
        model
        for model in models
        if (of == texts and model in known)
        or _scoring.get(model, 0.0 if model in light else QUICK_SECONDS) < QUICK_SECONDS
    )
    return found or tuple(models[:1])


def wait_for(model: str, texts: tuple[str, ...]) -> NoReturn:
    """Let a model score the texts, saying what is done and for how long; then the page is drawn with it."""
    with st.spinner(_doing(cached.model_title(model), model, len(texts)), show_time=True):
        cached.scorer(model)
        started = time.perf_counter()
        cached.scores(model, texts)
        _scoring[model] = time.perf_counter() - started
    of, known = st.session_state.get(Key.TRY_ANSWERED, ((), frozenset[str]()))
    st.session_state[Key.TRY_ANSWERED] = (texts, (known if of == texts else frozenset()) | {model})
    st.rerun()


def _doing(title: str, model: str, texts: int) -> str:
    """What is being waited for, and how long it took the last time."""
    if model not in _scoring:
        return f"{title} is loaded for the first time, then scores {counted(texts, 'text')}: mostly 3 to 15 seconds"
    return f"{title} scores {counted(texts, 'text')}: about {duration(_scoring[model])}"
