"""Figure 1 of the paper: ScoreSens of each name as bars with intervals."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import (
    MAX_GROUPS,
    OTHER,
    PATTERNS,
    TICK_SIZE,
    TITLE_SIZE,
    faded,
    shown_label,
)
from psa_core.charts.bar_order import Arrangement, BarOptions, arrange

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, MARGIN_PIXELS = 25, 76
LEGEND_PIXELS, LEGEND_COLUMNS = 26, 5
LABEL_MARGIN, LETTER_PIXELS = 24, 7.7
#: Between names and bars, where the asterisk of the bar that reaches furthest to the left stands.
ASTERISK_PIXELS = 10
EFFECT_AXIS: dict[str, Any] = {"side": "top", "showgrid": True, "fixedrange": True, "automargin": False}
EFFECT_AXIS |= {"zeroline": True, "zerolinecolor": _theme.MUTED, "zerolinewidth": 1.5}
EFFECT_AXIS |= {"tickformat": ".6~f", "tickfont": {"size": TICK_SIZE}}
HOVER = (
    "<b>%{customdata[1]}</b><br>%{x:+.4f}<br>95 % interval %{customdata[2]:+.4f} to %{customdata[3]:+.4f}"
    "<br>adjusted p = %{customdata[4]:.3g}<extra></extra>"
)


def score_sens_bars(table: pd.DataFrame, options: BarOptions) -> go.Figure:
    """Draw one horizontal bar per name, sorted, with its confidence interval.

    Parameters
    ----------
    table : DataFrame
        As for `bar_order.arrange`.
    options : BarOptions

    Returns
    -------
    plotly Figure
        Each bar carries its name in ``customdata[0]``. Significant names have a full bar and an asterisk, the others a
        pale bar; groups differ by colour and by hatching. Behind each bar lies a band that nobody sees, see
        `highlight`.
    """
    import plotly.graph_objects as go

    arrangement = arrange(table, options)
    of_group = dict(tuple(arrangement.rows.groupby("coloured_as", sort=False)))
    bars = [
        _bars(of_group[value], value=value, fill=(colour, _pattern(value, index)))
        for index, (value, colour) in enumerate(arrangement.colours.items())
        if value in of_group
    ]
    traces = [*bars, _asterisks(arrangement.rows)]
    return go.Figure(data=traces, layout=_layout(arrangement, options))


def highlight(drawn: Sequence[str], names: Collection[str]) -> str:
    """Style rules that show the bands behind these names' bars and make their labels bold, in a page that has the bars.

    Drawing the bars takes a browser longer than everything else that a click asks for; so it is not done again.

    Parameters
    ----------
    drawn : sequence of str
        The names in drawing order, see `bar_order.order`.
    names : collection of str
    """
    rows = [row for row, name in enumerate(drawn) if name in names]
    bands = [f'.shape-group[data-index="{row}"] path {{opacity: 1 !important}}' for row in rows]
    return "\n".join([*bands, *(f".ytick:nth-child({row + 1}) text {{font-weight: 700 !important}}" for row in rows)])


def _pattern(value: str, index: int) -> str:
    """Groups differ by hatching as well as by colour; what is grey stays plain."""
    return "" if value == OTHER else PATTERNS[index % len(PATTERNS)]


def _bars(rows: pd.DataFrame, *, value: str, fill: tuple[str, str]) -> dict[str, Any]:
    shown = [shown_label(name, width=80) for name in rows["shown"]]
    return {
        "type": "bar",
        "x": rows["score_sens"],
        "y": rows["y"],
        "orientation": "h",
        "width": 0.7,
        "name": shown_label(value),
        "showlegend": bool(value),
        "customdata": np.column_stack([rows["name"], shown, rows["ci_low"], rows["ci_high"], rows["p_adjusted"]]),
        "hovertemplate": HOVER,
        "error_x": _whiskers(rows),
        "marker": _fill(rows["is_significant"].tolist(), *fill),
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _whiskers(rows: pd.DataFrame) -> dict[str, Any]:
    beyond = {"array": rows["ci_high"] - rows["score_sens"], "arrayminus": rows["score_sens"] - rows["ci_low"]}
    style = {"color": _theme.MUTED, "thickness": 1.3, "width": 3}
    return {"type": "data", "symmetric": False, **beyond, **style}


def _fill(is_significant: list[bool], colour: str, pattern: str) -> dict[str, Any]:
    """Full colour where sure, pale where not; the hatching tells groups apart without colour."""
    hatching = {"shape": pattern, "size": 7, "solidity": 0.28}
    return {
        "color": [colour if significant else faded(colour) for significant in is_significant],
        "line": {"color": colour, "width": 1},
        "pattern": {**hatching, "fillmode": "overlay", "fgcolor": "rgba(255, 255, 255, 0.75)"},
    }


def _asterisks(rows: pd.DataFrame) -> dict[str, Any]:
    significant = rows[rows["is_significant"]]
    is_up = (significant["score_sens"] >= 0).to_numpy()
    return {
        "type": "scatter",
        "x": significant["mark_at"],
        "y": significant["y"],
        "mode": "text",
        "text": [_theme.ink("\u2002*" if up else "*\u2002") for up in is_up],
        "textposition": ["middle right" if up else "middle left" for up in is_up],
        "textfont": {"size": 17},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _layout(arrangement: Arrangement, options: BarOptions) -> dict[str, Any]:
    rows = arrangement.rows
    groups = min(rows[options.colour_by].nunique(), MAX_GROUPS) if options.colour_by else 0
    legend_pixels = LEGEND_PIXELS * -(-groups // LEGEND_COLUMNS)
    layout = _theme.house_layout(round(MARGIN_PIXELS + ROW_PIXELS * max(6.0, arrangement.bottom)) + legend_pixels)
    place = {"xref": "container", "yref": "container", "y": 1, "yanchor": "top", "font": {"size": TICK_SIZE}}
    return layout | {
        "margin": {"l": _label_pixels(arrangement), "r": 24, "t": 60 + legend_pixels, "b": 8},
        "legend": layout["legend"] | place,
        "shapes": [_band(float(y)) for y in rows["y"]],
        "annotations": [_text(y, f"<b>{shown_label(text, width=40)}</b>") for y, text in arrangement.headers]
        + [_text(y, text) for y, text in arrangement.notes]
        + [_axis_title(options)],
        "xaxis": layout["xaxis"] | EFFECT_AXIS,
        "yaxis": layout["yaxis"]
        | {
            "range": [arrangement.bottom - 0.3, -0.8],
            "tickvals": rows["y"],
            "ticktext": [_theme.ink(shown_label(name)) for name in rows["shown"]],
            "tickfont": {"size": TICK_SIZE},
            "ticklabelstandoff": ASTERISK_PIXELS,
            "showgrid": False,
            "fixedrange": True,
            "automargin": False,
        },
    }


def _label_pixels(arrangement: Arrangement) -> int:
    """Room for the longest label; a margin that Plotly finds by itself makes it draw everything twice."""
    names = [len(html.unescape(shown_label(name))) for name in arrangement.rows["shown"]]
    beside = [len(text) for _, text in (*arrangement.headers, *arrangement.notes)]
    return round(LABEL_MARGIN + LETTER_PIXELS * max([*names, *beside], default=0))


def _axis_title(options: BarOptions) -> dict[str, Any]:
    """Above the numbers; a title of the axis itself slips beneath them where the legend has many lines."""
    place = {"x": 0.5, "xanchor": "center", "xshift": 0, "yref": "paper", "yanchor": "bottom", "yshift": 24}
    return _text(1, shown_label(options.axis_title, width=90)) | place | {"font": {"size": TITLE_SIZE}}


def _band(y: float) -> dict[str, Any]:
    across = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "layer": "below", "opacity": 0}
    return across | {"y0": y - 0.5, "y1": y + 0.5, "fillcolor": faded(_theme.MUTED, 0.25), "line": {"width": 0}}


def _text(y: float, text: str) -> dict[str, Any]:
    place = {"x": 0, "xref": "paper", "xanchor": "right", "xshift": -6 - ASTERISK_PIXELS, "y": y, "yref": "y"}
    return place | {"text": _theme.ink(text), "showarrow": False, "font": {"size": TICK_SIZE}}
