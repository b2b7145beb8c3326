"""Still figures: complete SVG, names as text, nothing that is fetched."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts.label_dist import MEAN, CurveOptions, label_dist_figure
from psa_core.charts.plotly_svg import figure_svg
from psa_core.charts.score_sens import BarOptions, name_figure, score_sens_bars


def names(count: int = 4) -> pd.DataFrame:
    effect = np.linspace(-0.05, 0.05, count)
    return pd.DataFrame(
        {
            "name": ["Ann <b>", *(f"name {i}" for i in range(1, count))],
            "career": ["actor", "leader"] * (count // 2),
            "gender": "female",
            "score_sens": effect,
            "ci_low": effect - 0.01,
            "ci_high": effect + 0.01,
            "p_adjusted": [0.001] + [0.5] * (count - 1),
        }
    )


def test_name_figure_has_every_name_with_its_group() -> None:
    drawn = name_figure(names(), BarOptions(colour_by="career", section_by="gender", axis_title="Mean change"))
    assert drawn.startswith("<svg") and "Mean change" in drawn
    assert "Ann &lt;b&gt; · actor" in drawn and "name 3 · leader" in drawn and "female · 4 names" in drawn
    assert 'aria-label="name 3 · leader: +0.050"' in drawn, "a bar is read aloud with its name"
    assert "<image" not in drawn and "href" not in drawn


def test_a_group_has_the_colour_that_it_has_on_the_page() -> None:
    rows = names(6).assign(career=["zoologist"] * 4 + ["actor"] * 2)
    options = BarOptions(colour_by="career")
    page = {trace["name"]: trace["marker"]["line"]["color"] for trace in score_sens_bars(rows, options).data[:2]}
    assert page == {"zoologist": _theme.CATEGORICAL[0], "actor": _theme.CATEGORICAL[1]}
    bars = re.findall(r'aria-roledescription="bar"[^>]* stroke="([^"]+)"', name_figure(rows, options))
    assert [bars.count(colour) for colour in page.values()] == [4, 2]


@pytest.mark.parametrize("limit", [0, 3])
def test_long_lists_say_what_they_leave_out(limit: int) -> None:
    drawn = name_figure(names(20), BarOptions(limit=limit))
    assert ("… 14 more" in drawn) == bool(limit)


def test_missing_intervals_and_p_values_still_draw() -> None:
    rows = names().assign(ci_low=np.nan, ci_high=np.nan, p_adjusted=np.nan)
    assert "name 3" in name_figure(rows, BarOptions())


def curve() -> pd.DataFrame:
    rows = pd.DataFrame({"threshold": np.linspace(-1, 1, 5), "label_dist": 0.2, "low": 0.1, "high": 0.3})
    return rows.assign(flips_up=3, flips_down=2)


def threshold_figure(table: pd.DataFrame, options: CurveOptions) -> str:
    return figure_svg(label_dist_figure(table, options))


def test_threshold_figure() -> None:
    drawn = threshold_figure(curve(), CurveOptions(0.0, target="sentiment"))
    assert "LabelDist" in drawn and "Labels changed" in drawn
    assert drawn.count(">Threshold on sentiment<") == 1, "both panels share the axis of the lower one"
    assert ">3 ↓<" in drawn and ">3 ↑<" in drawn and ">−3" not in drawn
    assert ">0.200 at 0<" in drawn


def test_what_the_page_draws_beside_the_mean_is_on_paper_too() -> None:
    curves = {"<b>Ann": np.linspace(0, 0.9, 5), "Bo": np.full(5, 0.1)}
    options = CurveOptions(0.5, 0.25, curves, "sentiment", {"Bo": "#123456"})
    drawn = threshold_figure(curve(), options)
    assert ">0.250 at 0.5<" in drawn
    legend = [text for text in re.findall(r">([^<>]+)</text>", drawn) if text in (MEAN, "Bo", "&lt;b&gt;Ann")]
    assert legend == ["&lt;b&gt;Ann", "Bo", MEAN]
    assert drawn.count('stroke="#123456"') == 2, "its line, and its mark in the legend"


def test_a_curve_without_an_interval_is_drawn() -> None:
    assert "LabelDist" in threshold_figure(curve().assign(low=np.nan, high=np.nan), CurveOptions())
