"""Nationality: what changes when the people in a text get names from another country?"""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.audits.nationality import results, setup
from pages.ui.audits.nationality.setup import AUDIT
from pages.ui.frame import shell
from pages.ui.frame.step import step

shell.guard()
shell.heading(
    "Nationality",
    "What changes when the people in a text get common names of another country?",
)
folder = audit_job.result(AUDIT)
if folder is not None:
    with shell.mending("This audit cannot be opened", then=lambda: audit_job.ask_another(AUDIT)):
        results.show(str(AUDIT.run_id), folder)
    st.stop()

setup.introduce()
with st.expander("Open an earlier audit", icon=":material/folder_open:"):
    audit_job.ask_zip(AUDIT)

with step(1, "Sentences", "Texts that mention people by name; those without a person are left out."), shell.mending():
    source = setup.ask_sentences()
    if source is None:
        st.stop()

with step(2, "Countries", "Whose names the people get."), shell.mending():
    drawing = setup.ask_countries()

with (
    step(
        3,
        "Model",
        "The classifier that scores the sentences; a language model also measures how predictable they are.",
    ),
    shell.mending(),
):
    judge = setup.ask_models()
    if judge is None:
        st.stop()

with step(4, "Run", "You may leave this page meanwhile."), shell.mending():
    setup.start(source, drawing, judge)
