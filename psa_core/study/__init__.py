"""Sentences × anchors × names × scorer → cube: the spec, the selection, the perturbed texts, the run.

`run` does all of it; `plan` stops before any text is scored, and `execute` goes on from there.
"""

from __future__ import annotations

from psa_core.study.execution import (
    Plan,
    assemble,
    execute,
    perturbation_of,
    plan,
    run,
    sentence_bar,
    spec_of,
)
from psa_core.study.selection import review
from psa_core.study.spec import StudySpec
