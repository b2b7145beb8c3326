"""Figures 1 and 2: a box a system, its verdict by colour and mark, its Δ-spread beneath its name."""

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


def test_each_box_holds_the_differences_of_its_system() -> None:
    rows = delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=False).rows
    assert rows.groupby("system")["delta"].agg(list).to_dict() == {"<b>one": [-0.5, 0.25, 0.1], "two": [0.0, 0.0]}
    assert rows.groupby("system")["verdict"].first().to_dict() == {"<b>one": "▼ F↓–M↑", "two": f"● {VERDICTS[0]}"}


@pytest.mark.parametrize("points", [False, True])
def test_boxes_have_their_system_verdict_and_spread(points: bool) -> None:
    drawn = drawing_svg(delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=points))
    found = re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", drawn)
    assert {"▼ &lt;b&gt;one", "● two", "Δ-spread 0.750", "Δ-spread 0.000", "▼ F↓–M↑"} <= set(found)
    assert found.index("▼ &lt;b&gt;one") < found.index("● two"), "in the order of the table"
    assert LOOKS[2][0] in drawn and "href" not in drawn
    assert drawn.count(' opacity="0.25"') == (len(DELTAS) if points else 0), "a stroke a pair when asked for"


def test_an_unknown_verdict_is_an_error() -> None:
    with pytest.raises(ValueError, match="not in"):
        delta_boxes(DELTAS, SYSTEMS.assign(verdict="?"), VERDICTS, points=False)
