"""Figure 1: every name has a bar in its place, ids are stable, and user text is never a tag."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core.charts._figure import group_colours
from psa_core.charts._theme import MUTED
from psa_core.charts.bar_order import BarOptions, order
from psa_core.charts.score_sens import highlight, score_sens_bars


def table(count: int = 6) -> pd.DataFrame:
    effect = np.linspace(-0.05, 0.05, count)
    return pd.DataFrame(
        {
            "name": [f"name {i}" for i in range(count)],
            "gender": ["female", "male"] * (count // 2) + ["female"] * (count % 2),
            "score_sens": effect,
            "ci_low": effect - 0.01,
            "ci_high": effect + 0.01,
            "p_adjusted": [0.001] + [0.5] * (count - 1),
        }
    )


def test_long_labels_have_room() -> None:
    long = table().assign(name=["W" * 28, *(f"name {i}" for i in range(1, 6))])
    widths = [score_sens_bars(rows, BarOptions()).layout.margin.l for rows in (table(), long)]
    assert widths[0] < 80 and widths[1] > 28 * 7


def test_how_many_names_are_left_out_has_room_beside_short_names() -> None:
    short = table(count=2000).assign(name=[f"{i}" for i in range(2000)])
    figure = score_sens_bars(short, BarOptions(limit=2))
    assert any("1,996 more" in note.text for note in figure.layout.annotations)
    assert figure.layout.margin.l > 11 * 7


def test_bars_carry_ids_intervals_and_marks() -> None:
    figure = score_sens_bars(table(), BarOptions(colour_by="gender", labels={"name 1": "N••"}))
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [bar.name for bar in bars] == ["female", "male"]
    assert {bar.marker.pattern.shape for bar in bars} == {"", "/"}
    assert [row[0] for row in bars[0].customdata] == ["name 4", "name 2", "name 0"]
    np.testing.assert_allclose(bars[0].error_x.array, 0.01)
    marks = next(trace for trace in figure.data if trace.type == "scatter")
    assert len(marks.y) == 1 and "*" in marks.text[0]
    assert any("N••" in tick for tick in figure.layout.yaxis.ticktext)


def test_the_band_and_the_label_of_a_name_are_found_by_their_place() -> None:
    options = BarOptions(colour_by="gender")
    figure, rules = score_sens_bars(table(), options), highlight(order(table(), options), ["name 1", "nobody"])
    place = next(i for i, tick in enumerate(figure.layout.yaxis.ticktext) if "name 1" in tick)
    band = figure.layout.shapes[place]
    assert band.y0 < figure.layout.yaxis.tickvals[place] < band.y1 and band.opacity == 0
    assert rules.splitlines() == [
        f'.shape-group[data-index="{place}"] path {{opacity: 1 !important}}',
        f".ytick:nth-child({place + 1}) text {{font-weight: 700 !important}}",
    ]


def test_significant_bars_are_full_and_others_pale() -> None:
    bar = next(trace for trace in score_sens_bars(table(), BarOptions()).data if trace.type == "bar")
    colours = dict(zip([row[0] for row in bar.customdata], bar.marker.color, strict=True))
    assert colours["name 0"].startswith("#") and colours["name 1"].startswith("rgba")


def test_names_are_no_tags() -> None:
    rows = table().assign(name=["<b>Ann</b><img src=x>"] + [f"n{i}" for i in range(5)], gender="<i>g</i>")
    drawn = score_sens_bars(rows, BarOptions(colour_by="gender", section_by="gender")).to_json()
    assert "<img" not in drawn.replace('["<b>Ann</b><img src=x>"', "")
    assert "<i>g" not in drawn


def test_missing_intervals_still_draw() -> None:
    rows = table().assign(ci_low=np.nan, ci_high=np.nan, p_adjusted=np.nan)
    assert len(score_sens_bars(rows, BarOptions()).data[0].x) == 6


def test_of_many_groups_the_largest_have_colours_and_the_rest_is_plain_grey() -> None:
    careers = [f"career {min(i, 9)}" for i in range(12)]  # the last of ten has three names
    rows = table(12).assign(career=careers)
    bars = [bar for bar in score_sens_bars(rows, BarOptions(colour_by="career")).data if bar.type == "bar"]
    assert [bar.name for bar in bars] == ["career 9", "career 0", "career 1", "career 2", "career 3", "other"]
    assert bars[-1].marker.line.color == MUTED and bars[-1].marker.pattern.shape == ""
    assert len(bars[-1].x) == 5 and sum(len(bar.x) for bar in bars) == 12


def test_a_group_keeps_its_colour_where_only_some_names_are_shown() -> None:
    colours = group_colours(table()["gender"])
    found = table()[table()["gender"] == "male"]
    bars = score_sens_bars(found, BarOptions(colour_by="gender", colours=colours)).data
    assert bars[0].marker.line.color == colours["male"] != colours["female"]
