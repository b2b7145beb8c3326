"""Still pictures of the audits: complete SVG, words as text, the numbers and colours of the pictures on the page."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts._altair import to_png
from psa_core.charts.country_heat import Block
from psa_core.charts.print import audits

pytestmark = pytest.mark.slow

VERDICTS = ("F=M not significant", "F↑–M↓", "F↓–M↑")
CHANGES = pd.DataFrame([[12.5, -40.0], [0.0, np.nan]], index=["France", "<i>India"], columns=["anger", "joy"])
VALUES = pd.DataFrame({"country": ["France", "Malta"], "iso3": ["FRA", "MLT"], "value": [1.5, -3.0]})


def words(svg: str) -> list[str]:
    """Every text of a picture, line by line."""
    return re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", svg)


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
