"""What a figure says wherever it stands: title and finding above, source (model, corpus, n, threshold) beneath."""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass
from pathlib import PurePath

from psa_core import models
from psa_core.charts import _theme
from psa_core.cube import ScoreCube, Target
from psa_core.plurals import counted

SIDE, LINE = 16, 1.35
TITLE, FINDING, SOURCE = 18, 14, 12
#: Width of a letter as a share of its size, rather too wide than too narrow.
LETTER = 0.56
#: What no picture may hold: a reader of XML ends at it.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SIZE = re.compile(r'<svg[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')


@dataclass(frozen=True)
class Caption:
    """The words of a picture: what is drawn, what it shows (with its number), and what was measured."""

    title: str
    finding: str = ""
    source: str = ""


def study_source(cube: ScoreCube, target: Target, threshold: float) -> str:
    """The model, corpus, size and threshold of a study's figure, in one line for page, picture and report."""
    size = " × ".join(map(counted, cube.shape, (cube.noun, "name")))
    at = f"{target.scale * threshold:g}".replace("-", "−") + " %" * target.is_in_points
    level = f"{target.name} flagged at {at} and above"
    return " · ".join([*model_and_file(cube), size, level])


def model_and_file(cube: ScoreCube) -> tuple[str, str]:
    """What a study's model and the file of its sentences are called."""
    read = cube.provenance.get("inputs", {}).get("sentences", {})
    file = read.get("source", cube.asked.get("sentences", "sentences"))
    return models.titled(str(cube.asked.get("model", "model"))), PurePath(str(file)).name


def captioned(svg: str, caption: Caption) -> str:
    """A picture with its words; they are escaped, and broken where the picture ends.

    Examples
    --------
    >>> small = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"></svg>'
    >>> "&lt;b&gt;" in captioned(small, Caption("<b>"))
    True
    """
    found = SIZE.search(svg)
    if found is None:
        raise ValueError("a picture without width and height")
    width, height = map(float, found.groups())
    above, y = _lines(caption.title, TITLE, width, y=float(SIDE), weight="600")
    said, y = _lines(caption.finding, FINDING, width, y=y)
    below, bottom = _lines(caption.source, SOURCE, width, y=y + height + SIDE / 2)
    picture = svg.replace("<svg", f'<svg y="{y + SIDE / 2:.0f}"', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width:.0f}" '
        f'height="{bottom + SIDE:.0f}" viewBox="0 0 {width:.0f} {bottom + SIDE:.0f}">'
        f'<rect width="100%" height="100%" fill="{_theme.PAPER}"/>{above}{said}{picture}{below}</svg>'
    )


def _lines(text: str, size: int, width: float, *, y: float, weight: str = "400") -> tuple[str, float]:
    """The text in lines from `y` on, and where it ends."""
    letters = max(10, int((width - 2 * SIDE) / (LETTER * size)))
    written = []
    for line in textwrap.wrap(NOT_XML.sub("\ufffd", text), letters):
        y += LINE * size
        written.append(
            f'<text x="{SIDE}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" font-weight="{weight}" '
            f'fill="{_theme.INK}">{html.escape(line)}</text>'
        )
    return "".join(written), y
