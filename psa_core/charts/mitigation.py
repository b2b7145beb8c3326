"""A model before and after averaging over names or retraining: what it gains, what it costs, name by name."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, by_kind, diagonal, in_rows, template

KINDS = ["Change of the original score", "Dependence on the list of names"]
LABELS = {True: "label changes", False: "label stays"}
HEIGHT = 360
ROW_PIXELS, FRAME_PIXELS, MAX_NAMES = 30, 130, 20
WHENS = ("as it was", "retrained")


def averaging_curves(table: pd.DataFrame, *, chosen: int) -> Drawing:
    """Draw what averaging over more names loses and gains, by `mitigate.averaging_table`, and mark a chosen number."""
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
    """Draw each original sentence's score before and after: ``before, after, text``, and if its label ``changed``."""
    rows = table[["before", "after"]].assign(text=table["text"].str.slice(0, 120), kind=table["changed"].map(LABELS))
    low, high = float(rows[["before", "after"]].min().min()), float(rows[["before", "after"]].max().max())
    return Drawing(rows.assign(low=low, high=high), _originals(target))


@lru_cache(maxsize=32)
def _originals(target: str) -> Spec:
    import altair as alt

    axis = alt.Axis(tickCount=6)
    base = alt.Chart().encode(
        alt.X("before:Q", title=f"{target} as it was", axis=axis),
        alt.Y("after:Q", title=f"{target} averaged over names", axis=axis),
    )
    legend, colours = alt.Legend(orient="top", title=None), [_theme.UP, _theme.ACCENT]
    marks = base.mark_point(filled=True, size=52, opacity=0.75).encode(
        **by_kind("kind", list(LABELS.values()), colours, ["square", "circle"], legend),
        tooltip=["text:N", alt.Tooltip("before:Q", format=".3f"), alt.Tooltip("after:Q", format=".3f")],
    )
    return template(alt.layer(diagonal(), marks).properties(height=HEIGHT))


def name_changes(table: pd.DataFrame, *, labels: dict[str, str]) -> Drawing:
    """Draw each name's effect before and after, on one line, for the first 20 rows of ``name, before, after``."""
    shown = table.head(MAX_NAMES)
    rows = shown.assign(label=shown["name"].map(labels))
    ends = zip(WHENS, ("before", "after"), strict=True)
    long = pd.concat([rows.assign(when=words, effect=rows[column]) for words, column in ends])
    return in_rows(long, _name_changes(), rows["label"], height=ROW_PIXELS * len(rows) + FRAME_PIXELS)


@lru_cache(maxsize=1)
def _name_changes() -> Spec:
    import altair as alt

    base = alt.Chart().encode(alt.Y("label:N", title=None, axis=alt.Axis(labelLimit=200, labelOverlap=False)))
    axis, room = alt.Axis(format=".6~f", tickCount=6), alt.Scale(padding=12)
    legend = alt.Legend(title=None, orient="top")
    x = alt.X("effect:Q", title="Effect against the other names", axis=axis, scale=room)
    lines = base.mark_rule(color=_theme.MUTED, strokeWidth=2, aria=False).encode(x="before:Q", x2="after:Q")
    zero = alt.Chart().mark_rule(color=_theme.MUTED, strokeDash=[6, 4], aria=False).encode(x=alt.datum(0))
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x,
        **by_kind("when", WHENS, [_theme.MUTED, _theme.ACCENT], ["circle", "diamond"], legend),
        tooltip=["label:N", "when:N", alt.Tooltip("effect:Q", format="+.4f")],
    )
    return template(alt.layer(zero, lines, points))


def trade_off(table: pd.DataFrame, *, chosen: float, cost: str) -> Drawing:
    """Draw sensitivity against cost, one point a strength, in the order of the strengths; the chosen one is marked.

    `table` is ``strength, cost, score_dev`` and the latter's bounds ``low, high`` (equal to it where there is no
    interval); strength 0 is the classifier as it was. `cost` says what the horizontal axis is.
    """
    rows = table.sort_values("strength").assign(
        label=[f"{strength:g}" if strength else "as it was" for strength in sorted(table["strength"])],
    )
    return Drawing(rows.assign(picked=rows["strength"] == chosen), _trade_off(cost))


@lru_cache(maxsize=8)
def _trade_off(cost: str) -> Spec:
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
