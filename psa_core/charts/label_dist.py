"""Figure 2 of the paper: how many labels change with the name, at every threshold, and in which direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE, TITLE_SIZE, faded, shown_label
from psa_core.charts.curves import CELLS, DISTANCE, Curve, CurveOptions

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 560
UPPER, LOWER = [0.42, 1.0], [0.0, 0.35]
# Without it the note beside the pointer begins with a tick's own words, which have the page's ink and not the note's.
HOVER_TITLE = {"text": f'<span style="color: {_theme.PAPER}">Threshold %{{x:.2f}}</span>'}


def label_dist_figure(table: pd.DataFrame, options: CurveOptions) -> go.Figure:
    """Draw LabelDist over the threshold with its interval, and the flips up and down beneath it.

    Parameters
    ----------
    table : DataFrame
        As `CurveOptions` says.
    options : CurveOptions

    Returns
    -------
    plotly Figure
        Two panels over one threshold axis. Flips up are above zero, flips down below it, so colour is not
        needed to tell them apart; further curves differ by dash as well.
    """
    import plotly.graph_objects as go

    above = [
        *([_interval(table)] if table["low"].notna().all() else []),
        *(_curve(table["threshold"], curve) for curve in options.drawn()),
        _mean_curve(table, options.mean),
    ]
    below = [
        _flips(table, column, sign=sign, colour=colour)
        for column, sign, colour in (("flips_up", 1, _theme.UP), ("flips_down", -1, _theme.DOWN))
    ]
    traces = [
        {"type": "scatter", "xaxis": "x", "yaxis": axis, **trace}
        for axis, panel in (("y", above), ("y2", below))
        for trace in panel
    ]
    return go.Figure(data=traces, layout=_layout(table, options))


def _interval(table: pd.DataFrame) -> dict[str, Any]:
    return {
        "x": np.concatenate([table["threshold"], table["threshold"][::-1]]),
        "y": np.concatenate([table["high"], table["low"][::-1]]),
        "fill": "toself",
        "fillcolor": faded(_theme.ACCENT, 0.22),
        "line": {"width": 0},
        "name": "95 % interval",
        "hoverinfo": "skip",
    }


def _mean_curve(table: pd.DataFrame, label: str) -> dict[str, Any]:
    return {
        "x": table["threshold"],
        "y": table["label_dist"],
        "mode": "lines",
        "line": {"color": _theme.ACCENT, "width": 3.5},
        "name": label,
        "hovertemplate": "LabelDist %{y:.3f}<extra></extra>",
    }


def _curve(thresholds: pd.Series, curve: Curve) -> dict[str, Any]:
    return {
        "x": thresholds,
        "y": curve.values,
        "mode": "lines",
        "line": {"color": curve.colour, "width": 2, "dash": curve.dash},
        "name": shown_label(curve.label),
        "customdata": np.full(len(thresholds), shown_label(curve.label, width=80)),
        "hovertemplate": "<b>%{customdata}</b>: LabelDist %{y:.3f}<extra></extra>",
    }


def _flips(table: pd.DataFrame, column: str, *, sign: int, colour: str) -> dict[str, Any]:
    words = "gain the label (up)" if sign > 0 else "lose the label (down)"
    return {
        "x": table["threshold"],
        "y": sign * table[column],
        "customdata": table[column],
        "mode": "lines",
        "fill": "tozeroy",
        "fillcolor": faded(colour, 0.45),
        "line": {"color": colour, "width": 1.5},
        "name": f"Cells that {words}",
        "hovertemplate": "%{customdata:,} cells " + words + "<extra></extra>",
    }


def _marks(table: pd.DataFrame, options: CurveOptions) -> dict[str, list[dict[str, Any]]]:
    """An upright line at the chosen threshold, with its LabelDist beside it on the side with more room."""
    if options.threshold is None:
        return {}
    at = options.threshold
    line = {"type": "line", "x0": at, "x1": at, "xref": "x", "y0": 0, "y1": 1}
    line |= {"line": {"color": _theme.MUTED, "width": 2.5, "dash": "dash"}}
    is_left = at > table["threshold"].iloc[[0, -1]].mean()
    words = f"<b>{options.value_at(table, at):.3f}</b> at {at:g}"
    note = {"x": at, "xanchor": "right" if is_left else "left", "xshift": -6 if is_left else 6, "y": 1.0}
    note |= {"yref": "y domain", "yanchor": "top", "text": _theme.ink(words), "showarrow": False}
    shapes = [line | {"yref": f"{axis} domain"} for axis in ("y", "y2")]
    return {"shapes": shapes, "annotations": [note | {"font": {"size": TITLE_SIZE}}]}


def _layout(table: pd.DataFrame, options: CurveOptions) -> dict[str, Any]:
    layout = _theme.house_layout(HEIGHT)
    highest = int(max(1, table["flips_up"].max(), table["flips_down"].max()))
    return layout | {
        "margin": {"l": 8, "r": 16, "t": 36, "b": 52},
        "hovermode": "x unified",
        # At the head of the figure: one that stands on the panel is at times put a line too low, across the curves.
        "legend": layout["legend"] | {"font": {"size": TICK_SIZE}, "yref": "container", "y": 1, "yanchor": "top"},
        # One threshold axis serves both panels, at the foot of the lower one.
        "xaxis": _axis(shown_label(options.axis_title, width=41))
        | {"anchor": "y2", "unifiedhovertitle": HOVER_TITLE, "range": list(table["threshold"].iloc[[0, -1]])},
        "yaxis": _axis(DISTANCE) | {"domain": UPPER, "range": [0, options.top(table)]},
        "yaxis2": _axis(CELLS)
        | {
            "domain": LOWER,
            "range": [-1.08 * highest, 1.08 * highest],
            "tickvals": [-highest, 0, highest],
            "ticktext": [_theme.ink(text) for text in (f"{highest:,} ↓", "0", f"{highest:,} ↑")],
            "zeroline": True,
            "zerolinecolor": _theme.MUTED,
        },
        **_marks(table, options),
    }


def _axis(title: str) -> dict[str, Any]:
    words = {"text": _theme.ink(title), "font": {"size": TITLE_SIZE}}
    return _theme.AXIS | {"title": words, "fixedrange": True, "tickfont": {"size": TICK_SIZE}}
