"""Sentences: in which sentences does the label change with the name; every sentence and every name in one matrix."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import controls, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context, flip_card, matrix_view, sentences_view
from psa_core.claims import reasons

PARTS = {"sentences": "Changed labels", "matrix": "All sentences × all names"}

shell.guard()
shell.heading("Sentences", "In which sentences does the label change with the name, and is that a defect?")
study = context.need_study()
controls.target_picker(study.cube)
part = context.ask_part(PARTS, "sentences_part")
if part == "matrix":
    with shell.show_errors():
        with shell.headline_slot() as slot:
            found = matrix_view.ordered(study)
            with slot:
                typography.finding(reasons.cluster_finding(found))
        matrix_view.cells(study, found)
        matrix_view.chosen_cell(study)
        matrix_view.clusters(study, found)
    st.stop()

with shell.show_errors():
    with shell.headline_slot() as slot, slot:
        typography.finding(study.sentence_finding())
    controls.threshold_slider(study.cube)
    filters = sentences_view.ask(study)
    flips = sentences_view.found(study, filters)
    left, right = st.columns([7, 5], gap="large")
    with left:
        sentences_view.cards(study, flips, filters)
    with right:
        is_open = flip_card.is_open_in(study, st.session_state.get(Key.SENTENCES_CARD))
        with sentences_view.drawer() if is_open else st.container():
            sentences_view.one_sentence(study, sentences_view.in_view(study, flips, filters))
        sentences_view.all_sentences(study)
    sentences_view.account(study)
