"""Open a finished study: a zipped result folder, or one from this machine's history."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from pages.ui.frame import address, cached, markup, shell, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.study import job_panel
from psa_core import jobs
from psa_core.folders.view import view_of

SHOWN = 12


def ask() -> None:
    """Open a zip as a new run; the history is shown only to the machine's owner."""
    chosen = st.file_uploader("Open a result folder that was downloaded as a zip", ["zip"], key="study_zip")
    if chosen is not None and st.session_state.get("zip_opened") != chosen.file_id:
        with shell.show_errors("This zip cannot be opened"), st.spinner("Opening the study", show_time=True):
            run_id = jobs.keep_zip(chosen.getvalue(), visitor=visitor.key())
            if view_of(cached.cube(run_id)).hidden_names:  # so it was when it was downloaded
                address.put(Key.HIDE_NAMES, True)
        st.session_state["zip_opened"] = chosen.file_id
        state.choose(run=run_id)
        st.rerun()
    runs = [status for status in jobs.history() if status.spec is not None][:SHOWN]  # audits have pages of their own
    if runs:
        st.header("On this machine", anchor=False)
    for status in runs:
        words, button = st.columns([8, 2], vertical_alignment="center")
        started = f"{datetime.fromtimestamp(jobs.started(status.run_id)):%d %b %Y %H:%M}"
        line = f"{job_panel.title_of(status)} · {job_panel.WORDS[status.state].lower()} · {started}"
        words.html(markup.plain(line))
        opens = {"on_click": state.choose, "kwargs": {"run": status.run_id}}
        button.button("Open", key=f"open_{status.run_id}", width="stretch", **opens)
