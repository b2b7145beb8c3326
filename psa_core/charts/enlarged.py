"""A chart for the last row of a room: letters, marks and heights larger, by one factor."""

from __future__ import annotations

from typing import Any

SCALED = frozenset(
    {
        "size",
        "height",
        "xshift",
        "yshift",
        "fontSize",
        "labelFontSize",
        "titleFontSize",
        "labelLimit",
        "limit",
        "strokeWidth",
        "dx",
        "dy",
    }
)


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
    return {key: _entry(key, value, factor) for key, value in part.items()}


def _entry(key: str, value: Any, factor: float) -> Any:
    if key == "margin":
        return {side: _times(pixels, factor) for side, pixels in value.items()}
    return _times(value, factor) if key in SCALED and not isinstance(value, dict | list) else enlarged(value, factor)


def _times(value: Any, factor: float) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value * factor if is_number else value
