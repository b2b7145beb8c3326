"""What shows itself: a notebook asks an object for its HTML or picture; texts in it are escaped."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psa_core.cube import ScoreCube
from psa_core.plurals import counted
from psa_core.registry import in_short


class Finding(str):
    """A sentence with its number; a plain string that a notebook shows as a paragraph."""

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self)}</p>"


@dataclass(frozen=True)
class Chart:
    """A figure as SVG, with the sentence that says what is in it.

    Attributes
    ----------
    svg : str
    finding : str
    """

    svg: str = field(repr=False)
    finding: Finding

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The picture for whatever draws SVG, the sentence for whatever does not; `include` and `exclude` are hints."""
        return {"image/svg+xml": self.svg, "text/plain": str(self.finding)}

    def save(self, file: str | Path) -> None:
        """Write the SVG to a file."""
        Path(file).write_text(self.svg, encoding="utf-8")


def markup_of(cube: ScoreCube, said: Mapping[str, Finding]) -> str:
    """Size and model of a study, and one finding a target, as HTML."""
    sentences, names, _ = cube.shape
    model = in_short(str(cube.provenance.get("study", {}).get("model", "a model")))
    rows = "".join(
        f"<tr><td style='text-align: left'>{html.escape(target)}</td>"
        f"<td style='text-align: left'>{html.escape(words)}</td></tr>"
        for target, words in said.items()
    )
    return (
        f"<div><p><b>{html.escape(model)}</b>: {counted(sentences, 'sentence')} × {counted(names, 'name')}</p>"
        f"<table><tbody>{rows}</tbody></table>"
        '<p><code>.names()</code> <code>.flips()</code> <code>.chart("names")</code> '
        '<code>.chart("thresholds")</code> <code>.finding("sentences")</code></p></div>'
    )
