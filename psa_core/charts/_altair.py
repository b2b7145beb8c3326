"""The look of Altair charts, and chart specifications that are built once and filled with rows.

Building and checking an Altair chart takes a tenth of a second or more, filling one with rows takes nothing; so every
chart here is a function of few words (a target, a title), remembered, and the rows travel beside it.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pandas as pd

from psa_core.charts import _theme

SIZES = {"labelFontSize": 14, "titleFontSize": 15, "titleFontWeight": "normal"}
INKED = {"labelColor": _theme.PAGE_INK, "titleColor": _theme.PAGE_INK}
SIDES = ("left", "right")
#: Percentages as the texts have them: 39 %.
NUMBERS = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""], "percent": " %"}
Spec = dict[str, Any]


class Drawing(NamedTuple):
    """A Vega-Lite specification without data, and the rows that it draws."""

    rows: pd.DataFrame
    spec: Spec


def template(chart: Any) -> Spec:
    """The specification of a chart that has no data of its own: readable, quiet axes, no frame.

    Texts have the colour of the page that shows it.
    """
    quiet = {"gridColor": _theme.MUTED, "gridOpacity": 0.25, "domain": False, "ticks": False, "labelPadding": 6}
    quiet |= {"labelFlush": False}  # each label on its line, the first and the last as well
    styled = chart.configure(locale={"number": NUMBERS}).configure_view(stroke=None)
    styled = styled.configure_axis(**quiet, **INKED, **SIZES)
    styled = styled.configure_legend(labelFontSize=14, titleFontSize=14, symbolSize=110, **INKED)
    return _without_data(styled.to_dict())


def written(base: Any, side: str, *, size: int) -> Any:
    """The ``label`` of each row whose ``beside`` is that side, written there; screen readers have the marks."""
    import altair as alt

    align, dx = ("right", -10) if side == "left" else ("left", 10)
    style: dict[str, Any] = {"align": align, "dx": dx, "fontSize": size, "limit": 190, "aria": False}
    return (
        base.transform_filter(alt.datum.beside == side).mark_text(color=_theme.PAGE_INK, **style).encode(text="label:N")
    )


def _without_data(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without_data(value) for key, value in part.items() if key not in ("data", "datasets")}
    return [_without_data(item) for item in part] if isinstance(part, list) else part


def filled(spec: Spec, **changes: Any) -> Spec:
    """A copy with other top-level properties, and ``y_order`` as the order of every layer's rows."""
    order = changes.pop("y_order", None)
    copy = {**spec, **changes}
    if order is not None:
        copy["layer"] = [_ordered(layer, order) for layer in spec["layer"]]
    return copy


def _ordered(layer: Spec, order: list[str]) -> Spec:
    y = layer.get("encoding", {}).get("y")
    return layer if y is None else {**layer, "encoding": {**layer["encoding"], "y": {**y, "sort": order}}}


PRINTED_AXIS = {"gridColor": "#E3E5E6", "labelColor": _theme.INK, "titleColor": _theme.INK, "labelFlush": False}
# Whoever opens the picture may have a wider font than the one it was measured with.
PRINTED_AXIS |= {"labelPadding": 6, "titlePadding": 14}


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
