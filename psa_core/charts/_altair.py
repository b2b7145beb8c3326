"""The look of Altair charts, and chart specifications that are built once and filled with rows.

Building and checking an Altair chart takes a tenth of a second or more, filling one with rows takes nothing; so every
chart here is a function of few words (a target, a title), remembered, and the rows travel beside it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
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


def by_kind(field: str, kinds: Sequence[str], colours: Sequence[str], shapes: Sequence[str], legend: Any) -> Spec:
    """Encodings by which marks of two kinds differ in colour and in shape, with one legend for both."""
    import altair as alt

    return {
        "color": alt.Color(f"{field}:N", scale=alt.Scale(domain=list(kinds), range=list(colours)), legend=legend),
        "shape": alt.Shape(f"{field}:N", scale=alt.Scale(domain=list(kinds), range=list(shapes)), legend=legend),
    }


def diagonal() -> Any:
    """A dashed line from corner to corner of a square; all rows have its ends as ``low`` and ``high``."""
    import altair as alt

    line = alt.Chart().mark_rule(color=_theme.MUTED, strokeDash=[6, 4], aria=False)
    return line.encode(x="min(low):Q", x2="max(high):Q", y="min(low):Q", y2="max(high):Q")


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


def in_rows(rows: pd.DataFrame, spec: Spec, labels: Sequence[str], *, height: float) -> Drawing:
    """A drawing of this height, with these labels from top to bottom in every layer that has them."""

    def ordered(layer: Spec) -> Spec:
        encoding = layer.get("encoding", {})
        y = {"y": {**encoding["y"], "sort": list(labels)}} if "y" in encoding else {}
        return {**layer, "encoding": {**encoding, **y}}

    return Drawing(rows, {**spec, "height": height, "layer": [ordered(layer) for layer in spec["layer"]]})


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
