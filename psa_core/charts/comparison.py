"""Studies compared: one metric with intervals, and the names of two studies against each other."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import SIDES, Drawing, Spec, diagonal, in_rows, template, written

# Axes and legend are fitted into the height.
ROW_PIXELS, FRAME_PIXELS = 70, 84
# A written name takes about this part of the plot.
MAX_LABELS_WRITTEN, LETTERS_WIDE, LETTERS_HIGH = 4, 0.25, 0.045


def metric_intervals(table: pd.DataFrame, *, title: str) -> Drawing:
    """Draw a metric of several studies, largest first, with its intervals: distinct ``label``, ``value, low, high``."""
    rows = table[["label", "value", "low", "high"]].sort_values("value", ascending=False, kind="stable")
    return in_rows(rows, _intervals(title), rows["label"], height=ROW_PIXELS * len(rows) + FRAME_PIXELS)


@lru_cache(maxsize=32)
def _intervals(title: str) -> Spec:
    import altair as alt

    axis = alt.Axis(labelLimit=200, labelOffset=-14, labelExpr="split(datum.label, ' · ')")
    base = alt.Chart().encode(alt.Y("label:N", title=None, axis=axis))
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=6))
    tooltip = ["label:N", *(alt.Tooltip(f"{field}:Q", format=".4f") for field in ("value", "low", "high"))]
    bars = base.mark_bar(size=20, color=_theme.ACCENT, opacity=0.85).encode(x=x, x2=alt.datum(0), tooltip=tooltip)
    whiskers = base.mark_rule(color=_theme.MUTED, strokeWidth=3, aria=False).encode(x="low:Q", x2="high:Q")
    return template(alt.layer(bars, whiskers))


def name_scatter(
    table: pd.DataFrame, *, titles: tuple[str, str], selected: tuple[str, ...], labels: dict[str, str]
) -> Drawing:
    """Draw what each name does in two studies; on the diagonal it does the same in both.

    `table` is ``name, first, second``, `titles` are those of the studies, `selected` names are ringed and `labels` has
    the text that is shown for each name. Up to four names furthest from the diagonal are written out, as far as their
    letters have room. The point selection is called ``name``.
    """
    ends = table[["first", "second"]]
    low, high = float(ends.min().min()), float(ends.max().max())
    right = (table["first"] > (low + high) / 2).map({True: "left", False: "right"})
    rows = table.assign(
        label=table["name"].map(labels),
        ringed=table["name"].isin(selected),
        beside=right.where(_has_room(table, high - low), ""),
    )
    return Drawing(rows.assign(low=low, high=high), _scatter(titles))


def _has_room(table: pd.DataFrame, score_range: float) -> pd.Series:
    """Which names are written: the furthest from the diagonal, none upon the letters of another."""
    written: list[int] = []
    spots = table[["first", "second"]].to_numpy()
    for place in (table["first"] - table["second"]).abs().argsort()[::-1][:MAX_LABELS_WRITTEN]:
        across, along = abs(spots[written] - spots[place]).T / (score_range or 1.0)
        if not ((across < LETTERS_WIDE) & (along < LETTERS_HIGH)).any():
            written.append(place)
    return pd.Series(range(len(table)), table.index).isin(written)


@lru_cache(maxsize=32)
def _scatter(titles: tuple[str, str]) -> Spec:
    import altair as alt

    axis = alt.Axis(format=".0%", tickCount=7)
    x = alt.X("first:Q", title=f"{titles[0]}, mean change", axis=axis)
    y = alt.Y("second:Q", title=f"{titles[1]}, mean change", axis=axis)
    base = alt.Chart().encode(x, y)
    tooltip = ["label:N", *(alt.Tooltip(f"{field}:Q", format="+.2%") for field in ("first", "second"))]
    marks = base.mark_point(filled=True, size=80, color=_theme.ACCENT, opacity=0.85).encode(tooltip=tooltip)
    marks = marks.add_params(alt.selection_point(name="name", fields=["name"], toggle="true", clear=False))
    words = [written(base, side, size=13) for side in SIDES]
    ring = base.transform_filter(alt.datum.ringed).mark_point(
        size=300, filled=False, stroke=_theme.UP, strokeWidth=3, aria=False
    )
    return template(alt.layer(diagonal(), marks, *words, ring).properties(height=430))
