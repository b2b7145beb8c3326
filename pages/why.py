"""Why: what goes with a name's effect, and would it be found again?"""

from __future__ import annotations

from pages.ui.frame import controls, said, shell
from pages.ui.results import measured, opened, parts_view, where_view, why_view
from psa_core.tables import again

shell.guard()
shell.heading("Why", "What goes with a name's effect, and would it be found again?")
study = opened.need_study()
controls.target_picker(study.cube)
with shell.mending("What the effects go with cannot be computed"), shell.verdict() as verdict:
    repeated = again.again_finding(measured.again(study), study.target.name)
    why_view.factors(study, verdict)
    with verdict:
        said.second(repeated)
with shell.mending():
    parts_view.parts(study)
with shell.mending():
    where_view.where(study)
