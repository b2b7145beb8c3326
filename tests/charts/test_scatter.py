from __future__ import annotations

import re

import numpy as np
import pandas as pd

from psa_core.charts.drawing import drawing_svg
from psa_core.charts.scatter import relevance, score_scatter, two_distributions

COLUMNS = ["audit", "similarity", "fairness", "low", "high"]


def test_each_audit_is_written_beside_its_point() -> None:
    rows = [("before", 0.4, 0.08, 0.06, 0.1), ("after", 0.3, 0.05, 0.04, 0.07), ("blind", 0.02, 0.06, 0.04, 0.07)]
    drawing = relevance(pd.DataFrame(rows, columns=COLUMNS))
    assert drawing.rows.set_index("label")["beside"].to_dict() == {
        "after": "right",
        "blind": "right",
        "before": "right",
    }
    svg = drawing_svg(drawing)
    assert "before" in svg and "Corrected I.F." in svg


def test_words_of_points_side_by_side_do_not_lie_upon_each_other() -> None:
    rows = [("sentiment, strength 100", 0.168, 0.0, 0.0, 0.0), ("embedding, strength 100", 0.187, 0.0, 0.0, 0.0)]
    rows += [("as it was", 0.354, 0.031, 0.02, 0.037), ("the same again", 0.353, 0.0315, 0.02, 0.037)]
    for given in (rows, rows[::-1]):
        sides = relevance(pd.DataFrame(given, columns=COLUMNS)).rows.set_index("label")["beside"]
        assert sides["sentiment, strength 100"] == "left" and sides["embedding, strength 100"] == "right"
        assert sides["as it was"] != sides["the same again"]


def test_a_loss_of_nothing_looks_like_nothing() -> None:
    rows = [("before", 0.3376, 0.063, 0.04, 0.085), ("after", 0.3373, 0.044, 0.028, 0.06)]
    svg = drawing_svg(relevance(pd.DataFrame(rows, columns=COLUMNS)))
    assert ">0 %<" in svg and svg.count(">30 %<") == 1


def test_the_gap_between_two_stairs_is_shaded() -> None:
    scores = np.array([0.0, 0.5, 1.0])
    drawn = two_distributions(scores, scores, scores**2, names=("<b>a", "b"), score="sentiment")
    assert drawn.rows["kind"].tolist() == ["<b>a"] * 3 + ["b"] * 3
    np.testing.assert_allclose(drawn.rows["share"], [0, 0.5, 1, 0, 0.25, 1])
    svg = drawing_svg(drawn, width=200)
    (area,) = re.findall(r'd="([^"]+)"[^>]* opacity="0.3"', svg)
    # Of the gap between x = 0.5 and 1 the left side reaches from 75 to 50 % of the height, 360 pixels.
    assert "100,270" in area and "100,180" in area
    assert "&lt;b&gt;a" in svg and svg.count("stroke-dasharray") >= 1


def test_a_chance_is_in_per_cent_and_its_changes_in_points() -> None:
    table = pd.DataFrame({"sentence_id": ["a"], "text": "x", "original": [0.31], "mean_abs_delta": [0.09]})
    assert score_scatter(table).rows["original"].tolist() == [0.31]
    table.attrs["unit"] = "points"
    drawn = score_scatter(table, target="Chance")
    assert drawn.rows[["original", "mean_abs_delta"]].to_numpy().tolist() == [[31, 9]]
    assert "Chance, original (%)" in drawing_svg(drawn) and "the change (points)" in drawing_svg(drawn)
