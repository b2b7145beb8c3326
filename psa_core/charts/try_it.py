"""Table 1 as charts: one sentence with every name, one chart per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from psa_core.charts import _theme
from psa_core.charts._theme import TICK_SIZE, TITLE_SIZE, faded, shown_label
from psa_core.cube import Target
from psa_core.stats import labels_at

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, FRAME_PIXELS = 24, 100
ROOM, WIDE = 0.16, 4.0
ROW_LINE = "rgba(124, 135, 140, 0.16)"


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores (N,) of one target of one model for a sentence's names, and that of the sentence with neutral words."""

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
    """Draw every name's score by one model, names from top to bottom as given; filled marks reach the threshold.

    `neutral_words` are what the neutral score was measured with; names in `bold` are set apart, such as those that the
    user typed; the `colour` is the model's and tells nothing else.
    """
    import plotly.graph_objects as go

    rows = [f"<b>{shown_label(name)}</b>" if name in bold else shown_label(name) for name in names]
    low, high = panel.target.low, panel.target.high
    if high - low > WIDE:  # too wide to see anything in: the part that is used
        low, high = (float(pick([pick(panel.scores), panel.neutral])) for pick in (np.min, np.max))
    room = ROOM * max(high - low, 1e-6)
    span = [low - room, high + room]
    threshold = panel.target.default_threshold
    rules = [(panel.neutral, "solid"), *([(threshold, "dot")] if span[0] <= threshold <= span[1] else [])]
    across = {"type": "line", "yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
    stems = {
        "type": "scatter",
        "x": [value for score in panel.scores for value in (panel.neutral, float(score), None)],
        "y": [value for position in range(len(rows)) for value in (position, position, None)],
        "mode": "lines",
        "line": {"color": faded(colour, 0.45), "width": 3},
        "hoverinfo": "skip",
    }
    marks = {
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
        "customdata": rows,
        "hovertemplate": "%{customdata}: <b>%{x:.3f}</b><extra>" + shown_label(panel.target.name) + "</extra>",
        "cliponaxis": False,
    }
    layout = _theme.house_layout(FRAME_PIXELS + ROW_PIXELS * len(names))
    layout |= {
        "margin": {"l": 8, "r": 28, "t": 58, "b": 52},
        "showlegend": False,
        "xaxis": layout["xaxis"] | {"range": span, "nticks": 5},
        "yaxis": _theme.row_axis(rows, range(len(rows)), [len(names) - 0.4, -0.9])
        | {"showgrid": True, "gridcolor": ROW_LINE},
        "shapes": [
            {**across, "x0": place, "x1": place, "line": {"color": _theme.MUTED, "width": 1.5, "dash": dash}}
            for place, dash in rules
        ],
        "annotations": _notes(panel, neutral_words, [place for place, _ in rules[1:]]),
    }
    return go.Figure(data=[stems, marks], layout=layout)


def _notes(panel: Panel, neutral_words: str, thresholds: list[float]) -> list[dict[str, Any]]:
    """The target and the model, the neutral words with their score, the threshold where it is in sight."""
    title = f"<b>{shown_label(panel.target.name)}</b>  {shown_label(panel.model, width=34)}"
    words = f"“{shown_label(neutral_words, width=20)}” {_number(panel.neutral)}"
    above, below = ({"yref": "y domain", "y": y, "yanchor": side} for y, side in ((1, "bottom"), (0, "top")))
    headline = {**above, "x": 0, "xref": "x domain", "xanchor": "left", "yshift": 24}
    return [
        _theme.note(title, headline, size=TITLE_SIZE),
        *(
            _theme.note(f"flagged at {place:g}".replace("-", "−"), {**above, "x": place}, size=TICK_SIZE - 2)
            for place in thresholds
        ),
        _theme.note(words, {**below, "x": panel.neutral, "yshift": -28}, size=TICK_SIZE - 2),
    ]


def _number(score: float) -> str:
    return f"{score:.2f}".replace("-", "−")
