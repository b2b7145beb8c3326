"""Models answer one after the other; what takes too long for a page is scored as a study, in the queue."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NoReturn

import pandas as pd
import streamlit as st

from pages.ui.frame import cached, shell, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.try_it.one_sentence import MAX_CHARACTERS, Slotted
from psa_core import anchors, jobs, models
from psa_core.anchors import slot
from psa_core.claims.formatting import duration
from psa_core.inputs.limits import PAGE_SECONDS
from psa_core.models import Purpose
from psa_core.plurals import counted
from psa_core.study import StudySpec

QUICK_SECONDS = 0.5
SENTENCE, NAMES = "sentence.csv", "names.csv"
#: Seconds that each model took last, in this process, to score one sentence with every name.
_scoring: dict[str, float] = {}


def answered(model_ids: Sequence[str], texts: tuple[str, ...]) -> tuple[str, ...]:
    """The models that have scored these texts, or will at once; the others are to be waited for, see `wait_for`."""
    light = {card.id for card in cached.model_cards() if Purpose.FIRST_LOOK in card.good_for}
    found = tuple(
        model
        for model in model_ids
        if cached.are_scored(model, texts)
        or _scoring.get(model, 0.0 if model in light else QUICK_SECONDS) < QUICK_SECONDS
    )
    return found or tuple(model_ids[:1])


def wait_for(model: str, texts: tuple[str, ...]) -> NoReturn:
    """Let a model score the texts with a progress message; then the page is redrawn with its scores."""
    title, count = models.titled(model), counted(len(texts), "text")
    words = f"{title} is loaded for the first time, then scores {count}: mostly 3 to 15 seconds"
    if model in _scoring:
        words = f"{title} scores {count}: about {duration(_scoring[model])}"
    with st.spinner(words, show_time=True):
        cached.scorer(model)
        started = time.perf_counter()
        cached.scores(model, texts)
        _scoring[model] = time.perf_counter() - started
    st.rerun()


def offer_rest(asked: Slotted, model_ids: Sequence[str], filler: str) -> None:
    """Say which models have not scored every name, and offer to score them in the background."""
    total = len(asked.perturbation.names)
    for model in model_ids:
        done = max(0, len(cached.scores(model, asked.texts)) - 1)
        if done == total:
            continue
        with st.container(border=True):
            st.markdown(
                f"**{models.titled(model)} scored {done:,} of {total:,} names** in {PAGE_SECONDS.words}, the "
                "most that this page may take. The page shows the names that every model has scored."
            )
            label = f"Score all {total:,} names in the background"
            if st.button(label, key=f"try_rest_{model}", icon=":material/schedule:"):
                with shell.report_errors("It cannot be scored in the background"):
                    spec = StudySpec(
                        sentences=SENTENCE,
                        names=NAMES,
                        model=model,
                        anchors=anchors.default() if asked.guessed else slot.ANCHOR.build(filler).spec,
                        max_words=MAX_CHARACTERS,
                        balance=False,
                        mentions="all",
                    )
                    sentence = pd.DataFrame({"text": [st.session_state[Key.TRY_LAST]]})
                    tables = {SENTENCE: sentence, NAMES: pd.DataFrame({"name": asked.perturbation.names})}
                    files = {name: table.to_csv(index=False).encode() for name, table in tables.items()}
                    run_id = jobs.submit(spec, files, origin=visitor.origin(), visitor=visitor.key())
                    state.choose(run=run_id)
                    shell.go_to("study")
