"""Names: which names move the score, by how much and how surely; and why these?"""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import controls, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context, flip_card, groups_view, names_view, why_view
from psa_core.claims import comparison
from psa_core.tables import pairs

PARTS = {"names": "Which names?", "why": "Why these names?"}

shell.guard()
shell.heading("Names", "Which names move the score, by how much, how surely, and why?")
study = context.need_study()
controls.target_picker(study.cube)
part = context.ask_part(PARTS, Key.NAMES_PART)
reliability = comparison.replicability_finding(study.compute(pairs.order_replicability), study.target.name)
if part == "why":
    with shell.show_errors("The associations cannot be computed"):
        if not study.do_names_differ:
            typography.finding(study.corpus_finding().headline)
            st.stop()
        why_view.because(study)
        typography.second(reliability)
        why_view.factors(study)
        why_view.all_parts(study)
        why_view.where(study)
    st.stop()

with shell.show_errors():
    with shell.headline_slot() as slot:
        choice = names_view.ask(study)
        table = study.names(baseline=choice.baseline, correction=choice.correction)
        with slot:
            typography.finding(study.name_finding(table, choice.baseline, choice.correction))
    chart, numbers = st.columns([3, 4], gap="medium")
    with chart:
        names_view.bars(table, study, choice)
    with numbers:
        names_view.side_table(table, study, choice)
    flip_card.transcript_of_chosen(study)
    if study.do_names_differ:
        typography.second(reliability)
    names_view.floor(study)
    column = groups_view.differences(study, choice)
    if column:
        groups_view.selection_rates(study, column)
    names_view.equivalence(study, choice)
