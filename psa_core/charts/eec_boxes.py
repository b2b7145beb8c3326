"""Figures 1 and 2 of Kiritchenko & Mohammad (2018): box plots of the score differences of each system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE, TITLE_SIZE, faded, shown_label

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, FRAME_PIXELS, MAX_TICKS = 58, 118, 8
AXIS_TITLE, SPREAD_TITLE = "Δ of the score, as a share of its range", "Δ-spread"
#: Colour and mark of the three verdicts, in the paper's order: not significant, first side higher, second side higher.
LOOKS = ((_theme.MUTED, "circle", "●"), (_theme.UP, "triangle-up", "▲"), (_theme.DOWN, "triangle-down", "▼"))


def delta_boxes(deltas: pd.DataFrame, systems: pd.DataFrame, verdicts: tuple[str, ...], *, points: bool) -> go.Figure:
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
        Show every pair; else those beyond the whiskers only. Whiskers reach 1.5 times the interquartile range.
    """
    import plotly.graph_objects as go

    drawn = _theme.figure(FRAME_PIXELS + ROW_PIXELS * len(systems), showlegend=True)
    by_system = dict(tuple(deltas.groupby(["system", "target"], sort=False)["delta"]))
    for position, row in enumerate(systems.itertuples(index=False)):
        delta = by_system[row.system, row.target].round(5)
        drawn.add_trace(_box(delta, position, LOOKS[verdicts.index(row.verdict)], points))
    for verdict, (colour, symbol, _) in zip(verdicts, LOOKS, strict=True):
        if verdict in set(systems["verdict"]):
            marker = {"color": colour, "symbol": symbol, "size": 11}
            drawn.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=shown_label(verdict)))
    _lay_out(drawn, systems, verdicts)
    return drawn


def _box(delta: pd.Series, position: int, look: tuple[str, str, str], points: bool) -> go.Box:
    import plotly.graph_objects as go

    colour, symbol, _ = look
    return go.Box(
        x=delta,
        y=[position] * len(delta),
        orientation="h",
        width=0.5,
        boxpoints="all" if points else "outliers",
        jitter=0.6,
        pointpos=0,
        marker={"color": faded(colour, 0.55), "symbol": symbol, "size": 6},
        line={"color": colour, "width": 2},
        fillcolor=faded(_theme.MUTED, 0.22),
        showlegend=False,
        hovertemplate="Δ %{x:+.3f}<extra></extra>",
    )


def _lay_out(drawn: go.Figure, systems: pd.DataFrame, verdicts: tuple[str, ...]) -> None:
    marks = [LOOKS[verdicts.index(verdict)][2] for verdict in systems["verdict"]]
    labels = [
        _theme.ink(f"{mark} {shown_label(row.system, width=30)}<br><b>{shown_label(row.target)}</b>")
        for mark, row in zip(marks, systems.itertuples(index=False), strict=True)
    ]
    rows = list(range(len(systems)))
    drawn.update_yaxes(tickvals=rows, ticktext=labels, range=[len(rows) - 0.4, -0.75], showgrid=False)
    drawn.update_yaxes(tickfont_size=TICK_SIZE, fixedrange=True)
    drawn.update_xaxes(
        title={"text": _theme.ink(AXIS_TITLE), "font": {"size": TITLE_SIZE}},
        tickformat=".6~f",
        tickangle=0,
        nticks=MAX_TICKS,
        tickfont_size=TICK_SIZE,
        zeroline=True,
        zerolinecolor=_theme.MUTED,
        zerolinewidth=1.5,
        fixedrange=True,
    )
    spreads = [_beside(position, f"{spread:.3f}") for position, spread in enumerate(systems["spread"])]
    header = _beside(-0.55, SPREAD_TITLE)
    drawn.update_layout(legend_font_size=TICK_SIZE)
    drawn.update_layout(annotations=[header, *spreads], margin={"r": 84, "t": 40, "b": 56}, boxmode="overlay")


def _beside(y: float, text: str) -> dict[str, Any]:
    place = {"x": 1.005, "xref": "paper", "xanchor": "left", "y": y, "yref": "y", "showarrow": False}
    return place | {"text": _theme.ink(text), "font": {"size": TICK_SIZE}}
