"""One number per country on a world map drawn from packaged geometry."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import faded
from psa_core.charts.drawing import CONFIG, Drawing, Spec, quantity, words
from psa_core.charts.squares import number_text
from psa_core.registry import ASSETS

HEIGHT = 460
STRONG = 0.9
#: Zero is a colour; a country without a number has none, only its outline.
COLOURS = [faded(_theme.DOWN, STRONG), faded(_theme.MUTED, 0.5), faded(_theme.UP, STRONG)]


def country_map(values: pd.DataFrame, *, title: str, number: str = "+.1f", height: int = HEIGHT) -> Drawing:
    """Colour countries by a signed number: orange is more, blue is less, grey is zero.

    `values` is ``country, iso3, value``; a country without a code or a value is an outline. Countries too small to see
    have a round mark. `title` says what the number is, and `number` how it is written.
    """
    known = values[values["iso3"].isin(shapes()) & values["value"].notna()]
    top = float(known["value"].abs().max() if len(known) else 0.0) or 1.0
    places = [shapes()[code]["properties"].get("point", (None, None)) for code in known["iso3"]]
    rows = known.assign(
        shown=[number_text(value, number) for value in known["value"]],
        longitude=[point[0] for point in places],
        latitude=[point[1] for point in places],
    )
    has_small = bool(rows["longitude"].notna().any())
    return Drawing(rows, _spec(title, top, has_small=has_small) | {"height": height})


def _spec(title: str, top: float, *, has_small: bool) -> Spec:
    legend = {"orient": "bottom", "title": title, "titleLimit": 500, "format": ".6~f", "gradientLength": 280}
    scale = {"domain": [-top, 0, top], "range": COLOURS, "interpolate": "rgb"}
    tooltip = [words("country"), words("shown", title=title)]
    known = {"color": quantity("value", scale=scale, legend=legend), "tooltip": tooltip}
    edge = {"stroke": _theme.MUTED, "strokeWidth": 0.7}
    faint = edge | {"strokeOpacity": 0.5}
    outlines = {"values": list(shapes().values())}
    found = {"lookup": "iso3", "from": {"data": outlines, "key": "id", "fields": ["type", "geometry"]}}
    place = {"longitude": {"field": "longitude"}, "latitude": {"field": "latitude"}}
    round_marks = {
        "transform": [{"filter": "isValid(datum.longitude)"}],
        "mark": {"type": "circle", "size": 90, "opacity": 1, **edge},
        "encoding": {**known, **place},
    }
    return {
        "projection": {"type": "naturalEarth1"},
        "layer": [
            {"data": outlines, "mark": {"type": "geoshape", "fill": "transparent", "aria": False, **faint}},
            {"transform": [found], "mark": {"type": "geoshape", **edge}, "encoding": known},
            *([round_marks] if has_small else []),  # a group without marks is a picture without a name
        ],
        "config": CONFIG,
    }


@cache
def shapes() -> dict[str, dict[str, Any]]:
    """Outlines by ISO 3166-1 alpha-3 code."""
    collection = json.loads((ASSETS / "geo" / "countries.geojson").read_text(encoding="utf-8"))
    return {feature["id"]: feature for feature in collection["features"]}
