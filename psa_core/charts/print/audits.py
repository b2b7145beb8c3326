"""Static SVG figures of the nationality audit: heat map and world map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import to_svg
from psa_core.charts.country_heat import Block, number_text
from psa_core.charts.country_map import shapes

SQUARE_WIDTH, SQUARE_HEIGHT, NOTE_PIXELS = 92, 25, 22
MAP_WIDTH, MAP_HEIGHT = 820, 400
LAND, OUTLINE, NEUTRAL = "#F1F2F2", "#C3C9CB", "#EDEEEE"
DIVERGING = [_theme.DOWN, NEUTRAL, _theme.UP]
#: Two lines of a heading; class names cannot hold it.
BREAK = "\n"


def country_heat(blocks: Sequence[Block]) -> str:
    """Countries down, classes across, a number in each square.

    Parameters
    ----------
    blocks : sequence of Block
        As for `country_heat.country_heat`.

    Returns
    -------
    str
        SVG.
    """
    import altair as alt

    panels = [_block(block, is_first=place == 0) for place, block in enumerate(blocks)]
    return to_svg(alt.hconcat(*panels, spacing=18).resolve_scale(color="independent"))


def _block(block: Block, *, is_first: bool) -> Any:
    import altair as alt

    headings = [name + BREAK + note for name, note in zip(block.values.columns, block.notes, strict=True)]
    rows = block.values.set_axis(headings, axis=1).rename_axis("country").reset_index()
    rows = rows.melt("country", var_name="heading", value_name="value")
    rows["text"] = [number_text(value, block.number) for value in rows["value"].astype(float)]
    split = f"split(datum.label, {BREAK!r})"
    room: dict[str, Any] = {
        "labelPadding": NOTE_PIXELS if any(block.notes) else 4,
        "labelLimit": SQUARE_WIDTH,
        "labelAngle": 0,
    }
    top = alt.Axis(orient="top", labelExpr=split, titleAnchor="start", grid=False, **room)
    side = alt.Axis(labelLimit=200, grid=False) if is_first else None
    scale = alt.Scale(domain=[-block.strongest, 0, block.strongest], range=DIVERGING, interpolate="rgb", clamp=True)
    base = alt.Chart(rows).encode(
        alt.X("heading:N", sort=headings, title=block.title, axis=top),
        alt.Y("country:N", sort=block.values.index.tolist(), title=None, axis=side),
    )
    squares = base.mark_rect(stroke=_theme.PAPER, strokeWidth=2).encode(
        alt.Color("value:Q", scale=scale, legend=None), opacity=alt.condition("datum.text", alt.value(1), alt.value(0))
    )
    numbers = base.mark_text(fontSize=13, color=_theme.INK).encode(text="text:N")
    count, classes = block.values.shape
    return alt.layer(squares, numbers).properties(width=SQUARE_WIDTH * classes, height=SQUARE_HEIGHT * count)


def country_map(values: pd.DataFrame, *, title: str) -> str:
    """One number a country on a map of the world.

    Parameters
    ----------
    values : DataFrame
        As for `country_map.country_map`.
    title : str
        What the number is.

    Returns
    -------
    str
        SVG.
    """
    import altair as alt

    known = values[values["iso3"].isin(shapes()) & values["value"].notna()]
    top = float(known["value"].abs().max()) if len(known) else 0.0
    scale = alt.Scale(domain=[-(top or 1.0), 0, top or 1.0], range=DIVERGING, interpolate="rgb")
    words: dict[str, Any] = {"titleFontSize": 14, "titleFontWeight": "normal", "titleLimit": 500, "format": "+.3~f"}
    legend = alt.Legend(orient="bottom", title=title, gradientLength=340, **words)
    colour = alt.Color("properties.value:Q", scale=scale, legend=legend)
    features = [
        {**shapes()[code], "properties": {**shapes()[code]["properties"], "value": value}}
        for code, value in zip(known["iso3"], known["value"].astype(float), strict=True)
    ]
    layers = [
        _outlines(list(shapes().values())).mark_geoshape(fill=LAND, stroke=OUTLINE, strokeWidth=0.5),
        _outlines(features).mark_geoshape(stroke=_theme.MUTED, strokeWidth=0.7).encode(colour),
        _small(features)
        .mark_circle(size=90, stroke=_theme.MUTED, strokeWidth=1, opacity=1)
        .encode(longitude="longitude:Q", latitude="latitude:Q", color=alt.Color("value:Q", scale=scale, legend=legend)),
    ]
    size: dict[str, Any] = {"width": MAP_WIDTH, "height": MAP_HEIGHT, "padding": 24}
    return to_svg(alt.layer(*layers).project("naturalEarth1").properties(**size))


def _outlines(features: list[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=features))


def _small(features: list[dict[str, Any]]) -> Any:
    """Marks for the countries that are too small to see."""
    import altair as alt

    found = [feature["properties"] for feature in features if "point" in feature["properties"]]
    points = [(*properties["point"], properties["value"]) for properties in found]
    return alt.Chart(pd.DataFrame(points, columns=["longitude", "latitude", "value"]))
