"""Charts as Vega-Lite: the rows that are drawn and a specification, described once for screen and paper."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from psa_core.charts import _theme

Spec = dict[str, Any]
SIZES = {"labelFontSize": 14, "titleFontSize": 15, "titleFontWeight": "normal"}
INKED = {"labelColor": _theme.PAGE_INK, "titleColor": _theme.PAGE_INK}
#: Readable, quiet axes without a frame; each label stands on its line, the first and the last as well.
AXIS = {"gridColor": _theme.MUTED, "gridOpacity": 0.25, "domain": False, "ticks": False, "labelPadding": 6}
CONFIG = {
    # Percentages as the texts have them: 39 %.
    "locale": {"number": {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""], "percent": " %"}},
    "view": {"stroke": None},
    "axis": {**AXIS, "labelFlush": False, **INKED, **SIZES},
    "legend": {"labelFontSize": 14, "titleFontSize": 14, "symbolSize": 110, **INKED},
}
PRINTED_AXIS = {"gridColor": "#E3E5E6", "labelColor": _theme.INK, "titleColor": _theme.INK, "labelFlush": False}
# Whoever opens the picture may have a wider font than the one it was measured with.
PRINTED_AXIS |= {"labelPadding": 6, "titlePadding": 14}
#: Streamlit draws many rows on a canvas, where the page's text colour is black in dark mode too.
AS_SVG: Spec = {"embedOptions": {"renderer": "svg"}}
#: A line that only helps the eye: screen readers have the marks.
HELP: Spec = {"color": _theme.MUTED, "aria": False}
DASHED: Spec = {**HELP, "strokeDash": [6, 4]}
DIAMOND, CIRCLE = "diamond", "circle"
#: The layer that a click selects from, and a click that adds names to those selected.
CLICKED = {"name": "marks"}
NAME_CLICK = {"name": "name", "fields": ["name"], "toggle": "true", "clear": False}


class Drawing(NamedTuple):
    """A Vega-Lite specification without data, and the rows that it draws."""

    rows: pd.DataFrame
    spec: Spec


def drawing(rows: pd.DataFrame, layers: Iterable[Spec], *, height: float, click: Spec | None = None) -> Drawing:
    """Layers over the same rows, texts in the colour of the page; `click` is a selection by the layer `CLICKED`."""
    spec: Spec = {"layer": list(layers), "height": height, "config": CONFIG, "usermeta": AS_SVG}
    if click:
        select = {"type": "point"} | {key: value for key, value in click.items() if key != "name"}
        spec["params"] = [{"name": click["name"], "select": select, "views": [CLICKED["name"]]}]
    return Drawing(rows, spec)


def layer(mark: str, encoding: Mapping[str, Any], *, where: str = "", **looks: Any) -> Spec:
    """One kind of mark, for the rows of which an expression holds."""
    found: Spec = {"mark": {"type": mark, **looks}, "encoding": dict(encoding)}
    return found | {"transform": [{"filter": where}]} if where else found


def quantity(field: str, **options: Any) -> Spec:
    """An encoding, or a part of a tooltip, by a column of numbers."""
    return {"field": field, "type": "quantitative", **options}


def words(field: str, **options: Any) -> Spec:
    """An encoding, or a part of a tooltip, by a column of texts."""
    return {"field": field, "type": "nominal", **options}


def by_kind(field: str, looks: Mapping[str, tuple[str, Any]], legend: Any, second: str = "shape") -> Spec:
    """Encodings by which marks of a kind differ in colour and in shape, with one legend for both."""
    ranges = zip(("color", second), zip(*looks.values(), strict=True), strict=True)
    return {
        channel: words(field, scale={"domain": list(looks), "range": list(values)}, legend=legend)
        for channel, values in ranges
    }


def diagonal() -> Spec:
    """A dashed line from corner to corner of a square; all rows have its ends as ``low`` and ``high``."""
    ends = {"": quantity("low", aggregate="min"), "2": {"field": "high", "aggregate": "max"}}
    return layer("rule", {axis + end: value for axis in "xy" for end, value in ends.items()}, **DASHED)


def written(place: Mapping[str, Any], field: str = "label") -> list[Spec]:
    """The words of each row on the side that its ``beside`` says; screen readers have the marks."""
    looks: Spec = {"fontSize": 13, "limit": 190, "aria": False, "color": _theme.PAGE_INK}
    encoding = {**place, "text": words(field)}
    return [
        layer("text", encoding, where=f"datum.beside === '{side}'", align=align, dx=dx, **looks)
        for side, align, dx in (("left", "right", -10), ("right", "left", 10))
    ]


def ring(place: Spec, *, size: int, stroke: str) -> Spec:
    """A ring around the marks that are ``ringed``: those that the reader chose."""
    looks: Spec = {"size": size, "filled": False, "stroke": stroke, "strokeWidth": 3, "aria": False}
    return layer("point", place, where="datum.ringed", **looks)


def row_axis(field: str, order: Sequence[str], **axis: Any) -> Spec:
    """A vertical axis with labels in this order from top to bottom."""
    return {"y": words(field, title=None, axis=axis, sort=list(order))}


def to_png(svg: str) -> bytes:
    """An SVG picture as PNG with twice its pixels."""
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=2)


def drawing_svg(drawing: Drawing, *, width: int = 760) -> str:
    """A drawing as SVG, dark on white, so many pixels wide."""
    import vl_convert

    config = drawing.spec["config"]
    printed = {
        **drawing.spec,
        "data": {"values": json.loads(drawing.rows.to_json(orient="records"))},
        "width": width,
        "background": _theme.PAPER,
        "config": {
            **config,
            "axis": {**config["axis"], **PRINTED_AXIS, "gridOpacity": 1},
            "legend": {**config["legend"], "labelColor": _theme.INK},
        },
    }
    return vl_convert.vegalite_to_svg(printed).replace(_theme.PAGE_INK, _theme.INK)
