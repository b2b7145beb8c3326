"""Figures 1 and 2 of Kiritchenko & Mohammad (2018): box plots of the score differences of each system."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, filled, template

ROW_PIXELS, FRAME_PIXELS = 44, 110
#: Colour and mark of the three verdicts, in the paper's order: not significant, first side higher, second side higher.
LOOKS = ((_theme.MUTED, "●"), (_theme.UP, "▲"), (_theme.DOWN, "▼"))
#: Two lines of a label; system and target names cannot hold it.
BREAK = "\n"


def delta_boxes(deltas: pd.DataFrame, systems: pd.DataFrame, verdicts: tuple[str, ...], *, points: bool) -> Drawing:
    """Draw a box of score differences for each system, with its Δ-spread beside it.

    Parameters
    ----------
    deltas : DataFrame
        ``system, target, delta``; one row a sentence pair, differences as shares of the range.
    systems : DataFrame
        ``system, target, verdict, spread``; one row a box, drawn from top to bottom.
    verdicts : tuple of str
        The three verdicts in the paper's order; they tell the colour and the mark.
    points : bool
        A stroke for every pair; else those beyond the whiskers only. Whiskers reach 1.5 times the interquartile range.
    """
    marks = {verdict: mark for verdict, (_, mark) in zip(verdicts, LOOKS, strict=True)}
    words = {verdict: f"{mark} {verdict}" for verdict, mark in marks.items()}
    labels = systems["verdict"].map(marks) + " " + systems["system"] + BREAK + systems["target"]
    boxes = systems[["system", "target", "spread"]].assign(label=labels, verdict=systems["verdict"].map(words))
    rows = deltas[["system", "target", "delta"]].merge(boxes, on=["system", "target"]).round({"delta": 5})
    height = FRAME_PIXELS + ROW_PIXELS * len(systems)
    spec = _template(tuple(words.values()), points=points)
    return Drawing(rows, filled(spec, height=height, y_order=labels.tolist()))


@lru_cache(maxsize=8)
def _template(verdicts: tuple[str, ...], *, points: bool) -> Spec:
    import altair as alt

    axis = alt.Axis(labelExpr=f"split(datum.label, {BREAK!r})", labelLimit=260, labelOffset=-8, grid=False)
    legend = alt.Legend(orient="top", title=None, labelLimit=300, symbolOpacity=1)
    scale = alt.Scale(domain=list(verdicts), range=[colour for colour, _ in LOOKS])
    base = alt.Chart().encode(
        alt.Y("label:N", title=None, axis=axis), alt.Color("verdict:N", scale=scale, legend=legend)
    )
    x = alt.X("delta:Q", title="Δ of the score, as a share of its range", axis=alt.Axis(format="+.3~f", tickCount=8))
    zero = alt.Chart().mark_rule(color=_theme.MUTED).encode(x=alt.datum(0))
    beyond: Any = False if points else {"size": 12, "opacity": 0.45}
    edge = {"stroke": _theme.PAGE_INK, "fillOpacity": 0.25 if points else 0.75}
    median = {"color": _theme.PAGE_INK}
    box = base.mark_boxplot(extent=1.5, size=20, box=edge, ticks={"size": 14}, outliers=beyond, median=median)
    pairs = [base.mark_tick(thickness=1, size=30, opacity=0.25).encode(x)] if points else []
    return template(alt.layer(zero, *pairs, box.encode(x), *_spreads(base)).configure(aria=False))


def _spreads(base: Any) -> list[Any]:
    """Each box's Δ-spread at its right, under a heading."""
    import altair as alt

    beside: dict[str, Any] = {"align": "left", "dx": 10, "fontSize": 13}
    right, ink = alt.value("width"), alt.value(_theme.PAGE_INK)
    numbers = base.mark_text(**beside).encode(x=right, text=alt.Text("max(spread):Q", format=".3f"), color=ink)
    heading = alt.Chart().transform_aggregate(rows="count()").mark_text(baseline="bottom", dy=-6, **beside)
    return [numbers, heading.encode(x=right, y=alt.value(0), text=alt.value("Δ-spread"), color=ink)]
