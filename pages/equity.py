"""Equity: do scores differ when only the gender or the race of the person in a sentence does?"""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.audits.equity import results, setup
from pages.ui.audits.equity.setup import AUDIT
from pages.ui.frame import shell
from pages.ui.frame.step import step

shell.guard()
shell.heading(
    "Equity",
    "Does a score change when nothing in a sentence changes but the gender or the race of the person in it?",
)
folder = audit_job.result(AUDIT)
if folder is not None:
    with shell.mending("This audit cannot be opened", then=lambda: audit_job.ask_another(AUDIT)):
        results.show(str(AUDIT.run_id), folder)
    st.stop()

setup.introduce()
with st.expander("Open an earlier audit", icon=":material/folder_open:"):
    audit_job.ask_zip(AUDIT)

with step(1, "Systems", "The models to test. Several are compared side by side."), shell.mending():
    systems = setup.ask_systems()

with step(2, "Sentences", "The paper's 8,640 sentences, or your own templates, people and words."), shell.mending():
    sentences = setup.ask_sentences()

with step(3, "Run", "Every sentence by every system. You may leave this page meanwhile."), shell.mending():
    setup.start(systems, sentences)
