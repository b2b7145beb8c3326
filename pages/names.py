"""Names: which names move the score, by how much, and how surely?"""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import controls, shell, typography
from pages.ui.results import context, measured, names_further, names_view
from psa_core.tables import findings, replicability

shell.guard()
shell.heading("Names", "Which names move the score, by how much, and how surely?")
study = context.need_study()
controls.target_picker(study.cube)
with shell.show_errors():
    with shell.headline_slot() as slot:
        choice = names_view.ask(study)
        table = measured.names(study, baseline=choice.baseline, correction=choice.correction)
        with slot:
            typography.finding(
                findings.name_finding(
                    names_view.shown(table, study),
                    study.target.name,
                    baseline=choice.baseline,
                    correction=choice.correction,
                )
            )
    chart, numbers = st.columns([7, 8], gap="medium")
    with chart:
        names_view.bars(table, study, choice)
    with numbers:
        names_view.side_table(table, study, choice)
    with st.container(horizontal=True, vertical_alignment="center"):
        typography.second(replicability.again_finding(measured.again(study), study.target.name))
        shell.link("why", "Why these names?")
    names_further.groups(study, choice)
    names_further.equivalence(study, choice)
