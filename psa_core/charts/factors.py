"""What the names' effects go with: each column's coefficient with its interval, and the factors' shares."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, by_kind, in_rows, template

#: A row has its words above its point: beside it they would leave a phone no room to draw.
ROW_PIXELS, WORDS_PIXELS, TICK_PIXELS, FRAME_PIXELS = 44, 18, 24, 178
#: In two lines, as the legend is: a phone has no room for them side by side.
TITLE = ["Standard deviations", "of the names' effects"]
KINDS = ["clearly different from zero", "could be zero"]


def coefficients(table: pd.DataFrame) -> Drawing:
    """Draw a forest plot of a `FactorAnalysis`'s ``coefficients``: a point with its 95 % interval for each factor.

    A diamond where the interval leaves out 0, a circle where it holds it.
    """
    rows = table[table["coefficient"].notna()]
    leaves_out = (rows["low"] > 0) | (rows["high"] < 0)
    rows = rows.assign(kind=leaves_out.map({True: KINDS[0], False: KINDS[1]}))
    return in_rows(rows, _forest(), rows["label"], height=ROW_PIXELS * len(rows) + FRAME_PIXELS)


def shares(table: pd.DataFrame) -> Drawing:
    """Draw the factors' shares of the variance of the names' effects: ``FactorAnalysis.shares`` of `tables.factors`."""
    rows = table.assign(percent=100 * table["share"])
    return in_rows(rows, _shares(), rows["factor"], height=ROW_PIXELS * len(rows) + 70)


@lru_cache(maxsize=1)
def _forest() -> Spec:
    import altair as alt

    base = alt.Chart().encode(alt.Y("label:N", title=None, axis=alt.Axis(labels=False)))
    words = base.mark_text(align="left", dy=-WORDS_PIXELS, fontSize=14, color=_theme.PAGE_INK, aria=False)
    x = alt.X("coefficient:Q", title=TITLE, axis=alt.Axis(format=".6~f", tickCount=6))
    zero = base.mark_tick(color=_theme.MUTED, size=TICK_PIXELS, thickness=1.5, aria=False).encode(x=alt.datum(0))
    whiskers = base.mark_rule(color=_theme.ACCENT, strokeWidth=2.5, aria=False).encode(
        x=alt.X("low:Q", title=TITLE), x2="high:Q"
    )
    legend = alt.Legend(orient="top", title="95 % interval", labelLimit=320, columns=1)
    points = base.mark_point(filled=True, size=150, opacity=1).encode(
        x,
        **by_kind("kind", KINDS, [_theme.UP, _theme.ACCENT], ["diamond", "circle"], legend),
        tooltip=[
            alt.Tooltip("label:N", title="factor"),
            alt.Tooltip("coefficient:Q", format="+.3f", title="standard deviations"),
            alt.Tooltip("low:Q", format="+.3f", title="95 % low"),
            alt.Tooltip("high:Q", format="+.3f", title="95 % high"),
            alt.Tooltip("in_score:Q", format="+.4f", title="on the score's scale"),
            alt.Tooltip("p_adjusted:Q", format=".3g", title="corrected p"),
        ],
    )
    return template(alt.layer(zero, whiskers, points, words.encode(x=alt.value(0), text="label:N")))


@lru_cache(maxsize=1)
def _shares() -> Spec:
    import altair as alt

    bars = (
        alt.Chart()
        .mark_bar(color=_theme.ACCENT, height=18)
        .encode(
            alt.Y("factor:N", title=None, axis=alt.Axis(labelLimit=220)),
            alt.X("percent:Q", title="Per cent of the names' differences", scale=alt.Scale(domain=[0, 100])),
            opacity=alt.condition("datum.is_significant", alt.value(1), alt.value(0.4)),
            tooltip=[alt.Tooltip("factor:N"), alt.Tooltip("percent:Q", format=".1f", title="per cent")],
        )
    )
    return template(alt.layer(bars))
