"""What a page's time did not suffice for on Try it is scored as a study, in the queue."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.ui.frame import cached, permissions, shell, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.try_it.one_sentence import MAX_CHARACTERS, Slotted
from psa_core import anchors, jobs
from psa_core.anchors import slot
from psa_core.inputs.limits import PAGE_SECONDS
from psa_core.study import StudySpec

SENTENCE, NAMES = "sentence.csv", "names.csv"


def offer_rest(asked: Slotted, models: Sequence[str], filler: str) -> None:
    """Say which models have not scored every name, and offer to score them in the background."""
    total = len(asked.perturbation.names)
    for model in models:
        done = max(0, len(cached.scores(model, asked.texts)) - 1)
        if done == total:
            continue
        with st.container(border=True):
            st.markdown(
                f"**{cached.model_title(model)} scored {done:,} of {total:,} names** in {PAGE_SECONDS.words}, the "
                "most that this page may take. The page shows the names that every model has scored."
            )
            label = f"Score all {total:,} names in the background"
            if st.button(label, key=f"{Key.TRY_REST}_{model}", icon=":material/schedule:"):
                _submit(asked, model, filler)


def _submit(asked: Slotted, model: str, filler: str) -> None:
    """Queue a study of this sentence and go to its page."""
    with shell.report_errors("It cannot be scored in the background"):
        table = pd.DataFrame({"name": asked.perturbation.names})
        spec = StudySpec(
            sentences=SENTENCE,
            names=NAMES,
            model=model,
            anchors=anchors.default() if asked.guessed else slot.ANCHOR.build(filler).spec,
            max_words=MAX_CHARACTERS,
            balance=False,
            mentions="all",
        )
        files = {SENTENCE: pd.DataFrame({"text": [st.session_state[Key.TRY_LAST]]}), NAMES: table}
        uploads = {name: frame.to_csv(index=False).encode() for name, frame in files.items()}
        run_id = jobs.submit(spec, uploads, origin=permissions.origin(), visitor=visitor.key())
        state.choose(run=run_id)
        shell.go_to("study")
