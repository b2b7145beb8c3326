"""Your study: what was found, how far it is, or how to open one."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import shell, state
from pages.ui.results import context
from pages.ui.study import job_panel

shell.guard()
run_id = state.view().run
if run_id is None:
    shell.heading("Your study", "Which names move the score of a model on your sentences, and how surely?")
    context.empty_state()
    job_panel.open_another()
else:
    shell.heading("Overview", "What was found, how sure it is, and what to do next.")
    with shell.show_errors("This study cannot be opened", then=context.empty_state):
        job_panel.show(run_id)
    with st.expander("Open another study", icon=":material/folder_open:"):
        job_panel.open_another()
