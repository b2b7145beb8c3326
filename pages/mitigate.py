"""Mitigate: measure, average over names, measure again."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import controls, shell
from pages.ui.results import mitigate_view, opened

shell.guard()
shell.heading("Mitigate", "What if the model answered with the mean over all names? Measure, average, measure again.")
study = opened.need_study()
controls.target_picker(study.cube)
with shell.mending():
    verdict = st.container()
    count = mitigate_view.ask_count(study)
    with verdict:
        mitigate_view.verdict(study, count)
    mitigate_view.before_and_after(study, count)
    left, right = st.columns(2, gap="large")
    with left:
        mitigate_view.curves(study, count)
    with right:
        mitigate_view.originals(study, count)
    mitigate_view.ask_the_model(study, count)
