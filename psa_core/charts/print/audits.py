"""Static SVG figures of the audits: box plots, heat map, world map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, drawing_svg, filled, template, to_svg
from psa_core.charts.country_heat import Block, number_text
from psa_core.charts.country_map import drawn_countries, shapes
from psa_core.charts.eec_boxes import AXIS_TITLE, LOOKS, SPREAD_TITLE

BOX_PIXELS, BOXES_WIDTH = 44, 620
SQUARE_WIDTH, SQUARE_HEIGHT, NOTE_PIXELS = 92, 25, 22
MAP_WIDTH, MAP_HEIGHT = 820, 400
LAND, OUTLINE, NEUTRAL, ZERO = _theme.PAPER, "#C3C9CB", "#EDEEEE", "#BDC4C7"
DIVERGING = [_theme.DOWN, NEUTRAL, _theme.UP]
MEDIAN = {"color": _theme.INK}
#: Two lines of a label; system and target names cannot hold it.
BREAK = "\n"


def delta_boxes(deltas: pd.DataFrame, systems: pd.DataFrame, verdicts: tuple[str, ...], *, points: bool) -> str:
    """Figures 1 and 2 of the Equity audit.

    Parameters
    ----------
    deltas, systems : DataFrame
        As for `eec_boxes.delta_boxes`.
    verdicts : tuple of str
        The three verdicts in the paper's order; they tell colour and mark.
    points : bool
        A stroke for every pair; else those beyond the whiskers only.

    Returns
    -------
    str
        SVG.
    """
    marks = {verdict: look[2] for verdict, look in zip(verdicts, LOOKS, strict=True)}
    words = {verdict: f"{mark} {verdict}" for verdict, mark in marks.items()}
    labels = systems["verdict"].map(marks) + " " + systems["system"] + BREAK + systems["target"]
    boxes = systems[["system", "target", "spread"]].assign(label=labels, verdict=systems["verdict"].map(words))
    rows = deltas[["system", "target", "delta"]].merge(boxes, on=["system", "target"]).round({"delta": 5})
    chart = _boxes(list(words.values()), points=points).properties(height=BOX_PIXELS * len(systems))
    return drawing_svg(Drawing(rows, filled(template(chart), y_order=labels.tolist())), width=BOXES_WIDTH)


def _boxes(verdicts: list[str], *, points: bool) -> Any:
    import altair as alt

    axis = alt.Axis(labelExpr=f"split(datum.label, {BREAK!r})", labelLimit=260, labelFontSize=13, labelOffset=-8)
    legend = alt.Legend(orient="top", title=None, labelLimit=300, symbolOpacity=1)
    scale = alt.Scale(domain=verdicts, range=[look[0] for look in LOOKS])
    base = alt.Chart().encode(
        alt.Y("label:N", title=None, axis=axis), alt.Color("verdict:N", scale=scale, legend=legend)
    )
    x = alt.X("delta:Q", title=AXIS_TITLE, axis=alt.Axis(format=".6~f", tickCount=8))
    zero = alt.Chart().mark_rule(color=_theme.MUTED).encode(x=alt.datum(0))
    beyond: Any = False if points else {"size": 12, "opacity": 0.45}
    edge = {"stroke": _theme.INK, "fillOpacity": 0.25 if points else 0.75}
    box = base.mark_boxplot(extent=1.5, size=20, box=edge, ticks={"size": 14}, outliers=beyond, median=MEDIAN)
    pairs = [base.mark_tick(thickness=1, size=30, opacity=0.25).encode(x)] if points else []
    return alt.layer(zero, *pairs, box.encode(x), *_spreads(base)).configure(aria=False)


def _spreads(base: Any) -> list[Any]:
    """Each box's Δ-spread at its right, under a heading."""
    import altair as alt

    beside: dict[str, Any] = {"align": "left", "dx": 10, "fontSize": 13}
    right, ink = alt.value("width"), alt.value(_theme.INK)
    numbers = base.mark_text(**beside).encode(x=right, text=alt.Text("max(spread):Q", format=".3f"), color=ink)
    heading = alt.Chart().transform_aggregate(rows="count()").mark_text(baseline="bottom", dy=-6, **beside)
    return [numbers, heading.encode(x=right, y=alt.value(0), text=alt.value(SPREAD_TITLE), color=ink)]


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

    known, top = drawn_countries(values)
    scale = alt.Scale(domain=[-top, 0, top], range=[_theme.DOWN, ZERO, _theme.UP], interpolate="rgb")
    words: dict[str, Any] = {"titleFontSize": 14, "titleFontWeight": "normal", "titleLimit": 500, "format": ".6~f"}
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
