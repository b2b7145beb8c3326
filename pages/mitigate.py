"""Mitigate: average over names, or retrain; measured on names and sentences that had no part in it."""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.frame import controls, shell
from pages.ui.results import context, held_out, mitigate_view, retrain_results, retrain_setup
from pages.ui.results.retrain_setup import AUDIT

AVERAGE, RETRAIN = "Average over names", "Retrain"

shell.guard()
shell.heading(
    "Mitigate",
    "What would make the answers move less with the name? Measured on names and sentences that had no part in it.",
)
chosen = st.segmented_control(
    "How",
    (AVERAGE, RETRAIN),
    default=RETRAIN if AUDIT.run_id else AVERAGE,
    required=True,
    key=AUDIT.key("view"),
    label_visibility="collapsed",
    persist_state="session",
)
if chosen == RETRAIN:
    folder = audit_job.result(AUDIT)
    with shell.show_errors("This retraining cannot be opened", then=lambda: audit_job.ask_another(AUDIT)):
        if folder is None:
            retrain_setup.show(context.need_study())
        else:
            retrain_results.show(AUDIT, folder)
    st.stop()

study = context.need_study()
controls.target_picker(study.cube)
with shell.show_errors("Averaging over names cannot be measured here"):
    with shell.headline_slot() as slot:
        halved = held_out.split(study, whole=mitigate_view.ask_whole(study))
        count = mitigate_view.ask_count(halved)
        with slot:
            mitigate_view.headline(halved, count)
    mitigate_view.before_and_after(halved, count)
    left, right = st.columns(2, gap="large")
    with left:
        mitigate_view.curves(halved, count)
    with right:
        mitigate_view.originals(halved, count)
    mitigate_view.ask_the_model(halved, count)
