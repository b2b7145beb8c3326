"""Open a finished study: a zipped result folder, the example, or one from this machine's history."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from pages.ui.frame import markup, open_study, shell, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.study import job_panel
from psa_core import jobs

SHOWN = 12


def ask_zip() -> None:
    """Open a zipped result folder; it becomes a run of its own."""
    chosen = st.file_uploader("A result folder as a zip", ["zip"], key=Key.STUDY_ZIP)
    if chosen is None or st.session_state.get("zip_opened") == chosen.file_id:
        return
    with shell.show_errors("This zip cannot be opened"), st.spinner("Opening the study", show_time=True):
        run_id = jobs.keep_zip(chosen.getvalue(), visitor=visitor.key())
    st.session_state["zip_opened"] = chosen.file_id
    state.choose(run=run_id)
    st.rerun()


def ask_example() -> None:
    """Open the example study."""
    if st.button("Open the example study", key="study_example", icon=":material/play_arrow:"):
        with shell.show_errors(), st.spinner("Scoring the sample corpus", show_time=True):
            open_study.open_example()
        st.rerun()


def ask_history() -> None:
    """Runs on this machine, newest first; nothing on a server that may be shared."""
    runs = [status for status in jobs.history() if status.spec is not None][:SHOWN]  # audits have pages of their own
    if not runs:
        return
    st.markdown("**On this machine**")
    for status in runs:
        words, button = st.columns([8, 2], vertical_alignment="center")
        started = f"{datetime.fromtimestamp(jobs.started(status.run_id)):%d %b %Y %H:%M}"
        line = f"{job_panel.title_of(status)} · {job_panel.WORDS[status.state].lower()} · {started}"
        words.html(markup.plain(line))
        button.button("Open", key=f"open_{status.run_id}", on_click=_open, args=(status.run_id,), width="stretch")


def _open(run_id: str) -> None:
    state.choose(run=run_id)
