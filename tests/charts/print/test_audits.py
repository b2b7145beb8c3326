"""Still pictures of the audits: complete SVG, words as text, the numbers and colours of the pictures on the page."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts._altair import to_png
from psa_core.charts.country_heat import Block
from psa_core.charts.eec_boxes import LOOKS
from psa_core.charts.print import audits

pytestmark = pytest.mark.slow

VERDICTS = ("F=M not significant", "F↑–M↓", "F↓–M↑")
SYSTEMS = pd.DataFrame(
    {"system": ["<b>one", "two"], "target": ["joy", "joy"], "verdict": ["F↓–M↑", VERDICTS[0]], "spread": [0.75, 0.0]}
)
DELTAS = pd.DataFrame({"system": ["<b>one"] * 3 + ["two"] * 2, "target": "joy", "delta": [-0.5, 0.25, 0.1, 0.0, 0.0]})
CHANGES = pd.DataFrame([[12.5, -40.0], [0.0, np.nan]], index=["France", "<i>India"], columns=["anger", "joy"])
VALUES = pd.DataFrame({"country": ["France", "Malta"], "iso3": ["FRA", "MLT"], "value": [1.5, -3.0]})


def words(svg: str) -> list[str]:
    """Every text of a picture, line by line."""
    return re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", svg)


@pytest.mark.parametrize("points", [False, True])
def test_boxes_have_their_system_verdict_and_spread(points: bool) -> None:
    drawn = audits.delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=points)
    found = words(drawn)
    assert {"▼ &lt;b&gt;one", "● two", "0.750", "0.000", "▼ F↓–M↑"} <= set(found)
    assert found.count("Δ-spread") == 1, "once, not once a pair"
    assert found.index("▼ &lt;b&gt;one") < found.index("● two"), "in the order of the table"
    assert LOOKS[2][0] in drawn and "href" not in drawn


def test_every_pair_is_a_stroke_when_asked_for() -> None:
    few, all_pairs = (audits.delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=points) for points in (False, True))
    assert all_pairs.count(' opacity="0.25"') == len(DELTAS) and ' opacity="0.25"' not in few


def test_cells_hold_the_numbers_and_a_missing_one_is_empty() -> None:
    blocks = [Block("Δ × 100", CHANGES, ["", ""], "+.2f"), Block("Change in %", CHANGES, ["of 8", "of 5"])]
    drawn = audits.country_heat(blocks)
    found = words(drawn)
    assert [found.count(text) for text in ("+12.5", "−40.0", "0.0", "+12.50", "of 8", "nan")] == [1, 1, 1, 1, 1, 0]
    assert found.count("France") == 1 and "&lt;i&gt;India" in found, "countries are named once, at the left"


def test_the_strongest_cells_have_the_two_colours() -> None:
    down, up = (f"rgb({', '.join(str(int(c[i : i + 2], 16)) for i in (1, 3, 5))})" for c in (_theme.DOWN, _theme.UP))
    drawn = audits.country_heat([Block("x", pd.DataFrame({"a": [-7.0, 7.0, 0.1]}, index=list("xyz")), [""])])
    assert drawn.count(down) == 1 and drawn.count(up) == 1
    cut = audits.country_heat([Block("x", pd.DataFrame({"a": [-7.0, 7.0]}, index=list("xy")), [""], limit=5)])
    assert cut.count(down) == 1 and "+7.0" in cut, "a limit cuts colours and not numbers"


def test_the_map_has_its_title_and_a_mark_for_a_small_country() -> None:
    drawn = audits.country_map(VALUES, title="anger: change in %")
    assert "anger: change in %" in words(drawn) and "href" not in drawn
    without = audits.country_map(VALUES.iloc[:1], title="x")
    circles = [picture.count('aria-roledescription="circle"') for picture in (drawn, without)]
    assert circles == [1, 0]


def test_a_map_without_numbers_is_drawn() -> None:
    assert audits.country_map(VALUES.iloc[:0], title="x").startswith("<svg")


def test_as_png() -> None:
    assert to_png(audits.country_heat([Block("x", CHANGES, ["", ""])])).startswith(b"\x89PNG")
