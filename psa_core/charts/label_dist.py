"""Figure 2 of the paper: how many labels change with the name, at every threshold, and in which direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import TICK_SIZE, TITLE_SIZE, faded, shown_label
from psa_core.cube import in_unit, scale_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

MEAN, HEIGHT = "Mean over names", 560
UPPER, LOWER = [0.42, 1.0], [0.0, 0.35]
DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")
# Without it the note beside the pointer begins with a tick's own words, which have the page's ink and not the note's.
HOVER_TITLE = f'<span style="color: {_theme.PAPER}">Threshold {{}}</span>'


@dataclass(frozen=True, eq=False)
class CurveOptions:
    """What the mean curve is called, and what is drawn beside it.

    The chosen `threshold` is a line through both panels; `value` is LabelDist at exactly it, by default the nearest
    row's. `curves` has LabelDist values at the table's thresholds by label (a name, a group), `colours` their lines'
    colours. `target` is whose threshold the axis shows.
    """

    threshold: float | None = None
    value: float | None = None
    curves: Mapping[str, np.ndarray] = field(default_factory=dict)
    target: str = "score"
    colours: Mapping[str, str] = field(default_factory=dict)
    mean: str = MEAN


def label_dist_figure(table: pd.DataFrame, options: CurveOptions) -> go.Figure:
    """Draw LabelDist over the threshold with its interval, and the flips up and down beneath it.

    `table` has one row per threshold, ascending: ``threshold``, ``label_dist``, ``low``, ``high`` (the interval, may be
    NaN), ``flips_up``, ``flips_down`` (counts of sentence–name pairs). Flips up are above zero, flips down below it, so
    colour is not needed to tell them apart; further curves differ by dash as well.
    """
    import plotly.graph_objects as go

    scale = scale_of(table)
    table, per_cent = in_unit(table, "threshold"), " %" * (scale != 1)
    hover = {"text": HOVER_TITLE.format("%{x:.1f} %" if per_cent else "%{x:.2f}")}
    ends = list(table["threshold"].iloc[[0, -1]])
    tops = [table["high"].max(), table["label_dist"].max(), *map(np.max, options.curves.values())]
    highest = int(max(1, table["flips_up"].max(), table["flips_down"].max()))
    layout = _theme.house_layout(HEIGHT)
    layout |= {
        "margin": {"l": 8, "r": 16, "t": 36, "b": 52},
        "hovermode": "x unified",
        # At the head of the figure: one that stands on the panel is at times put a line too low, across the curves.
        "legend": layout["legend"] | {"font": {"size": TICK_SIZE}, "yref": "container", "y": 1, "yanchor": "top"},
        # One threshold axis serves both panels, at the foot of the lower one.
        "xaxis": _theme.AXIS
        | {"title": _theme.title(shown_label(f"Threshold on {options.target}", width=41)), "range": ends}
        | {"anchor": "y2", "unifiedhovertitle": hover, "ticksuffix": f"{per_cent}{_theme.AXIS['ticksuffix']}"},
        # With room for the words at the threshold.
        "yaxis": _theme.AXIS
        | {"title": _theme.title("LabelDist"), "domain": UPPER, "range": [0, 1.12 * float(np.nanmax([0.05, *tops]))]},
        "yaxis2": _theme.row_axis(
            (f"{highest:,} ↓", "0", f"{highest:,} ↑"), [-highest, 0, highest], [-1.08 * highest, 1.08 * highest]
        )
        | {"title": _theme.title("Labels changed"), "domain": LOWER, "showgrid": True}
        | {"zeroline": True, "zerolinecolor": _theme.MUTED},
        **_threshold_mark(table, options, sum(ends) / 2, scale),
    }
    drawn = [
        {"type": "scatter", "mode": "lines", "xaxis": "x", "yaxis": "y"} | trace for trace in _traces(table, options)
    ]
    return go.Figure(data=drawn, layout=layout)


def _traces(table: pd.DataFrame, options: CurveOptions) -> list[dict[str, Any]]:
    """The interval, the curves and their mean in the upper panel; the flips in the lower one."""
    thresholds, others = table["threshold"], _theme.CATEGORICAL[1:]
    traces: list[dict[str, Any]] = []
    if table["low"].notna().all():
        band = np.concatenate([thresholds, thresholds[::-1]]), np.concatenate([table["high"], table["low"][::-1]])
        looks: dict[str, Any] = {
            "fill": "toself",
            "fillcolor": faded(_theme.ACCENT, 0.22),
            "line": {"width": 0},
            "hoverinfo": "skip",
        }
        traces.append({"x": band[0], "y": band[1], "name": "95 % interval", **looks})
    for i, (label, values) in enumerate(options.curves.items()):
        looks = {
            "color": options.colours.get(label, others[i % len(others)]),
            "width": 2,
            "dash": DASHES[i % len(DASHES)],
        }
        words: dict[str, Any] = {"hovertemplate": "<b>%{customdata}</b>: LabelDist %{y:.3f}<extra></extra>"}
        words |= {"name": shown_label(label), "customdata": np.full(len(table), shown_label(label, width=80))}
        traces.append({"x": thresholds, "y": values, "line": looks, **words})
    words = {"name": options.mean, "hovertemplate": "LabelDist %{y:.3f}<extra></extra>"}
    traces.append({"x": thresholds, "y": table["label_dist"], "line": {"color": _theme.ACCENT, "width": 3.5}, **words})
    for column, sign, colour, meaning in (
        ("flips_up", 1, _theme.UP, "appear (up)"),
        ("flips_down", -1, _theme.DOWN, "disappear (down)"),
    ):
        looks = {"fill": "tozeroy", "fillcolor": faded(colour, 0.45), "line": {"color": colour, "width": 1.5}}
        words = {
            "name": f"Labels that {meaning}",
            "hovertemplate": f"%{{customdata:,}} labels {meaning}<extra></extra>",
        }
        cells = {"x": thresholds, "y": sign * table[column], "customdata": table[column], "yaxis": "y2"}
        traces.append({**cells, **looks, **words})
    return traces


def _threshold_mark(table: pd.DataFrame, options: CurveOptions, middle: float, scale: int) -> dict[str, Any]:
    """An upright line at the chosen threshold, with its LabelDist beside it on the side with more room."""
    if options.threshold is None:
        return {}
    at = scale * options.threshold
    value = (
        table.loc[(table["threshold"] - at).abs().idxmin(), "label_dist"] if options.value is None else options.value
    )
    line = {"type": "line", "x0": at, "x1": at, "xref": "x", "y0": 0, "y1": 1}
    line |= {"line": {"color": _theme.MUTED, "width": 2.5, "dash": "dash"}}
    side = {"xanchor": "right", "xshift": -6} if at > middle else {"xanchor": "left", "xshift": 6}
    place = {"x": at, "y": 1.0, "yref": "y domain", "yanchor": "top", **side}
    return {
        "shapes": [line | {"yref": f"{axis} domain"} for axis in ("y", "y2")],
        "annotations": [_theme.note(f"<b>{value:.3f}</b> at {at:g}{' %' * (scale != 1)}", place, size=TITLE_SIZE)],
    }
