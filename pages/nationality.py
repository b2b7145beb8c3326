"""Nationality: what changes when the people in a text get names from another country?"""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import frame, nationality
from pages.ui.audits.nationality import AUDIT
from pages.ui.frame import shell

shell.guard()
frame.begin(AUDIT, nationality.show)
frame.ask_earlier(AUDIT)

with shell.step(1, "Sentences", "Texts that mention people by name; those without a person are left out."):
    source = nationality.ask_sentences()
    if source is None:
        st.stop()

with shell.step(2, "Countries", "Whose names the people get."):
    drawing = nationality.ask_countries(source)

with shell.step(
    3, "Model", "The classifier that scores the sentences; a language model also measures how predictable they are."
):
    judge = nationality.ask_models()
    if judge is None:
        st.stop()

with shell.step(4, "Run", "You can close this page; it keeps running."):
    nationality.start(source, drawing, judge)
