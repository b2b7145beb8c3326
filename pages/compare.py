"""Compare: which model is more sensitive to the name, and what would make it less so?"""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import frame
from pages.ui.frame import controls, shell, state
from pages.ui.results import (
    compare_studies,
    compare_view,
    context,
    groups_view,
    mitigate_view,
    retrain_results,
    retrain_setup,
)
from pages.ui.results.retrain_setup import AUDIT
from psa_core.study.conditions import conditions_of

PARTS = {"compare": "Compare studies", "mitigate": "Average over names", "retrain": "Retrain"}
CONDITIONS = {"conditions": "Conditions"}

shell.guard()
shell.heading("Compare", "Which model is more name-sensitive, on which sentences, and what would make it less so?")
# The address of a retraining is enough to see it, also where no study is open.
is_retrained = AUDIT.run_id is not None
study = None if is_retrained and state.view().run is None else context.need_study()
parts = CONDITIONS | PARTS if study and conditions_of(study.cube) else PARTS
part = context.ask_part(parts, "compare_part", first="retrain" if is_retrained else "")
if part == "retrain":
    folder = frame.result(AUDIT)
    with shell.show_errors("This retraining cannot be opened", then=lambda: frame.ask_another(AUDIT)):
        if folder is None:
            retrain_setup.show(study or context.need_study())
        else:
            retrain_results.show(AUDIT, folder)
    st.stop()

study = study or context.need_study()
if part == "conditions":
    with shell.show_errors():
        groups_view.conditions(study)
elif part == "mitigate":
    controls.target_picker(study.cube)
    with shell.show_errors("Averaging over names cannot be measured here"):
        with shell.headline_slot() as slot:
            halved = mitigate_view.ask(study)
            with slot:
                mitigate_view.headline(halved)
        mitigate_view.before_and_after(halved)
        left, right = st.columns(2, gap="large")
        with left:
            mitigate_view.curves(halved)
        with right:
            mitigate_view.originals(halved)
        mitigate_view.ask_the_model(halved)
else:
    with shell.show_errors():
        studies = compare_studies.ask_studies(study)
        if not studies:
            st.info("Choose at least one study.")
            st.stop()
        table = compare_view.numbers(study, studies)
        metric = compare_view.chart(table)
        compare_view.table_2(table)
        compare_view.two_studies(study, studies, table, metric)
