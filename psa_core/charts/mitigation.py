"""Before and after averaging over names: what becomes of each name's effect, and what the number of names costs."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, template

KINDS = ["Change of the original score", "Dependence on the list of names"]
HEIGHT = 360


def averaging_curves(table: pd.DataFrame, *, chosen: int) -> Drawing:
    """Draw what averaging over more names loses and what it gains.

    Parameters
    ----------
    table : DataFrame
        As made by `mitigate.averaging_table`.
    chosen : int
        Number of names to mark.
    """
    columns = dict(zip(["score_change", "list_dependence"], KINDS, strict=True))
    rows = table[["names", *columns]].rename(columns=columns).melt("names", var_name="kind", value_name="size")
    return Drawing(rows.assign(chosen=chosen), _curves())


@lru_cache(maxsize=1)
def _curves() -> Spec:
    import altair as alt

    legend = alt.Legend(orient="top", title=None, labelLimit=300, columns=1, symbolType="stroke", symbolSize=400)
    colours = alt.Scale(domain=KINDS, range=[_theme.UP, _theme.ACCENT])
    dashes = alt.Scale(domain=KINDS, range=[[1, 0], [7, 4]])
    steps = alt.Axis(values=[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], grid=False, format="d")
    x = alt.X("names:Q", title="Names averaged over", scale=alt.Scale(type="log", nice=False), axis=steps)
    base = alt.Chart().encode(x, alt.Y("size:Q", title="On the scale of the score"))
    lines = base.mark_line(strokeWidth=3, point={"size": 70}).encode(
        color=alt.Color("kind:N", scale=colours, legend=legend),
        strokeDash=alt.StrokeDash("kind:N", scale=dashes, legend=legend),
        tooltip=["kind:N", "names:Q", alt.Tooltip("size:Q", format=".4f")],
    )
    mark = alt.Chart().mark_rule(color=_theme.MUTED, strokeWidth=2, strokeDash=[5, 4], aria=False)
    mark = mark.encode(x="mean(chosen):Q")
    return template(alt.layer(mark, lines).properties(height=HEIGHT))


def original_scores(table: pd.DataFrame, *, target: str) -> Drawing:
    """Draw the score of each original sentence before and after.

    Parameters
    ----------
    table : DataFrame
        ``before``, ``after``, ``text``, ``changed`` (whether the label is another one).
    """
    kinds = table["changed"].map({True: "label changes", False: "label stays"})
    rows = table[["before", "after"]].assign(text=table["text"].str.slice(0, 120), kind=kinds)
    low, high = float(rows[["before", "after"]].min().min()), float(rows[["before", "after"]].max().max())
    return Drawing(rows.assign(low=low, high=high), _originals(target))


@lru_cache(maxsize=32)
def _originals(target: str) -> Spec:
    import altair as alt

    kinds = ["label changes", "label stays"]
    legend = alt.Legend(orient="top", title=None)
    axis = alt.Axis(tickCount=6)
    base = alt.Chart().encode(
        alt.X("before:Q", title=f"{target} as it was", axis=axis),
        alt.Y("after:Q", title=f"{target} averaged over names", axis=axis),
    )
    diagonal = alt.Chart().mark_rule(color=_theme.MUTED, strokeDash=[6, 4], aria=False)
    diagonal = diagonal.encode(x="min(low):Q", x2="max(high):Q", y="min(low):Q", y2="max(high):Q")
    marks = base.mark_point(filled=True, size=52, opacity=0.75).encode(
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[_theme.UP, _theme.ACCENT]), legend=legend),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["square", "circle"]), legend=legend),
        tooltip=["text:N", alt.Tooltip("before:Q", format=".3f"), alt.Tooltip("after:Q", format=".3f")],
    )
    return template(alt.layer(diagonal, marks).properties(height=HEIGHT))
