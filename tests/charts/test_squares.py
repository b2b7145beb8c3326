"""Squares can be seen and clicked, also where nothing is marked; words are plain text, and columns are narrow."""

from __future__ import annotations

import re
from math import cos, radians

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts.drawing import Drawing, drawing_svg, to_png
from psa_core.charts.squares import CLICK, COLOURS, ROOM, Block, answer_gaps, country_heat, printed_width, value_matrix

CHANGES = pd.DataFrame([[12.5, -40.0], [0.0, np.nan]], index=["France", "<i>India"], columns=["anger", "joy"])
DELTAS = pd.DataFrame([[0.51], [-0.2]], index=CHANGES.index, columns=["sentiment"])


def framed(drawn: Drawing) -> list[list[str]]:
    rows = drawn.rows
    return rows.loc[rows["framed"], ["row", "column"]].to_numpy().tolist()


def texts(drawn: Drawing) -> list[str]:
    return re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", drawing_svg(drawn, width=drawn.spec.get("width", 200)))


def test_numbers_colours_and_what_a_click_says() -> None:
    drawn = country_heat([Block("change", CHANGES, ["of 8", "of 5"])])
    rows = drawn.rows
    assert rows["text"].tolist() == ["+12.5", "−40.0", "0.0", ""]
    np.testing.assert_allclose(rows["depth"], [12.5 / 40, -1, 0, np.nan])
    assert rows[["row", "column"]].to_numpy().tolist() == [
        ["France", "anger"],
        ["France", "joy"],
        ["<i>India", "anger"],
        ["<i>India", "joy"],
    ]
    assert drawn.spec["params"][0]["select"]["fields"] == CLICK["fields"] == ["row", "column"]
    assert rows["said"].tolist()[1:] == ["France: joy −40.0", "<i>India: anger 0.0", "<i>India: joy nothing to compare"]
    assert {"&lt;i&gt;India", "of 8", "change"} <= set(texts(drawn))


def test_orange_is_more_and_blue_is_less() -> None:
    down, none, up = COLOURS
    assert down.startswith(_rgb(_theme.DOWN)) and up.startswith(_rgb(_theme.UP)) and none.endswith(" 0.0)")


def test_blocks_have_scales_of_their_own_and_one_column_of_countries() -> None:
    drawn = country_heat([Block("delta", DELTAS, [""], "+.2f"), Block("change", CHANGES, ["", ""])])
    np.testing.assert_allclose(drawn.rows["depth"], [1, -0.2 / 0.51, 12.5 / 40, -1, 0, np.nan])
    assert drawn.rows["text"].iloc[0] == "+0.51"
    written = texts(drawn)
    assert written.count("France") == 1 and written.count("delta") == written.count("change") == 1


def test_two_blocks_may_have_columns_of_one_name() -> None:
    drawn = country_heat([Block("global", DELTAS, [""]), Block("local", DELTAS, [""])])
    assert drawn.rows["x"].nunique() == 2 and texts(drawn).count("sentiment") == 2


def test_the_chosen_cell_is_framed_where_it_is() -> None:
    blocks = [Block("change", CHANGES, ["", ""])]
    assert framed(country_heat(blocks, selected=("<i>India", "joy"))) == [["<i>India", "joy"]]
    assert framed(country_heat(blocks, selected=("Spain", "joy"))) == framed(country_heat(blocks)) == []


def test_nothing_but_zeros_is_drawn_without_a_scale_of_zero() -> None:
    assert country_heat([Block("change", CHANGES * 0, ["", ""])]).rows["depth"].dropna().tolist() == [0, 0, 0]


def test_a_limit_cuts_colours_and_not_numbers() -> None:
    rows = country_heat([Block("change", CHANGES, ["", ""], limit=10)]).rows
    assert rows["depth"].tolist()[:2] == [1, -1] and rows["text"].iloc[1] == "−40.0"


def test_a_number_that_could_be_chance_has_a_dot_behind_it() -> None:
    marks = pd.DataFrame([[True, False], [False, False]], index=CHANGES.index, columns=CHANGES.columns)
    assert country_heat([Block("change", CHANGES, ["", ""], marks=marks)]).rows["text"].tolist() == [
        "+12.5",
        "−40.0 ·",
        "0.0 ·",
        "",
    ]
    untested = Block("change", CHANGES, ["", ""], marks=marks[["anger"]])
    assert country_heat([untested]).rows["text"].tolist() == ["+12.5", "−40.0 ·", "0.0 ·", ""]


def _rgb(colour: str) -> str:
    return "rgba(" + ", ".join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))


def test_on_paper_squares_hold_the_numbers_and_the_two_colours() -> None:
    blocks = [Block("Δ × 100", CHANGES, ["", ""], "+.2f"), Block("Change in %", CHANGES, ["of 8", "of 5"])]
    drawn = drawing_svg(country_heat(blocks, selected=("France", "joy")), width=printed_width(blocks))
    found = re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", drawn)
    assert [found.count(text) for text in ("+12.5", "−40.0", "0.0", "+12.50", "of 8", "nan")] == [1, 1, 1, 1, 1, 0]
    assert found.count("France") == 1 and "&lt;i&gt;India" in found, "countries are named once, at the left"
    down, up = (f"{_rgb(colour)}, 0.72)" for colour in (_theme.DOWN, _theme.UP))
    seven = country_heat([Block("x", pd.DataFrame({"a": [-7.0, 7.0, 0.1]}, index=list("xyz")), [""])])
    assert drawing_svg(seven).count(down) == drawing_svg(seven).count(up) == 1


def test_squares_say_what_is_marked_and_heads_are_wrapped() -> None:
    table = pd.DataFrame(
        {
            "measure": ["words", "distance"],
            "title": ["length in words", "distance from the answers to others"],
            "pair": "people with <b>X</b> names against people with African-American names",
            "short": ["+8 %", "−3 points of 100"],
            "words": ["8 % longer", "3 points of 100 nearer"],
            "strength": [3.0, -9.0],
            "is_marked": [True, False],
        }
    )
    drawn = answer_gaps(table, selected=("words", table["pair"][0]))
    assert drawn.rows["text"].tolist() == ["+8 %", "·"] and drawn.rows["depth"].tolist() == [0.6, 0]
    written = texts(drawn)
    for line in ("people with &lt;b&gt;X&lt;/b&gt;", "with African-American", "names", "answers to others"):
        assert line in written
    assert drawn.spec["width"] + 160 < 358, "one column stands beside the labels on a phone"
    assert framed(drawn) == [["words", table["pair"][0]]]
    assert drawn.rows["said"].iloc[1] == "distance from the answers to others: 3 points of 100 nearer: could be chance"


VALUES = ["baker", "nurse", "sheriff"]


@pytest.mark.parametrize("distance", [np.nan, 0.2])
def test_pairs_that_are_not_above_noise_have_a_square_and_a_point(distance: float) -> None:
    square = pd.DataFrame(np.nan, index=VALUES, columns=VALUES)
    square.loc["baker", "nurse"] = square.loc["nurse", "baker"] = distance
    drawn = value_matrix(square, selected=("nurse", "baker"))
    rows = drawn.rows
    is_point = rows["text"] == "·"
    assert is_point.sum() == (6 if np.isnan(distance) else 4) and (rows.loc[is_point, "depth"] == 0).all()
    assert rows[["row", "column"]].to_numpy().tolist() == [[a, b] for a in VALUES for b in VALUES if a != b]
    assert framed(drawn) == [["baker", "nurse"], ["nurse", "baker"]]
    said = "baker and nurse: not above noise" if np.isnan(distance) else "baker and nurse: 0.200"
    assert rows["said"].iloc[0] == said
    assert to_png(drawing_svg(drawn)).startswith(b"\x89PNG")


def test_a_number_stands_only_where_its_square_has_room() -> None:
    square = pd.DataFrame(0.25, index=VALUES, columns=VALUES)
    texts = [layer for layer in value_matrix(square).spec["layer"] if layer["mark"]["type"] == "text"]
    (text,) = (layer["encoding"]["text"] for layer in texts)
    assert text == {"condition": {"test": ROOM, "field": "text", "type": "nominal"}, "value": ""}
    wide, narrow = (drawing_svg(value_matrix(square), width=width) for width in (300, 90))
    assert ">0.25<" in wide and ">0.25<" not in narrow


def test_a_label_of_two_lines_is_centred_on_its_row() -> None:
    table = pd.DataFrame(
        {"measure": ["words", "grade"], "title": ["length", "reading level (school grade)"], "pair": "a", "short": "+1",
         "words": "longer", "strength": 1.0, "is_marked": True}
    )  # fmt: skip
    axis = answer_gaps(table).spec["layer"][0]["encoding"]["y"]["axis"]
    assert axis["labelBaseline"]["condition"] == {"test": 'indexof(["grade"], datum.value) >= 0', "value": "bottom"}
    assert axis["labelBaseline"]["value"] == "middle"
    assert "labelBaseline" not in answer_gaps(table[:1]).spec["layer"][0]["encoding"]["y"]["axis"]


@pytest.mark.parametrize("long", [-1, -2, 0])
def test_a_turned_heading_ends_inside_of_the_picture_wherever_it_stands(long: int) -> None:
    """A letter of 14 pixels is 7 wide on average, and lies on a line that rises by 50°."""
    values = [*VALUES, "guitarist", "filmmaker"]
    values[long] = "a person of some long occupation"
    drawn = drawing_svg(value_matrix(pd.DataFrame(0.1, index=values, columns=values)), width=300)
    (left,) = re.findall(r"translate\((\d+),\d+\)", drawn)[:1]
    heads = re.findall(r"translate\((-?[\d.]+),[-\d.]+\) rotate\(310[^>]*>([^<]+)</text>", drawn)
    assert len(heads) == len(values) and sum(head.endswith("…") for _, head in heads) == 1
    ends = [int(left) + float(x) + 7 * len(head) * cos(radians(50)) for x, head in heads]
    assert max(ends) <= int(re.findall(r'width="(\d+)"', drawn)[0])
    wide = [float(x) for x in re.findall(r'rect mark" d="M([\d.]+),', drawn)]
    assert min(b - a for a, b in zip(sorted(set(wide)), sorted(set(wide))[1:], strict=False)) > 24, (
        "columns a phone can show"
    )
