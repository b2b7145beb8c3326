"""Charts of a language model audit: means with the range of chance, pairs, two distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE, faded, shown_label
from psa_core.charts._squares import CLICKED, frame, squares, targets

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, MARGIN_PIXELS = 34, 96
ONE_SIDED = ((0.0, faded(_theme.UP, 0.04)), (1.0, faded(_theme.UP, 0.72)))
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
    values, numbers = square.index.tolist(), square.to_numpy(float)
    is_above, is_pair = np.isfinite(numbers), ~np.eye(len(values), dtype=bool)
    high = float(np.nanmax(numbers)) if is_above.any() else 1.0
    texts = np.where(is_pair, np.where(is_above, np.char.mod("%.2f", np.nan_to_num(numbers)), "·"), "")
    drawn = _theme.figure(MARGIN_PIXELS + 46 * len(values))
    depths = np.where(is_pair, np.nan_to_num(numbers), np.nan)
    drawn.add_trace(squares(depths, texts.tolist(), low=0, high=high, colours=ONE_SIDED))
    rows, columns = np.nonzero(is_pair)
    names = [(values[r], values[c]) for r, c in zip(rows, columns, strict=True)]
    said = [f"<b>{number:.3f}</b>" if np.isfinite(number) else "not above noise" for number in numbers[is_pair]]
    words = [f"{shown_label(a)} and {shown_label(b)}: {text}" for (a, b), text in zip(names, said, strict=True)]
    drawn.add_trace(targets(rows, columns, names, words))
    if selected and set(selected) <= set(values):
        first, second = map(values.index, selected)
        for place in ((first, second), (second, first)):
            drawn.add_shape(**frame(*place))
    places, labels = list(range(len(values))), [_theme.ink(shown_label(value)) for value in values]
    axis = {"tickvals": places, "ticktext": labels, "showgrid": False, "fixedrange": True, "tickfont_size": TICK_SIZE}
    drawn.update_yaxes(range=[len(values) - 0.5, -0.5], **axis)
    drawn.update_xaxes(side="top", range=[-0.5, len(values) - 0.5], **axis)
    return drawn.update_layout(**CLICKED, showlegend=False)


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
