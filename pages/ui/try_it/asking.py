"""A question of your own about the sentence, put to a language model: its prompt, one answer, and a file to keep."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import cached, shell
from pages.ui.frame.controls import labels_of
from pages.ui.study import language_model
from pages.ui.try_it.one_sentence import Slotted


def ask(found: Slotted) -> None:
    """The form, opened by a click; what is typed stays, and New study has it too."""
    asked = language_model.ASKED
    judge = next((card.id.partition(asked)[0] for card in cached.model_cards() if asked in card.id), None)
    if judge is None:
        return
    title = "Ask a language model a question of your own"
    with st.expander(title, icon=":material/chat:", on_change="rerun", key="try_ask") as section:
        if not section.open:
            return
        names = found.perturbation.names
        labels = labels_of(list(names))
        if any(labels[name] != name for name in names):
            st.caption("A prompt has the name in it: show the names to write one.")
            return
        person = st.selectbox("About", names, key="try_ask_about")
        chosen = language_model.ask(judge, found.perturbation.text(0, names.index(person)), person)
        if chosen is None:
            return
        for name, content in chosen[1].items():
            st.download_button("Keep the question as a file", content, name, "application/json", type="tertiary")
        shell.link("new_study", "Ask it about many texts")
