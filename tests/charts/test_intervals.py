"""Charts with a row each: what is marked has another shape, and words leave a phone its plot."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from psa_core.charts.drawing import drawing_svg
from psa_core.charts.intervals import (
    LOOKS,
    MAX_NAMES,
    coefficients,
    delta_boxes,
    group_differences,
    name_changes,
    shares,
    value_dots,
)
from psa_core.tables.factors import factor_regression
from tests.pages import result_studies

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


def test_rows_are_the_coefficients_and_shapes_say_what_holds_0() -> None:
    why = factor_regression(result_studies.cube(), "toxicity", ["length", "gender"])
    drawing = coefficients(why.coefficients)
    assert drawing.rows["label"].tolist() == why.coefficients.dropna()["label"].tolist()
    holds = (drawing.rows["low"] <= 0) & (drawing.rows["high"] >= 0)
    assert (drawing.rows["kind"] == "could be zero").tolist() == holds.tolist()
    assert "<svg" in drawing_svg(drawing)
    assert shares(why.shares).rows["percent"].sum() == pytest.approx(100 * why.r_squared)


def test_long_words_leave_a_phone_its_plot() -> None:
    why = factor_regression(result_studies.cube(), "toxicity", ["length", "gender"])
    table = why.coefficients.assign(
        label=[f"country: a very long name of country {n}" for n in range(len(why.coefficients))]
    )
    found = re.match(r'<svg[^>]* width="(\d+)', drawing_svg(coefficients(table), width=300))
    assert found and int(found[1]) < 360, "the plot and what stands beside it"


def test_each_name_has_two_points_and_the_first_names_are_drawn() -> None:
    names = [f"name {number}" for number in range(MAX_NAMES + 5)]
    table = pd.DataFrame({"name": names, "before": 0.2, "after": 0.1})
    drawing = name_changes(table, labels={name: name.upper() for name in names})
    assert len(drawing.rows) == 2 * MAX_NAMES and set(drawing.rows["when"]) == {"as it was", "retrained"}
    ordered = drawing.spec["layer"][1]["encoding"]["y"]["sort"]
    assert ordered == [name.upper() for name in names[:MAX_NAMES]]


def test_the_first_and_the_last_label_stand_on_their_lines_and_points_beside_them_not_upon_them() -> None:
    spec = name_changes(pd.DataFrame({"name": ["A"], "before": 0.2, "after": 0.1}), labels={"A": "A"}).spec
    assert spec["config"]["axis"]["labelFlush"] is False
    assert spec["layer"][2]["encoding"]["x"]["scale"]["padding"] > 0


def test_a_dot_outside_the_band_of_chance_looks_otherwise() -> None:
    rows = pd.DataFrame({"value": ["<b>a", "b"], "mean": [0.5, 0.2], "low": 0.1, "high": 0.3})
    drawn = value_dots(rows, "sentiment")
    assert drawn.rows["kind"].tolist() == ["outside", "within"]
    svg = drawing_svg(drawn)
    assert (
        svg.count('aria-roledescription="bar"') == 2
        and "Mean score by sentiment (0 to 1)" in svg
        and "&lt;b&gt;a" in svg
    )
    scale = drawn.spec["layer"][0]["encoding"]["x"]["scale"]
    assert scale["padding"] >= 14 and scale["nice"] is False, "no label stands at the very end, where a phone cuts it"


def test_differences_of_a_chance_are_in_points() -> None:
    floor = {"noise_low": -0.02, "noise_high": 0.02, "above_noise": True, "p_noise": 0.01}
    ends = {"difference": 0.06, "difference_low": 0.04, "difference_high": 0.08}
    table = pd.DataFrame({"group": ["female"], "names": [4], **ends, **floor})
    assert group_differences(table).rows["difference"].tolist() == [0.06]
    table.attrs["unit"] = "points"
    drawn = group_differences(table, target="the score")
    assert drawn.rows[["difference", "difference_low", "noise_high"]].to_numpy().tolist() == [[6, 4, 2]]
    assert "Difference in the score (points)" in drawing_svg(drawn)
