"""Numbers in coloured squares that can be hovered, clicked and framed; Plotly's own heat map sends no clicks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: A chart's layout with squares: no zoom, and a click that says which was hit.
CLICKED = {"clickmode": "event+select"}


def squares(values: np.ndarray, texts: Sequence[Sequence[str]], *, low: float, high: float, colours: Any) -> go.Heatmap:
    """The coloured squares; `texts` are escaped already, `values` beyond the limits have the limit's colour."""
    import plotly.graph_objects as go

    return go.Heatmap(
        z=np.clip(values, low, high),
        zmin=low,
        zmax=high,
        colorscale=[list(stop) for stop in colours],
        text=[[_theme.ink(text) for text in row] for row in texts],
        texttemplate="%{text}",
        textfont={"size": TICK_SIZE},
        xgap=2,
        ygap=2,
        showscale=False,
        hoverinfo="skip",
    )


def targets(
    rows: np.ndarray, columns: np.ndarray, names: Sequence[tuple[Any, Any]], texts: Sequence[str]
) -> go.Scatter:
    """Invisible marks over the squares: each shows its text when hovered, and sends its two names when clicked."""
    import plotly.graph_objects as go

    return go.Scatter(
        x=columns,
        y=rows,
        mode="markers",
        marker={"symbol": "square", "size": 24, "color": "rgba(0,0,0,0)", "line": {"width": 0}},
        customdata=[list(pair) for pair in names],
        text=texts,
        hovertemplate="%{text}<extra></extra>",
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
    )


def frame(row: int, column: int) -> dict[str, Any]:
    """A frame around one square, for ``Figure.add_shape``."""
    edges = {"x0": column - 0.47, "x1": column + 0.47, "y0": row - 0.46, "y1": row + 0.46}
    return {"type": "rect", **edges, "line": {"color": _theme.ACCENT, "width": 3}}
