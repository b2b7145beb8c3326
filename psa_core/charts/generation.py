"""Charts of a language model audit: means with the range of chance, two distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import faded, shown_label

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, MARGIN_PIXELS = 34, 96
FIRST, SECOND = _theme.CATEGORICAL[0], _theme.CATEGORICAL[1]


def value_dots(table: pd.DataFrame, score: str) -> go.Figure:
    """Draw each value's mean score as a dot on the band in which chance alone would put it.

    `table` is ``value, mean, low, high``, from top to bottom; `score` says what the scores are.
    """
    import plotly.graph_objects as go

    rows, labels = list(range(len(table))), [shown_label(value) for value in table["value"]]
    inside = (table["mean"] >= table["low"]) & (table["mean"] <= table["high"])
    band = {
        "type": "bar",
        "x": table["high"] - table["low"],
        "base": table["low"],
        "y": rows,
        "orientation": "h",
        "width": 0.62,
        "marker": {"color": faded(_theme.MUTED, 0.35), "line": {"width": 0}},
        "name": "chance alone (95 %)",
        "hoverinfo": "skip",
    }
    dots = {
        "type": "scatter",
        "x": table["mean"],
        "y": rows,
        "mode": "markers",
        "marker": {"size": 13, "color": np.where(inside, _theme.MUTED, _theme.ACCENT)},
        "name": "mean of the continuations",
        "customdata": labels,
        "hovertemplate": "%{customdata} <b>%{x:.3f}</b><extra></extra>",
    }
    ends = table[["mean", "low", "high"]].to_numpy()
    room = 0.04 * float(np.ptp(ends) or 0.02)
    layout = _theme.house_layout(MARGIN_PIXELS + ROW_PIXELS * len(table))
    layout["legend"] |= {"y": 1.02}
    layout |= {
        "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
        "xaxis": _theme.AXIS
        | {"title": _theme.title(f"mean {shown_label(score)} (0 to 1)")}
        | {"range": [max(0.0, ends.min() - room), min(1.0, ends.max() + room)]},
        "yaxis": _theme.row_axis(labels, rows, [len(table) - 0.5, -0.5]) | {"showgrid": True},
    }
    return go.Figure(data=[band, dots], layout=layout)


def two_distributions(
    scores: np.ndarray, first: np.ndarray, second: np.ndarray, *, names: tuple[str, str], score: str
) -> go.Figure:
    """Draw two empirical distribution functions with the gap between them shaded; its area is W1.

    `scores` (G,) ascend; `first` and `second` (G,) are the shares of two values' continuations with at most that score.
    """
    import plotly.graph_objects as go

    looks = ({"color": FIRST}, {"color": SECOND, "dash": "dash"})
    traces = [
        {"type": "scatter", "mode": "lines", "x": scores, "y": 100 * shares, "name": shown_label(name)}
        | {"line": {"shape": "hv", "width": 2.5, **look}}
        | {"hovertemplate": "%{y:.0f} % of them score at most %{x:.2f}"}
        for shares, name, look in zip((first, second), names, looks, strict=True)
    ]
    traces[1] |= {"fill": "tonexty", "fillcolor": faded(_theme.MUTED, 0.3)}
    layout = _theme.house_layout(360)
    layout |= {
        "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
        "xaxis": _theme.AXIS | {"title": _theme.title(shown_label(score)), "range": [0, 1]},
        "yaxis": _theme.AXIS | {"title": _theme.title("% of the continuations"), "range": [0, 101]},
    }
    return go.Figure(data=traces, layout=layout)
