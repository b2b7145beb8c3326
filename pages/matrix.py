"""Matrix: which names behave alike, in which sentences?"""

from __future__ import annotations

from pages.ui.frame import controls, shell, typography
from pages.ui.results import context, matrix_view
from psa_core.tables.matrix import cluster_finding

shell.guard()
shell.heading("Matrix", "Which names behave alike, in which sentences?")
study = context.need_study()
controls.target_picker(study.cube)
with shell.show_errors():
    with shell.headline_slot() as slot:
        found = matrix_view.ordered(study)
        with slot:
            typography.finding(cluster_finding(found))
    matrix_view.cells(study, found)
    matrix_view.chosen_cell(study)
    matrix_view.clusters(study, found)
