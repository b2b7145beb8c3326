"""Figure 1: every name has a bar in its place, ids are stable, and user text is never a tag."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.charts._theme import MUTED, group_colours
from psa_core.charts.score_sens import BarOptions, arrange, highlight, order, score_sens_bars


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


def placed(count: int = 6) -> pd.DataFrame:
    return table(count).assign(p_adjusted=np.linspace(0.01, 0.09, count))


def test_highest_name_is_on_top() -> None:
    arrangement = arrange(placed(), BarOptions())
    assert arrangement.rows["name"].tolist() == [f"name {i}" for i in (5, 4, 3, 2, 1, 0)]
    assert arrangement.rows["y"].tolist() == [0, 1, 2, 3, 4, 5]
    assert arrangement.headers == () and arrangement.notes == ()


def test_sections_are_headed_and_sorted_on_their_own() -> None:
    rows = placed().assign(score_sens=np.linspace(-0.05, 0.06, 6))
    arrangement = arrange(rows, BarOptions(section_by="gender"))
    assert [text for _, text in arrangement.headers] == ["male · 3 names", "female · 3 names"]
    assert arrangement.rows["name"].tolist() == ["name 5", "name 3", "name 1", "name 4", "name 2", "name 0"]
    assert arrangement.headers[1][0] > arrangement.rows["y"][2]


@given(count=st.integers(1, 60), limit=st.integers(0, 20), chosen=st.integers(0, 59))
def test_no_name_is_lost_unsaid_and_no_two_share_a_place(count: int, limit: int, chosen: int) -> None:
    options = BarOptions(limit=limit, kept=(f"name {chosen}",))
    arrangement = arrange(placed(count), options)
    hidden = sum(int(text.split()[1]) for _, text in arrangement.notes)
    assert len(arrangement.rows) + hidden == count
    assert arrangement.rows["y"].is_unique and arrangement.rows["name"].is_unique
    assert chosen >= count or f"name {chosen}" in set(arrangement.rows["name"])
    assert arrangement.rows["score_sens"].is_monotonic_decreasing


def test_every_bar_has_its_colour_mark_and_text() -> None:
    options = BarOptions(colour_by="gender", colours={"male": "#123456"}, labels={"name 0": "N••"})
    arrangement = arrange(placed(), options)
    looks = arrangement.rows.set_index("name")
    assert dict(arrangement.colours) == {"male": "#123456"}
    assert looks["coloured_as"][["name 1", "name 2"]].tolist() == ["male", "other"]
    assert looks["shown"][["name 0", "name 1"]].tolist() == ["N••", "name 1"]
    assert looks["is_significant"].tolist() == [False, False, False, True, True, True]


def test_bars_without_a_group_have_the_one_colour() -> None:
    arrangement = arrange(placed(), BarOptions())
    assert set(arrangement.rows["coloured_as"]) == set(arrangement.colours) == {""}


@pytest.mark.parametrize(("reach", "ends"), [(5.0, (-1.08, 1.08)), (0.1, (-0.158, 0.158))])
def test_the_axis_ends_where_the_score_can_change_no_further(reach: float, ends: tuple[float, float]) -> None:
    rows = table().assign(
        ci_low=lambda part: part["score_sens"] - reach, ci_high=lambda part: part["score_sens"] + reach
    )
    low, high = score_sens_bars(rows, BarOptions(score_range=1.0)).layout.xaxis.range
    assert (low, high) == pytest.approx(ends, rel=0.03)
    assert low > -1.09 and high < 1.09


def test_changes_of_a_chance_are_drawn_in_points() -> None:
    rows = table()
    rows.attrs["unit"] = "points"
    given = BarOptions(score_range=0.055, band=(-0.02, 0.03))
    plain, chance = score_sens_bars(table(), given), score_sens_bars(rows, given)
    bars = [next(trace for trace in figure.data if trace.type == "bar") for figure in (plain, chance)]
    np.testing.assert_allclose(bars[1].x, 100 * np.array(bars[0].x))
    np.testing.assert_allclose(bars[1].error_x.array, 100 * np.array(bars[0].error_x.array))
    np.testing.assert_allclose(chance.layout.xaxis.range, 100 * np.array(plain.layout.xaxis.range))
    assert (chance.layout.shapes[-1].x0, chance.layout.shapes[-1].x1) == (-2, 3)
    assert "(points)" in " ".join(note.text for note in chance.layout.annotations)
    assert "%{x:+.2f} points<br>" in bars[1].hovertemplate and "%{x:+.4f}<br>" in bars[0].hovertemplate
