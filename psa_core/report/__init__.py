"""The study as one self-contained page: opens offline, prints well, and text that is not ours is escaped."""

from __future__ import annotations

from collections.abc import Collection

from psa_core import tables
from psa_core.cube import ScoreCube
from psa_core.report import _closing as closing
from psa_core.report import _sections as sections
from psa_core.report._evidence import evidence_of
from psa_core.report.frame import Report, framed
from psa_core.report.swaps import Piece, swap_pieces
from psa_core.tables import findings

__all__ = ["Piece", "render", "swap_pieces"]


def render(cube: ScoreCube, about: Collection[str] | None = None) -> str:
    """The text of ``report.html``.

    Parameters
    ----------
    cube : ScoreCube
        A study; what its provenance does not say is left out of the page.
    about : collection of str, optional
        Targets that have a section of their own; all of them when not given. The overview has every target.

    Returns
    -------
    str
        A whole HTML document without script and without any reference to another file or address: the question, the
        method in five lines, the finding, and for every target Figures 1 and 2, ten flips and the statistics; then
        limits, what was left out, and how to run it again.

    Examples
    --------
    >>> from psa_core.study import run
    >>> render(run(sentences="sample", names="demo", model="keyword", sample=5))[:15]
    '<!doctype html>'
    """
    numbers = tables.summary(cube)
    shown = [target for target in cube.targets if about is None or target.name in about]
    return framed(
        Report(
            title=f"Perturbation sensitivity of {sections.model_name(cube)}",
            question=sections.question(cube),
            findings=[findings.corpus_finding(found, name) for name, found in numbers.items()],
            method=sections.method(cube),
            body=[
                sections.overview(cube, numbers),
                sections.others(len(cube.targets) - len(shown)),
                *(sections.target_section(cube, evidence_of(cube, target, numbers[target.name])) for target in shown),
            ],
            limits=closing.limits(cube),
            provenance=cube.provenance,
            commands=closing.commands(cube),
        )
    )
