"""Mitigate: measure, average over names, measure again."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import controls, shell
from pages.ui.results import held_out, mitigate_view, opened

shell.guard()
shell.heading(
    "Mitigate",
    "What if the model answered with the mean over some names? Measured on names and sentences that had no part in it.",
)
study = opened.need_study()
controls.target_picker(study.cube)
with shell.mending():
    verdict = st.container()
    halved = held_out.split(study, whole=mitigate_view.ask_whole(study))
    count = mitigate_view.ask_count(halved)
    with verdict:
        mitigate_view.verdict(halved, count)
    mitigate_view.before_and_after(halved, count)
    left, right = st.columns(2, gap="large")
    with left:
        mitigate_view.curves(halved, count)
    with right:
        mitigate_view.originals(halved, count)
    mitigate_view.ask_the_model(halved, count)
