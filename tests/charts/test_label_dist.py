"""Figure 2: two panels over one axis, the threshold through both, direction by position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.charts.plotly_svg import figure_svg


def table(low: float = 0.1) -> pd.DataFrame:
    thresholds = np.linspace(0, 1, 11)
    return pd.DataFrame(
        {
            "threshold": thresholds,
            "label_dist": thresholds / 2,
            "low": thresholds / 2 - low,
            "high": thresholds / 2 + low,
            "flips_up": np.arange(11),
            "flips_down": 2 * np.arange(11),
        }
    )


def test_curve_flips_and_interval() -> None:
    figure = label_dist_figure(table(), CurveOptions(threshold=0.25, target="toxicity"))
    by_name = {trace.name: trace for trace in figure.data}
    np.testing.assert_allclose(by_name["Mean over names"].y, table()["label_dist"])
    np.testing.assert_array_equal(by_name["Labels that appear (up)"].y, np.arange(11))
    np.testing.assert_array_equal(by_name["Labels that disappear (down)"].y, -2 * np.arange(11))
    assert len(by_name["95 % interval"].x) == 22
    assert {trace.xaxis for trace in figure.data} == {"x"}, "one threshold axis under both panels"
    assert {trace.yaxis for trace in figure.data} == {"y", "y2"}
    lines = [shape.x0 for shape in figure.layout.shapes]
    assert lines == [0.25, 0.25]
    words = " ".join(note.text for note in figure.layout.annotations)
    assert "0.100" in words and "toxicity" in figure.layout.xaxis.title.text


@pytest.mark.parametrize(("threshold", "anchor", "shift"), [(0.1, "left", 6), (0.9, "right", -6)])
def test_words_stand_inside_of_the_figure(threshold: float, anchor: str, shift: int) -> None:
    (note,) = label_dist_figure(table(), CurveOptions(threshold=threshold)).layout.annotations
    assert (note.xanchor, note.xshift) == (anchor, shift)


def test_without_interval_or_threshold() -> None:
    rows = table().assign(low=np.nan, high=np.nan)
    figure = label_dist_figure(rows, CurveOptions())
    assert next(trace.name for trace in figure.data) == "Mean over names"
    assert next(trace.name for trace in label_dist_figure(rows, CurveOptions(mean="after")).data) == "after"
    assert not figure.layout.shapes


def test_further_curves_differ_by_dash_and_are_escaped() -> None:
    curves = {"<b>Ann</b>": np.zeros(11), "Bo": np.ones(11)}
    figure = label_dist_figure(table(), CurveOptions(curves=curves))
    lines = [trace for trace in figure.data if trace.name in ("&lt;b&gt;Ann&lt;/b&gt;", "Bo")]
    assert len(lines) == 2 and len({line.line.dash for line in lines}) == 2
    assert figure.layout.yaxis.range[1] >= 1


def test_no_flips_at_all() -> None:
    figure = label_dist_figure(table().assign(flips_up=0, flips_down=0, label_dist=0.0), CurveOptions(threshold=0.5))
    assert figure.layout.yaxis2.range[1] > 0


def test_the_threshold_of_a_chance_is_in_per_cent_on_screen_and_paper() -> None:
    rows = table()
    rows.attrs["unit"] = "points"
    figure = label_dist_figure(rows, CurveOptions(threshold=0.25))
    assert figure.layout.xaxis.range == (0, 100) and {shape.x0 for shape in figure.layout.shapes} == {25}
    assert "at 25 %" in figure.layout.annotations[0].text
    assert ">20 %<" in figure_svg(figure) and ">0.2<" in figure_svg(label_dist_figure(table(), CurveOptions()))
