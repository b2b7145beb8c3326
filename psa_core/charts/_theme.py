"""Colours, labels and layout shared by all charts.

Text and paper colours are left to the place that shows a figure (the dashboard's theme, the report), so one figure
serves both modes. Every colour here has a contrast of at least 3 on both of the dashboard's backgrounds.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from psa_core.cube import POINTS

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
HAIRLINE, UNSEEN = "rgba(124, 135, 140, 0.28)", "rgba(0,0,0,0)"
INK, PAPER = "#1C2326", "#FFFFFF"
FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
TITLE_SIZE, TICK_SIZE = 15, 14
OTHER, MAX_GROUPS, HIGHLIGHTED = "other", 8, 5
#: What is larger for the last row of a room.
ENLARGED = {"fontSize", "labelFontSize", "titleFontSize", "labelLimit", "limit", "size", "height", "strokeWidth"}
ENLARGED |= {"xshift", "yshift", "dx", "dy"}

#: The text colour of the page around a picture, whichever mode that is in; no one colour has a contrast of 4.5 on both.
PAGE_INK = "currentColor"
# Plotly takes no such colour for a font, but a label may say it of itself.
INKED = {"tickprefix": f'<span style="color: {PAGE_INK}">', "ticksuffix": "</span>"}
AXIS = {"gridcolor": HAIRLINE, "zeroline": False, "showline": False, "ticks": "", "automargin": True, **INKED}
# Else Plotly asks the browser where each label is, to hide what leaves the picture: a fifth of the wait for other bars.
AXIS |= {"ticklabeloverflow": "allow", "fixedrange": True, "tickfont": {"size": TICK_SIZE}}


def house_layout(height: int = 420) -> dict[str, Any]:
    """The house layout as Plotly takes it: transparent paper, quiet grid, legend above; `height` in pixels.

    Plotly checks every value again at each call that changes a figure, which takes longer than drawing it; so figures
    are put together as mappings and made once.
    """
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "autoexpand": True},
        "colorway": list(CATEGORICAL),
        "paper_bgcolor": UNSEEN,
        "plot_bgcolor": UNSEEN,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom", "title": {"text": ""}},
        # Dark on either page: the theme's own grey letters have a contrast of 3.6.
        "hoverlabel": {"align": "left", "bgcolor": INK, "bordercolor": MUTED, "font": {"color": PAPER}},
        "modebar": {"bgcolor": UNSEEN, "color": MUTED, "activecolor": ACCENT},
        "font": {"family": FONT, "size": 14},
        "dragmode": False,
        "xaxis": dict(AXIS),
        "yaxis": dict(AXIS),
    }


def ink(text: str) -> str:
    """A label in the text colour of the page around it, whichever mode that is in; `text` is escaped already."""
    return f'<span style="color: {PAGE_INK}">{text}</span>'


def title(text: str) -> dict[str, Any]:
    """An axis title; `text` is escaped already."""
    return {"text": ink(text), "font": {"size": TITLE_SIZE}}


def note(text: str, place: Mapping[str, Any], *, size: int = TICK_SIZE) -> dict[str, Any]:
    """A Plotly annotation without an arrow; `text` is escaped already."""
    return {**place, "text": ink(text), "showarrow": False, "font": {"size": size}}


def row_axis(labels: Iterable[str], places: Sequence[float], span: Sequence[float]) -> dict[str, Any]:
    """An axis with a label (escaped already) at each place, and no lines; `span` is its range."""
    return AXIS | {"tickvals": list(places), "ticktext": list(map(ink, labels)), "range": list(span), "showgrid": False}


def shown_label(text: object, *, width: int = 28) -> str:
    """A text as a Plotly label: shortened, and escaped, since Plotly reads tags.

    Examples
    --------
    >>> shown_label("<b>Ann</b>"), shown_label("Bartholomew", width=8)
    ('&lt;b&gt;Ann&lt;/b&gt;', 'Barthol…')
    """
    return html.escape(cut(str(text), width), quote=False)


def cut(text: str, width: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def of_changes(title: str, scale: int) -> str:
    """The title of an axis with changes of a score, which are in points where the `Target.scale` is a hundred.

    Examples
    --------
    >>> of_changes("Mean change", 100), of_scores("Original", 100), of_scores("Original", 1)
    ('Mean change (points)', 'Original (%)', 'Original')
    """
    return title + " (points)" * (scale == POINTS)


def of_scores(title: str, scale: int) -> str:
    """The same of an axis with scores."""
    return title + " (%)" * (scale == POINTS)


def faded(colour: str, opacity: float = 0.35) -> str:
    """A ``#rrggbb`` colour as a see-through one.

    Examples
    --------
    >>> faded("#FF0010", 0.5)
    'rgba(255, 0, 16, 0.5)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def group_colours(groups: pd.Series) -> dict[str, str]:
    """The colour of each group, largest group first, the same wherever the same list is coloured.

    Of more than `MAX_GROUPS` groups only the largest have a colour; the rest is `OTHER` and grey.

    Examples
    --------
    >>> group_colours(pd.Series(["actor", "singer", "actor"]))
    {'actor': '#12908A', 'singer': '#D9622B'}
    """
    counts = groups.astype(str).value_counts(sort=False)
    ordered = sorted(counts.index, key=lambda value: (-counts[value], value))
    if len(ordered) <= MAX_GROUPS:
        return dict(zip(ordered, CATEGORICAL, strict=False))
    return dict(zip(ordered[:HIGHLIGHTED], CATEGORICAL, strict=False)) | {OTHER: MUTED}


def enlarged(part: Any, factor: float = 1.5) -> Any:
    """A copy of a Plotly figure's or a Vega-Lite specification's mapping with every size multiplied.

    Examples
    --------
    >>> enlarged({"layout": {"height": 100, "margin": {"l": 8}, "font": {"size": 14}, "xaxis": {"nticks": 5}}})
    {'layout': {'height': 150.0, 'margin': {'l': 12.0}, 'font': {'size': 21.0}, 'xaxis': {'nticks': 5}}}
    """
    if isinstance(part, list | tuple):
        return [enlarged(item, factor) for item in part]
    if not isinstance(part, dict):
        return part
    copy = {}
    for key, value in part.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if key == "margin":
            copy[key] = {side: pixels * factor if side in "lrtb" else pixels for side, pixels in value.items()}
        else:
            copy[key] = value * factor if key in ENLARGED and is_number else enlarged(value, factor)
    return copy
