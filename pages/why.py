"""Why: what goes with a name's effect, and would it be found again?"""

from __future__ import annotations

from pages.ui.frame import controls, shell, typography
from pages.ui.results import context, measured, parts_view, why_view, word_associations_view
from psa_core.tables import replicability

shell.guard()
shell.heading("Why", "What is associated with a name's effect, and does it replicate?")
study = context.need_study()
controls.target_picker(study.cube)
with shell.show_errors("The associations cannot be computed"), shell.headline_slot() as slot:
    repeated = replicability.again_finding(measured.again(study), study.target.name)
    why_view.factors(study, slot)
    with slot:
        typography.second(repeated)
with shell.show_errors():
    parts_view.parts(study)
with shell.show_errors():
    word_associations_view.where(study)
