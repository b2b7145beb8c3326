"""Compare: which model, on which sentences, is more sensitive to the name?"""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import shell
from pages.ui.results import compare_studies, compare_view, context, two_studies

shell.guard()
shell.heading("Compare", "Which model is more name-sensitive, on which sentences?")
study = context.need_study()
with shell.show_errors():
    studies = compare_studies.ask_studies(study)
    if not studies:
        st.info("Choose at least one study.")
        st.stop()
    table = compare_view.numbers(study, studies)
    metric = compare_view.chart(table)
    compare_view.table_2(table)
    two_studies.show(study, studies, table, metric)
