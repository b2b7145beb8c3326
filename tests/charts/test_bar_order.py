"""Every bar has a place of its own, and none is lost unsaid."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from psa_core.charts.bar_order import BarOptions, arrange


def table(count: int = 6) -> pd.DataFrame:
    genders = ["female", "male"] * (count // 2) + ["female"] * (count % 2)
    names = [f"name {i}" for i in range(count)]
    effect = np.linspace(-0.05, 0.05, count)
    return pd.DataFrame(
        {
            "name": names,
            "gender": genders,
            "score_sens": effect,
            "ci_low": effect - 0.01,
            "ci_high": effect + 0.02,
            "p_adjusted": np.linspace(0.01, 0.09, count),
        }
    )


def test_highest_name_is_on_top() -> None:
    arrangement = arrange(table(), BarOptions())
    assert arrangement.rows["name"].tolist() == [f"name {i}" for i in (5, 4, 3, 2, 1, 0)]
    assert arrangement.rows["y"].tolist() == [0, 1, 2, 3, 4, 5]
    assert arrangement.headers == () and arrangement.notes == ()


def test_sections_are_headed_and_sorted_on_their_own() -> None:
    rows = table().assign(score_sens=np.linspace(-0.05, 0.06, 6))
    arrangement = arrange(rows, BarOptions(section_by="gender"))
    assert [text for _, text in arrangement.headers] == ["male · 3 names", "female · 3 names"]
    assert arrangement.rows["name"].tolist() == ["name 5", "name 3", "name 1", "name 4", "name 2", "name 0"]
    assert arrangement.headers[1][0] > arrangement.rows["y"][2]


@given(count=st.integers(1, 60), limit=st.integers(0, 20), chosen=st.integers(0, 59))
def test_no_name_is_lost_unsaid_and_no_two_share_a_place(count: int, limit: int, chosen: int) -> None:
    options = BarOptions(limit=limit, kept=(f"name {chosen}",))
    arrangement = arrange(table(count), options)
    hidden = sum(int(text.split()[1]) for _, text in arrangement.notes)
    assert len(arrangement.rows) + hidden == count
    assert arrangement.rows["y"].is_unique and arrangement.rows["name"].is_unique
    assert chosen >= count or f"name {chosen}" in set(arrangement.rows["name"])
    assert arrangement.rows["score_sens"].is_monotonic_decreasing


def test_both_drawers_are_told_colour_mark_and_text() -> None:
    options = BarOptions(colour_by="gender", colours={"male": "#123456"}, labels={"name 0": "N••"})
    arrangement = arrange(table(), options)
    looks = arrangement.rows.set_index("name")
    assert dict(arrangement.colours) == {"male": "#123456"}
    assert looks["coloured_as"][["name 1", "name 2"]].tolist() == ["male", "other"]
    assert looks["shown"][["name 0", "name 1"]].tolist() == ["N••", "name 1"]
    assert looks["is_significant"].tolist() == [False, False, False, True, True, True]
    assert looks["mark_at"][["name 0", "name 5"]].tolist() == [-0.05 - 0.01, 0.05 + 0.02]


def test_bars_without_a_group_have_the_one_colour() -> None:
    arrangement = arrange(table(), BarOptions())
    assert set(arrangement.rows["coloured_as"]) == set(arrangement.colours) == {""}
