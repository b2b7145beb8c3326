"""Thresholds: how many labels change with the name, at every threshold?"""

from __future__ import annotations

from pages.ui.frame import controls, shell, typography
from pages.ui.results import context, thresholds_view

shell.guard()
shell.heading("Thresholds", "A threshold turns scores into labels. How many labels change with the name?")
study = context.need_study()
controls.target_picker(study.cube)
with shell.show_errors():
    with shell.headline_slot() as slot, slot:
        typography.finding(study.threshold_finding())
    controls.threshold_slider(study.cube)
    chosen = thresholds_view.ask_curves(study)
    thresholds_view.figure(study, chosen)
    thresholds_view.borderline(study)
    thresholds_view.numbers(study)
