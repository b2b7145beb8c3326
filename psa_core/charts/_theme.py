"""Colours and layout shared by all charts.

Text and paper colours are left to the place that shows a figure (the dashboard's theme, the report), so one figure
serves both modes. Every colour here has a contrast of at least 3 on both of the dashboard's backgrounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

CATEGORICAL = (
    "#12908A",
    "#D9622B",
    "#9D72E0",
    "#56619E",
    "#995A4D",
    "#989259",
    "#E04488",
    "#B97CBA",
    "#4F8A1E",
    "#7C878C",
)
ACCENT = CATEGORICAL[0]
UP, DOWN = "#D9622B", "#2F8FD0"
MUTED = "#7C878C"
HAIRLINE = "rgba(124, 135, 140, 0.28)"
INK, PAPER = "#1C2326", "#FFFFFF"
FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


#: The text colour of the page around a picture, whichever mode that is in; no one colour has a contrast of 4.5 on both.
PAGE_INK = "currentColor"
# Plotly takes no such colour for a font, but a label may say it of itself.
INKED = {"tickprefix": f'<span style="color: {PAGE_INK}">', "ticksuffix": "</span>"}
AXIS = {"gridcolor": HAIRLINE, "zeroline": False, "showline": False, "ticks": "", "automargin": True, **INKED}
# Else Plotly asks the browser where each label is, to hide what leaves the picture: a fifth of the wait for other bars.
AXIS |= {"ticklabeloverflow": "allow"}
LEGEND = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom", "title": {"text": ""}}


def house_layout(height: int = 420) -> dict[str, Any]:
    """The house layout as Plotly takes it: transparent paper, quiet grid, legend above; `height` in pixels.

    Plotly checks every value again at each call that changes a figure, which takes longer than drawing it; one that is
    redrawn at every click is therefore put together as mappings and made once.
    """
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "autoexpand": True},
        "colorway": list(CATEGORICAL),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "legend": dict(LEGEND),
        # Dark on either page: the theme's own grey letters have a contrast of 3.6.
        "hoverlabel": {"align": "left", "bgcolor": INK, "bordercolor": MUTED, "font": {"color": PAPER}},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": MUTED, "activecolor": ACCENT},
        "font": {"family": FONT, "size": 14},
        "dragmode": False,
        "xaxis": dict(AXIS),
        "yaxis": dict(AXIS),
    }


def figure(height: int = 420, **layout: Any) -> go.Figure:
    """An empty figure in the house layout.

    Parameters
    ----------
    height : int
        In pixels.
    **layout
        Passed to ``Figure.update_layout`` last.
    """
    import plotly.graph_objects as go

    empty = go.Figure(layout=house_layout(height))
    return empty.update_layout(**layout) if layout else empty


def ink(text: str) -> str:
    """A label in the text colour of the page around it, whichever mode that is in; `text` is escaped already."""
    return f'<span style="color: {PAGE_INK}">{text}</span>'
