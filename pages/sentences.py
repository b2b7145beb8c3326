"""Sentences: in which sentences does the label change with the name?"""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import controls, shell, typography
from pages.ui.results import context, measured, one_sentence, sentences_view
from psa_core.tables import findings

shell.guard()
shell.heading("Sentences", "In which sentences does the label change with the name, and is that a defect?")
study = context.need_study()
controls.target_picker(study.cube)
with shell.show_errors():
    with shell.headline_slot() as slot, slot:
        typography.finding(
            findings.sentence_finding(measured.sentences(study), study.target.name, threshold=study.threshold)
        )
    controls.threshold_slider(study.cube)
    filters = sentences_view.ask(study)
    flips = sentences_view.found(study, filters)
    left, right = st.columns([7, 5], gap="large")
    with left:
        sentences_view.cards(study, flips, filters)
    with right:
        with one_sentence.drawer() if one_sentence.is_open(study) else st.container():
            one_sentence.show(study, sentences_view.in_view(study, flips, filters))
        sentences_view.all_sentences(study)
    sentences_view.account(study)
