"""Sentences × anchors × names × scorer → cube: the spec, the selection, the perturbed texts, the run.

`run` does all of it; `plan` stops before any text is scored, and `execute` goes on from there.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from psa_core.cube import ScoreCube
from psa_core.study.execution import (
    Plan,
    assemble,
    execute,
    perturbation_of,
    plan,
    run,
    selected_sentences,
    spec_of,
)
from psa_core.study.spec import StudySpec

__all__ = [
    "Plan",
    "StudySpec",
    "assemble",
    "execute",
    "open",
    "perturbation_of",
    "plan",
    "run",
    "selected_sentences",
    "spec_of",
]


def open(folder: str | Path) -> ScoreCube:
    """Open a result folder, as `run` of the command line and the dashboard's export write it.

    Raises
    ------
    RunFolderError
        When a file is missing, damaged, or does not fit the others.
    """
    opened: ScoreCube = import_module("psa_core.notebook").read(folder)  # folders are above studies
    return opened
