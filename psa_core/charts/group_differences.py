"""Differences between groups of names, with those of random groups."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, by_kind, in_rows, template

# Axes and legend are fitted into the height.
ROW_PIXELS, FRAME_PIXELS = 46, 144
KINDS = ["outside", "within"]


def group_differences(table: pd.DataFrame, *, target: str = "", title: str = "") -> Drawing:
    """Draw the differences of a `tables.group_table` with their intervals, over the noise floor.

    A wide grey band per group is the noise floor; a point with whiskers is the difference. A diamond lies outside its
    band, a circle inside. `title` is the axis's, where it is no difference in a target.
    """
    inside = ~table["above_noise"].astype(bool)
    rows = table.assign(
        shown=table["group"].astype(str).str.replace("*", " × ") + " (" + table["names"].astype(str) + ")",
        kind=inside.map(dict(zip([False, True], KINDS, strict=True))),
    ).sort_values("difference", ascending=False, kind="stable")
    spec = _template(title or f"Difference in {target}")
    return in_rows(rows, spec, rows["shown"], height=ROW_PIXELS * len(rows) + FRAME_PIXELS)


@lru_cache(maxsize=32)
def _template(title: str) -> Spec:
    import altair as alt

    base = alt.Chart().encode(alt.Y("shown:N", title=None, axis=alt.Axis(labelLimit=220)))
    axis = alt.Axis(format=".6~f", tickCount=8)
    x = alt.X("noise_low:Q", title=title, axis=axis)
    band = base.mark_bar(color=_theme.MUTED, opacity=0.32, size=24).encode(x, x2="noise_high:Q")
    whiskers = base.mark_rule(color=_theme.ACCENT, strokeWidth=2.5, aria=False)
    whiskers = whiskers.encode(x="difference_low:Q", x2="difference_high:Q")
    zero = alt.Chart().mark_rule(color=_theme.MUTED, strokeWidth=1.5, aria=False).encode(x=alt.datum(0))
    legend = alt.Legend(orient="top", title="Noise floor (grey)", labelLimit=320, columns=1)
    points = base.mark_point(filled=True, size=170, opacity=1).encode(
        x="difference:Q",
        **by_kind("kind", KINDS, [_theme.UP, _theme.ACCENT], ["diamond", "circle"], legend),
        tooltip=[
            alt.Tooltip("shown:N", title="group"),
            alt.Tooltip("difference:Q", format="+.4f"),
            alt.Tooltip("difference_low:Q", format="+.4f", title="95 % low"),
            alt.Tooltip("difference_high:Q", format="+.4f", title="95 % high"),
            alt.Tooltip("p_noise:Q", format=".3f", title="share of random groups as different"),
        ],
    )
    return template(alt.layer(band, zero, whiskers, points))
