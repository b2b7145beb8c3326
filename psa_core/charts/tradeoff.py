"""What a retraining gains against what it costs, strength by strength."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, template

HEIGHT = 340


def trade_off(table: pd.DataFrame, *, chosen: float, cost: str) -> Drawing:
    """Draw sensitivity against cost, one point a strength, in the order of the strengths.

    Parameters
    ----------
    table : DataFrame
        ``strength``, ``cost``, ``score_dev``, and the bounds ``low`` and ``high`` of the latter (equal to it where
        there is no interval); strength 0 is the classifier as it was.
    chosen : float
        The strength that a person picked.
    cost : str
        What the horizontal axis is.
    """
    rows = table.sort_values("strength").assign(
        label=[f"{strength:g}" if strength else "as it was" for strength in sorted(table["strength"])],
    )
    return Drawing(rows.assign(picked=rows["strength"] == chosen), _spec(cost))


@lru_cache(maxsize=8)
def _spec(cost: str) -> Spec:
    import altair as alt

    base = alt.Chart().encode(
        alt.X("cost:Q", title=cost, axis=alt.Axis(tickCount=6), scale=alt.Scale(zero=False)),
        alt.Y("score_dev:Q", title="ScoreDev on held-out names", scale=alt.Scale(zero=True)),
    )
    line = base.mark_line(color=_theme.MUTED, strokeWidth=2).encode(order="strength:Q")
    bounds = base.mark_rule(color=_theme.MUTED, strokeWidth=2).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    colours = alt.Scale(domain=[True, False], range=[_theme.UP, _theme.ACCENT])
    points = base.mark_point(filled=True, size=130, opacity=1).encode(
        color=alt.Color("picked:N", scale=colours, legend=None),
        tooltip=["label:N", alt.Tooltip("score_dev:Q", format=".4f"), alt.Tooltip("cost:Q", format=".4f")],
    )
    words = base.mark_text(align="left", dx=11, dy=-9, fontSize=14, color=_theme.PAGE_INK).encode(text="label:N")
    return template(alt.layer(line, bounds, points, words).properties(height=HEIGHT))
