"""Figures 1 and 2: a box a system, its verdict by colour and mark, its Δ-spread beside it."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from psa_core.charts._altair import drawing_svg
from psa_core.charts.eec_boxes import LOOKS, delta_boxes

VERDICTS = ("F=M not significant", "F↑–M↓", "F↓–M↑")
SYSTEMS = pd.DataFrame(
    {"system": ["<b>one", "two"], "target": ["joy", "joy"], "verdict": ["F↓–M↑", VERDICTS[0]], "spread": [0.75, 0.0]}
)
DELTAS = pd.DataFrame({"system": ["<b>one"] * 3 + ["two"] * 2, "target": "joy", "delta": [-0.5, 0.25, 0.1, 0.0, 0.0]})


def words(svg: str) -> list[str]:
    """Every text of a picture, line by line."""
    return re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", svg)


@pytest.mark.parametrize("points", [False, True])
def test_boxes_have_their_system_verdict_and_spread(points: bool) -> None:
    drawn = drawing_svg(delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=points))
    found = words(drawn)
    assert {"▼ &lt;b&gt;one", "● two", "0.750", "0.000", "▼ F↓–M↑"} <= set(found)
    assert found.count("Δ-spread") == 1, "once, not once a pair"
    assert found.index("▼ &lt;b&gt;one") < found.index("● two"), "in the order of the table"
    assert LOOKS[2][0] in drawn and "href" not in drawn


def test_every_pair_is_a_stroke_when_asked_for() -> None:
    few, all_pairs = (drawing_svg(delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=p)) for p in (False, True))
    assert all_pairs.count(' opacity="0.25"') == len(DELTAS) and ' opacity="0.25"' not in few


def test_the_rows_carry_their_verdict_and_no_data_is_in_the_specification() -> None:
    drawing = delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=False)
    assert drawing.rows["verdict"].tolist() == ["▼ F↓–M↑"] * 3 + ["● F=M not significant"] * 2
    assert "0.75" not in str(drawing.spec["layer"][-1]) and "data" not in drawing.spec
