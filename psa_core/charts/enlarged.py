"""A chart for the last row of a room: letters, marks and heights larger, by one factor."""

from __future__ import annotations

from typing import Any

OF_LETTERS = {"fontSize", "labelFontSize", "titleFontSize", "labelLimit", "limit"}
SCALED = OF_LETTERS | {"size", "height", "xshift", "yshift", "strokeWidth", "dx", "dy"}


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
            copy[key] = value * factor if key in SCALED and is_number else enlarged(value, factor)
    return copy
