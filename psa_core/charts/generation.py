"""Charts of a language model audit: means with the range of chance, pairs, two distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE, faded, shown_label

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, MARGIN_PIXELS = 34, 96
FIRST, SECOND = _theme.CATEGORICAL[0], _theme.CATEGORICAL[1]


def value_dots(table: pd.DataFrame, score: str) -> go.Figure:
    """Draw each value's mean score as a dot on the band in which chance alone would put it.

    Parameters
    ----------
    table : DataFrame
        ``value, mean, low, high``, from top to bottom; see `views.value_means`.
    score : str
        What the scores are.
    """
    import plotly.graph_objects as go

    rows = list(range(len(table)))
    drawn = _theme.figure(MARGIN_PIXELS + ROW_PIXELS * len(table))
    inside = (table["mean"] >= table["low"]) & (table["mean"] <= table["high"])
    drawn.add_trace(
        go.Bar(
            x=table["high"] - table["low"],
            base=table["low"],
            y=rows,
            orientation="h",
            width=0.62,
            marker={"color": faded(_theme.MUTED, 0.35), "line": {"width": 0}},
            name="chance alone (95 %)",
            hoverinfo="skip",
        )
    )
    drawn.add_trace(
        go.Scatter(
            x=table["mean"],
            y=rows,
            mode="markers",
            marker={"size": 13, "color": np.where(inside, _theme.MUTED, _theme.ACCENT)},
            name="mean of the continuations",
            customdata=[shown_label(value) for value in table["value"]],
            hovertemplate="%{customdata} <b>%{x:.3f}</b><extra></extra>",
        )
    )
    labels = [_theme.ink(shown_label(value)) for value in table["value"]]
    drawn.update_yaxes(tickvals=rows, ticktext=labels, range=[len(table) - 0.5, -0.5], tickfont_size=TICK_SIZE)
    drawn.update_xaxes(title_text=_theme.ink(f"mean {shown_label(score)} (0 to 1)"), tickfont_size=TICK_SIZE)
    return drawn.update_layout(legend={"y": 1.02}, margin={"t": 34})


def value_matrix(square: pd.DataFrame, *, selected: tuple[str, str] | None = None) -> go.Figure:
    """Draw the corrected distance of each pair of values; a dot stands for a pair that is not above noise.

    Parameters
    ----------
    square : DataFrame
        Values by values, NaN where not above noise.
    selected : tuple of str, optional
        The pair that gets a frame.

    Returns
    -------
    Figure
        Each square carries its two values in ``customdata``, on marks that can be clicked.
    """
    import plotly.graph_objects as go

    values, numbers = square.index.tolist(), square.to_numpy(float)
    limit = float(np.nanmax(numbers)) if np.isfinite(numbers).any() else 1.0
    texts = np.where(np.isfinite(numbers), np.char.mod("%.2f", np.nan_to_num(numbers)), "·")
    np.fill_diagonal(texts, "")
    drawn = _theme.figure(MARGIN_PIXELS + 46 * len(values))
    drawn.add_trace(
        go.Heatmap(
            z=np.where(np.eye(len(values), dtype=bool), np.nan, np.nan_to_num(numbers)),
            zmin=0,
            zmax=limit,
            colorscale=[[0, faded(_theme.UP, 0.04)], [1, faded(_theme.UP, 0.72)]],
            text=[[_theme.ink(text) for text in row] for row in texts],
            texttemplate="%{text}",
            textfont={"size": TICK_SIZE},
            xgap=2,
            ygap=2,
            showscale=False,
            hoverinfo="skip",
        )
    )
    rows, columns = (index.ravel() for index in np.nonzero(~np.eye(len(values), dtype=bool)))
    drawn.add_trace(
        go.Scatter(
            x=columns,
            y=rows,
            mode="markers",
            marker={"symbol": "square", "size": 26, "color": "rgba(0,0,0,0)", "line": {"width": 0}},
            customdata=[[values[r], values[c]] for r, c in zip(rows, columns, strict=True)],
            text=[
                f"{shown_label(values[r])} and {shown_label(values[c])}: "
                + (f"<b>{numbers[r, c]:.3f}</b>" if np.isfinite(numbers[r, c]) else "not above noise")
                for r, c in zip(rows, columns, strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
        )
    )
    if selected and set(selected) <= set(values):
        for a, b in (selected, selected[::-1]):
            r, c = values.index(a), values.index(b)
            frame = {"x0": c - 0.47, "x1": c + 0.47, "y0": r - 0.46, "y1": r + 0.46}
            drawn.add_shape(type="rect", **frame, line={"color": _theme.ACCENT, "width": 3})
    places, labels = list(range(len(values))), [_theme.ink(shown_label(value)) for value in values]
    axis = {"tickvals": places, "ticktext": labels, "showgrid": False, "fixedrange": True, "tickfont_size": TICK_SIZE}
    drawn.update_yaxes(range=[len(values) - 0.5, -0.5], **axis)
    drawn.update_xaxes(side="top", range=[-0.5, len(values) - 0.5], **axis)
    return drawn.update_layout(clickmode="event+select", showlegend=False)


def two_distributions(
    scores: np.ndarray, first: np.ndarray, second: np.ndarray, *, names: tuple[str, str], score: str
) -> go.Figure:
    """Draw two empirical distribution functions with the gap between them shaded; its area is W1.

    Parameters
    ----------
    scores : float array (G,)
        Ascending.
    first, second : float array (G,)
        Shares of continuations with at most that score.
    names : tuple of str
        The two values.
    score : str
        What the scores are.
    """
    import plotly.graph_objects as go

    drawn = _theme.figure(360)
    shape = {"shape": "hv", "width": 2.5}
    labels = [shown_label(name) for name in names]
    drawn.add_trace(go.Scatter(x=scores, y=100 * first, mode="lines", line={**shape, "color": FIRST}, name=labels[0]))
    drawn.add_trace(
        go.Scatter(
            x=scores,
            y=100 * second,
            mode="lines",
            line={**shape, "color": SECOND, "dash": "dash"},
            name=labels[1],
            fill="tonexty",
            fillcolor=faded(_theme.MUTED, 0.3),
        )
    )
    drawn.update_traces(hovertemplate="%{y:.0f} % of them score at most %{x:.2f}")
    drawn.update_xaxes(title_text=_theme.ink(shown_label(score)), range=[0, 1], tickfont_size=TICK_SIZE)
    drawn.update_yaxes(title_text=_theme.ink("% of the continuations"), range=[0, 101], tickfont_size=TICK_SIZE)
    return drawn.update_layout(margin={"t": 34})
