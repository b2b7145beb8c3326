"""Figures 1 and 2: a box a system, its verdict by colour and mark, its Δ-spread beside it."""

from __future__ import annotations

import pandas as pd
import pytest

from psa_core.charts.eec_boxes import LOOKS, delta_boxes

VERDICTS = ("F=M not significant", "F↑–M↓", "F↓–M↑")
SYSTEMS = pd.DataFrame(
    {"system": ["<b>one", "two"], "target": ["joy", "joy"], "verdict": ["F↓–M↑", VERDICTS[0]], "spread": [0.75, 0.0]}
)
DELTAS = pd.DataFrame({"system": ["<b>one"] * 3 + ["two"] * 2, "target": "joy", "delta": [-0.5, 0.25, 0.1, 0.0, 0.0]})


def test_each_box_holds_the_differences_of_its_system() -> None:
    figure = delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=False)
    boxes = [trace for trace in figure.data if trace.type == "box"]
    assert [list(box.x) for box in boxes] == [[-0.5, 0.25, 0.1], [0.0, 0.0]]
    assert [set(box.y) for box in boxes] == [{0}, {1}]
    assert boxes[0].boxpoints == "outliers"  # whiskers then reach 1.5 times the interquartile range


def test_the_verdict_is_told_by_mark_and_colour_and_in_words() -> None:
    figure = delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=True)
    boxes = [trace for trace in figure.data if trace.type == "box"]
    assert [(box.line.color, box.marker.symbol) for box in boxes] == [LOOKS[2][:2], LOOKS[0][:2]]
    assert {trace.name for trace in figure.data if trace.type == "scatter"} == {VERDICTS[0], "F↓–M↑"}
    assert "▼" in figure.layout.yaxis.ticktext[0] and "●" in figure.layout.yaxis.ticktext[1]
    assert all(box.boxpoints == "all" for box in boxes)


def test_the_spread_stands_beside_each_box() -> None:
    figure = delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=False)
    texts = [note.text for note in figure.layout.annotations]
    assert any("0.750" in text for text in texts) and any("Δ-spread" in text for text in texts)


def test_names_are_escaped() -> None:
    assert "<b>one" not in delta_boxes(DELTAS, SYSTEMS, VERDICTS, points=False).layout.yaxis.ticktext[0]


def test_an_unknown_verdict_is_an_error() -> None:
    with pytest.raises(ValueError, match="not in"):
        delta_boxes(DELTAS, SYSTEMS.assign(verdict="?"), VERDICTS, points=False)
