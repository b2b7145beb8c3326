"""Figures 1 and 2 of Kiritchenko & Mohammad (2018): box plots of the score differences of each system."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, in_rows, template

ROW_PIXELS, FRAME_PIXELS = 64, 146
AXIS_TITLE = "Δ of the score, as a share of its range"
#: Colour and mark of the three verdicts, in the paper's order: not significant, first side higher, second side higher.
LOOKS = ((_theme.MUTED, "●"), (_theme.UP, "▲"), (_theme.DOWN, "▼"))
#: Between the lines of a label; system and target names cannot hold it.
BREAK = "\n"


def delta_boxes(deltas: pd.DataFrame, systems: pd.DataFrame, verdicts: tuple[str, ...], *, points: bool) -> Drawing:
    """Draw a box of score differences for each system, with its Δ-spread beneath its name.

    `deltas` has ``system, target, delta``, one row a sentence pair, differences as shares of the range; `systems` one
    row a box from top to bottom, ``system, target, verdict, spread``. The three `verdicts`, in the paper's order, tell
    colour and mark; another one is a `ValueError`. With `points` every pair has a stroke, else only those beyond the
    whiskers, which reach 1.5 times the interquartile range.
    """
    if unknown := set(systems["verdict"]) - set(verdicts):
        raise ValueError(f"{sorted(unknown)} not in {verdicts}")
    marks = systems["verdict"].map({verdict: mark for verdict, (_, mark) in zip(verdicts, LOOKS, strict=True)})
    spreads = systems["spread"].map("{:.3f}".format)
    boxes = systems[["system", "target"]].assign(
        label=marks + " " + systems["system"] + BREAK + systems["target"] + BREAK + "Δ-spread " + spreads,
        verdict=marks + " " + systems["verdict"],
    )
    rows = deltas[["system", "target", "delta"]].merge(boxes, on=["system", "target"]).round({"delta": 5})
    return in_rows(rows, _spec(verdicts, points), boxes["label"], height=FRAME_PIXELS + ROW_PIXELS * len(systems))


@lru_cache(maxsize=16)
def _spec(verdicts: tuple[str, ...], points: bool) -> Spec:
    import altair as alt

    words = [f"{mark} {verdict}" for verdict, (_, mark) in zip(verdicts, LOOKS, strict=True)]
    # Labels stand on the middle of their three lines.
    axis = alt.Axis(labelExpr=f"split(datum.label, {BREAK!r})", labelLimit=260, labelFontSize=13, labelOffset=-16)
    legend = alt.Legend(orient="top", title=None, labelLimit=300, symbolOpacity=1, columns=1)  # as a phone needs
    scale = alt.Scale(domain=words, range=[colour for colour, _ in LOOKS])
    base = alt.Chart().encode(
        alt.Y("label:N", title=None, axis=axis), alt.Color("verdict:N", scale=scale, legend=legend)
    )
    x = alt.X("delta:Q", title=AXIS_TITLE, axis=alt.Axis(format=".6~f", tickCount=8))
    zero = alt.Chart().mark_rule(color=_theme.MUTED).encode(x=alt.datum(0))
    outliers: Any = False if points else {"size": 12, "opacity": 0.45}
    edge, median = {"stroke": _theme.PAGE_INK, "fillOpacity": 0.25 if points else 0.75}, {"color": _theme.PAGE_INK}
    whisker: dict[str, Any] = {"color": _theme.MUTED}
    looks = {"box": edge, "ticks": {"size": 14, **whisker}, "rule": whisker, "outliers": outliers, "median": median}
    box = base.mark_boxplot(extent=1.5, size=20, **looks)
    pairs = [base.mark_tick(thickness=1, size=30, opacity=0.25).encode(x)] if points else []
    return template(alt.layer(zero, *pairs, box.encode(x)).configure(aria=False))
