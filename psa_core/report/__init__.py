"""The study as one self-contained page: opens offline, prints well, and text that is not ours is escaped."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from psa_core import tables
from psa_core.claims import findings
from psa_core.claims.answers import unanswered_finding
from psa_core.claims.formatting import too_few_in
from psa_core.cube import ScoreCube
from psa_core.folders.view import obfuscated, view_of
from psa_core.plurals import counted
from psa_core.report import _sections as sections
from psa_core.report._sections import model_name
from psa_core.report.page import Html, Report, element, framed, prose_called
from psa_core.report.swaps import Piece, excerpt, is_long, swap_pieces


def render(cube: ScoreCube, about: Collection[str] | None = None, *, answers: Path | None = None) -> str:
    """The text of ``report.html``: a whole document without script and without reference to another file or address.

    It has the question, the method in five lines, the finding, for every target (or those in `about`; the overview has
    all) Figures 1 and 2, ten flips and the statistics; then limits, what was left out, and how to run it again. What
    the provenance does not say is left out; where the study's `view` hides names, they are initials throughout. With
    `answers`, the file of a language model's answers, which need not be there, flips have transcripts.

    Examples
    --------
    >>> from psa_core.study import run
    >>> render(run(sentences="sample", names="demo", model="keyword", sample=5))[:15]
    '<!doctype html>'
    """
    if view_of(cube).hidden_names:  # before anything is measured, so that no table, chart or text can have one
        shown_as = obfuscated(cube.names["name"].astype(str))
        cube = replace(cube, names=cube.names.assign(name=cube.names["name"].astype(str).map(shown_as)))
    numbers = tables.summary(cube)
    shown = [target for target in cube.targets if about is None or target.name in about]
    more = len(cube.targets) - len(shown)
    others = f"Figures, changed labels and statistics of {counted(more, 'more target')} are in the study's folder."
    report = framed(
        Report(
            title=f"Perturbation sensitivity of {model_name(cube)}",
            question=sections.question(cube),
            caution=too_few_in(cube),
            findings=[
                *filter(None, (unanswered_finding(cube, target.name) for target in cube.targets)),
                *(findings.corpus_finding(numbers[target.name], target) for target in cube.targets),
            ],
            method=sections.method(cube),
            body=[
                sections.overview(cube, numbers),
                element("p", others, css="small") if more else Html(""),
                *(sections.target_section(cube, target, numbers[target.name], answers) for target in shown),
            ],
            limits=sections.limits(cube),
            provenance=cube.provenance,
            commands=sections.commands(cube),
        )
    )
    return prose_called(report, cube.noun)
