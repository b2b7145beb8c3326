"""Table 1 as charts: one sentence with every name, one chart per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE, TITLE_SIZE, faded, shown_label
from psa_core.cube import Target
from psa_core.stats import labels_at

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, FRAME_PIXELS = 24, 100
ROOM, WIDE = 0.16, 4.0
ROW_LINE = "rgba(124, 135, 140, 0.16)"


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores of one target of one model for the names of a sentence.

    Attributes
    ----------
    model : str
        The model as a reader knows it.
    target : Target
    scores : float array (N,)
        In the order of the names.
    neutral : float
        Score of the same sentence with neutral words (or its own pronoun) in the name's place.
    """

    model: str
    target: Target
    scores: np.ndarray
    neutral: float

    @property
    def labelled(self) -> np.ndarray:
        """Which names reach the threshold: bool (N,)."""
        return labels_at(self.scores, self.target.default_threshold)


def figure(
    names: Sequence[str],
    panel: Panel,
    *,
    neutral_words: str,
    bold: frozenset[str] = frozenset(),
    colour: str = _theme.ACCENT,
) -> go.Figure:
    """Draw every name's score by one model, names from top to bottom as given.

    Parameters
    ----------
    names : sequence of str, length N
    panel : Panel
    neutral_words : str
        What the neutral score was measured with.
    bold : frozenset of str
        Names to set apart, such as those that the user typed.
    colour : str
        Of the model; it tells nothing else.

    Returns
    -------
    Figure
        Filled marks reach the threshold, hollow ones do not.
    """
    import plotly.graph_objects as go

    rows = [_axis_label(name, name in bold) for name in names]
    layout = _theme.house_layout(FRAME_PIXELS + ROW_PIXELS * len(names))
    across = {"fixedrange": True, "range": _span(panel), "nticks": 5}
    down = {"fixedrange": True, "range": [len(names) - 0.4, -0.9], "tickfont": {"size": TICK_SIZE}}
    down |= {"tickvals": list(range(len(rows))), "ticktext": rows, "gridcolor": ROW_LINE}
    layout |= {
        "margin": {"l": 8, "r": 28, "t": 58, "b": 52},
        "showlegend": False,
        "xaxis": layout["xaxis"] | across,
        "yaxis": layout["yaxis"] | down,
        "shapes": _lines(panel),
        "annotations": _notes(panel, neutral_words),
    }
    return go.Figure(data=[_stems(panel, colour), _marks(panel, rows, colour)], layout=layout)


def _span(panel: Panel) -> list[float]:
    """The target's range with room for numbers; of a range too wide to see anything in, the part that is used."""
    low, high = panel.target.low, panel.target.high
    if high - low > WIDE:
        low, high = (float(pick([pick(panel.scores), panel.neutral])) for pick in (np.min, np.max))
    room = ROOM * max(high - low, 1e-6)
    return [low - room, high + room]


def _axis_label(name: str, bold: bool) -> str:
    shown = shown_label(name)
    return _theme.ink(f"<b>{shown}</b>" if bold else shown)


def _stems(panel: Panel, colour: str) -> dict[str, Any]:
    """From the neutral score to each score."""
    return {
        "type": "scatter",
        "x": [value for score in panel.scores for value in (panel.neutral, float(score), None)],
        "y": [value for position in range(len(panel.scores)) for value in (position, position, None)],
        "mode": "lines",
        "line": {"color": faded(colour, 0.45), "width": 3},
        "hoverinfo": "skip",
    }


def _marks(panel: Panel, rows: Sequence[str], colour: str) -> dict[str, Any]:
    """A mark at each score, with the score beside it."""
    return {
        "type": "scatter",
        "x": panel.scores,
        "y": list(range(len(rows))),
        "mode": "markers+text",
        "text": [_theme.ink(_number(score)) for score in panel.scores],
        "textposition": ["middle right" if score >= panel.neutral else "middle left" for score in panel.scores],
        "textfont": {"size": TICK_SIZE - 1},
        "marker": {
            "size": 12,
            "color": colour,
            "symbol": ["circle" if reached else "circle-open" for reached in panel.labelled],
            "line": {"width": 2, "color": colour},
        },
        "customdata": list(rows),
        "hovertemplate": "%{customdata}: <b>%{x:.3f}</b><extra>" + shown_label(panel.target.name) + "</extra>",
        "cliponaxis": False,
    }


def _lines(panel: Panel) -> list[dict[str, Any]]:
    """The neutral score, and the threshold where it is in sight, from top to bottom behind the marks."""
    style = {"type": "line", "yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
    places = [(panel.neutral, "solid"), *((threshold, "dot") for threshold in _seen_threshold(panel))]
    return [
        {**style, "x0": place, "x1": place, "line": {"color": _theme.MUTED, "width": 1.5, "dash": dash}}
        for place, dash in places
    ]


def _notes(panel: Panel, neutral_words: str) -> list[dict[str, Any]]:
    """The target and the model, the neutral words with their score, the threshold."""
    title = f"<b>{shown_label(panel.target.name)}</b>  {shown_label(panel.model, width=34)}"
    words = f"“{shown_label(neutral_words, width=20)}” {_number(panel.neutral)}"
    small = {"size": TICK_SIZE - 2, "color": _theme.MUTED}
    top = {"yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    below = {"yref": "y domain", "y": 0, "yanchor": "top", "showarrow": False}
    headline = {"x": 0, "xref": "x domain", "xanchor": "left", "yshift": 24, "font": {"size": TITLE_SIZE}}
    return [
        {**top, **headline, "text": _theme.ink(title)},
        *(
            {**top, "x": threshold, "text": _theme.ink(f"flagged at {threshold:g}"), "font": small}
            for threshold in _seen_threshold(panel)
        ),
        {**below, "x": panel.neutral, "yshift": -28, "text": _theme.ink(words), "font": small},
    ]


def _seen_threshold(panel: Panel) -> list[float]:
    """The threshold, where it lies within the part of the range that is drawn."""
    low, high = _span(panel)
    threshold = panel.target.default_threshold
    return [threshold] if low <= threshold <= high else []


def _number(score: float) -> str:
    return f"{score:.2f}".replace("-", "−")
