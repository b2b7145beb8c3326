"""Step 5 of a study: the estimate and the start button."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import cached, permissions, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.frame.step import duration
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core import jobs
from psa_core.inputs.limits import RUN_DAYS, RUNS_DISK_EACH
from psa_core.plurals import counted
from psa_core.study import Plan


def price(planned: Plan, source: Source, *, is_upload: bool = False) -> float | None:
    """Cells, distinct texts and measured time; a model from a hub is loaded only when asked for.

    Parameters
    ----------
    planned : Plan
    source : Source
        Of the plan's sentences.
    is_upload : bool
        Whether the scores were brought along, so that there is nothing to time.

    Returns
    -------
    float or None
        Seconds that the run will take; None when no model was timed.
    """
    sentences, names = len(planned.selection.sentences), len(planned.names.table)
    ready = planned.spec.model in {card.id for card in cached.model_cards()}
    if is_upload or (not ready and not st.toggle("Load the model now to estimate the time", key="study_load_model")):
        size = f"{counted(sentences, 'sentence')} × {counted(names, 'name')}"
        st.markdown(f"{size} = **{planned.cells:,} cells**.")
        return None
    cost = plans.price(planned, planned.spec.model, source)
    texts = f"{'' if cost.exact else 'at most '}{cost.texts:,}"
    before = f"{duration(cost.reading)} to find the anchors, " if cost.reading >= 1 else ""
    around = f"{before}{duration(plans.AROUND_SECONDS)} to start and to write the results"
    with st.grid(min_column_width=150):
        st.metric("Sentences", f"{sentences:,}", border=True)
        st.metric("Names", f"{names:,}", border=True)
        st.metric("Sentence–name pairs", f"{planned.cells:,}", border=True)
        st.metric("Texts to score", texts, border=True)
        st.metric("Estimated time", duration(cost.seconds), border=True)
    st.caption(
        f"{cost.texts_per_second:,.0f} texts a second, measured on some of them; {around}. "
        "Texts scored before are taken from the cache."
    )
    return cost.seconds


def _kept() -> str:
    """How long a run is there."""
    return (
        f"It is kept until nobody has opened it for {RUN_DAYS.words}. When your runs take more than "
        f"{RUNS_DISK_EACH.words} together, those opened longest ago are deleted."
    )


def start(planned: Plan, files: dict[str, bytes], seconds: float | None) -> None:
    """The button that queues the study for a worker; the page then shows its place in the queue and its progress."""
    if st.button("Run the study", type="primary", key=Key.STUDY_RUN, icon=":material/play_arrow:"):
        run_id = jobs.submit(planned.spec, files, origin=permissions.origin(), visitor=visitor.key(), seconds=seconds)
        state.choose(run=run_id)
        st.rerun()
    if not jobs.own_machine():
        st.caption(_kept())
