"""Squares can be seen and clicked, also where nothing is marked; words are escaped, and columns are narrow."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts.plotly_svg import figure_svg
from psa_core.charts.squares import DIVERGING, Block, answer_gaps, country_heat, printed_width, value_matrix

CHANGES = pd.DataFrame([[12.5, -40.0], [0.0, np.nan]], index=["France", "<i>India"], columns=["anger", "joy"])
DELTAS = pd.DataFrame([[0.51], [-0.2]], index=CHANGES.index, columns=["sentiment"])


def test_numbers_colours_and_what_a_click_says() -> None:
    figure = country_heat([Block("change", CHANGES, ["of 8", "of 5"])])
    heat, marks = figure.data
    assert [[_plain(text) for text in row] for row in heat.text] == [["+12.5", "−40.0"], ["0.0", ""]]
    assert (heat.zmin, heat.zmax) == (-40.0, 40.0)
    assert [list(item[:2]) for item in marks.customdata] == [
        ["France", "anger"],
        ["France", "joy"],
        ["<i>India", "anger"],
        ["<i>India", "joy"],
    ]
    assert list(zip(marks.x, marks.y, strict=True)) == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert "<i>India" not in figure.layout.yaxis.ticktext[1]
    assert "of 8" in figure.layout.xaxis.ticktext[0]


def test_orange_is_more_and_blue_is_less() -> None:
    (low, down), (_, _), (high, up) = DIVERGING
    assert (low, high) == (0.0, 1.0)
    assert down.startswith(_rgb(_theme.DOWN)) and up.startswith(_rgb(_theme.UP))


def test_blocks_have_scales_of_their_own_and_one_column_of_countries() -> None:
    figure = country_heat([Block("delta", DELTAS, [""], "+.2f"), Block("change", CHANGES, ["", ""])])
    heats = [trace for trace in figure.data if trace.type == "heatmap"]
    assert [heat.zmax for heat in heats] == [0.51, 40.0]
    assert _plain(heats[0].text[0][0]) == "+0.51"
    assert figure.layout.yaxis2.matches == "y"


def test_the_chosen_cell_is_framed_where_it_is() -> None:
    figure = country_heat([Block("change", CHANGES, ["", ""])], selected=("<i>India", "joy"))
    (frame,) = figure.layout.shapes
    assert frame.x0 < 1 < frame.x1 and frame.y0 < 1 < frame.y1
    assert not country_heat([Block("change", CHANGES, ["", ""])], selected=("Spain", "joy")).layout.shapes


def test_nothing_but_zeros_is_drawn_without_a_scale_of_zero() -> None:
    figure = country_heat([Block("change", CHANGES * 0, ["", ""])])
    assert figure.data[0].zmax == 1.0


def test_a_limit_cuts_colours_and_not_numbers() -> None:
    figure = country_heat([Block("change", CHANGES, ["", ""], limit=10)])
    assert figure.data[0].z.tolist()[0] == [10.0, -10.0]
    assert _plain(figure.data[0].text[0][1]) == "−40.0"


def _plain(text: str) -> str:
    return text.removeprefix('<span style="color: currentColor">').removesuffix("</span>")


def _rgb(colour: str) -> str:
    return "rgba(" + ", ".join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))


def test_on_paper_squares_hold_the_numbers_and_the_two_colours() -> None:
    blocks = [Block("Δ × 100", CHANGES, ["", ""], "+.2f"), Block("Change in %", CHANGES, ["of 8", "of 5"])]
    drawn = figure_svg(country_heat(blocks, selected=("France", "joy")), width=printed_width(blocks))
    found = re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", drawn)
    assert [found.count(text) for text in ("+12.5", "−40.0", "0.0", "+12.50", "of 8", "nan")] == [1, 1, 1, 1, 1, 0]
    assert found.count("France") == 1 and "&lt;i&gt;India" in found, "countries are named once, at the left"
    down, up = (f"{_rgb(colour)}, 0.720" for colour in (_theme.DOWN, _theme.UP))
    seven = country_heat([Block("x", pd.DataFrame({"a": [-7.0, 7.0, 0.1]}, index=list("xyz")), [""])])
    assert figure_svg(seven).count(down) == figure_svg(seven).count(up) == 1


def test_squares_say_what_is_marked_and_heads_are_wrapped_and_escaped() -> None:
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
    figure = answer_gaps(table, selected=("words", table["pair"][0]))
    heat = figure.data[0]
    assert [">+8 %<" in heat.text[0][0], ">·<" in heat.text[1][0]] == [True, True]
    assert np.array(heat.z).ravel().tolist() == [3, 0]
    (head,) = figure.layout.xaxis.ticktext
    assert "people with &lt;b&gt;X&lt;/b&gt;<br>names against people<br>with African-American<br>names" in head
    assert ["distance from the<br>answers to others" in label for label in figure.layout.yaxis.ticktext] == [
        False,
        True,
    ]
    assert figure.layout.width < 358, "one column stands beside the labels on a phone"
    assert len(figure.layout.shapes) == 1
    assert "3 points of 100 nearer: could be chance" in str(figure.data[1])


VALUES = ["baker", "nurse", "sheriff"]


@pytest.mark.parametrize("distance", [np.nan, 0.2])
def test_pairs_that_are_not_above_noise_have_a_square_and_a_point(distance: float) -> None:
    square = pd.DataFrame(np.nan, index=VALUES, columns=VALUES)
    square.loc["baker", "nurse"] = square.loc["nurse", "baker"] = distance
    heat, marks = value_matrix(square).data
    drawn = np.array(heat.z, float)
    assert np.isfinite(drawn).tolist() == (~np.eye(3, dtype=bool)).tolist()
    texts = np.array(heat.text, str)
    shown = np.char.find(texts, "·") >= 0
    assert shown.sum() == (6 if np.isnan(distance) else 4)
    assert np.nan_to_num(drawn)[shown].max() == 0
    pairs = [[a, b] for a in VALUES for b in VALUES if a != b]
    assert np.array(marks.customdata).tolist() == pairs
