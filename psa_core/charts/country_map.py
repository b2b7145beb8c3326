"""One number per country on a world map drawn from packaged geometry."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import faded, shown_label
from psa_core.charts.country_heat import number_text
from psa_core.registry import ASSETS

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 460
STRONG = 0.9
#: Zero is a colour; a country without a number has none, only its outline.
ZERO = faded(_theme.MUTED, 0.5)
DIVERGING = ((0.0, faded(_theme.DOWN, STRONG)), (0.5, ZERO), (1.0, faded(_theme.UP, STRONG)))
#: Plotly asks for outlines, by default from its own server, even where the shapes are given; these are ours.
CONFIG = {"topojsonURL": "app/static/geo/", "displayModeBar": False, "scrollZoom": False}


def country_map(values: pd.DataFrame, *, title: str, number: str = "+.1f", height: int = HEIGHT) -> go.Figure:
    """Colour countries by a signed number.

    Parameters
    ----------
    values : DataFrame
        ``country, iso3, value``; rows without a code or a value are left out.
    title : str
        What the number is.
    number : str
        Its format.
    height : int
        In pixels.

    Returns
    -------
    Figure
        To be shown with `CONFIG`. Orange is more, blue is less, grey is zero; a country without a number is an outline.
        Countries too small to see have a round mark.
    """
    known, top = drawn_countries(values)
    drawn = _theme.figure(height, showlegend=False)
    scale = {"cmin": -top, "cmax": top, "colorscale": [list(stop) for stop in DIVERGING], "colorbar": _bar(title)}
    drawn.update_layout(coloraxis=scale, geo=_geo(), margin={"l": 0, "r": 0, "t": 0, "b": 0})
    drawn.add_trace(_areas(known, number))
    drawn.add_trace(_marks(known, number))
    return drawn


def drawn_countries(values: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """The rows that have an outline and a value, and the value of the strongest colour."""
    known = values[values["iso3"].isin(shapes()) & values["value"].notna()]
    return known, float(known["value"].abs().max() if len(known) else 0.0) or 1.0


def _areas(known: pd.DataFrame, number: str) -> go.Choropleth:
    import plotly.graph_objects as go

    return go.Choropleth(
        geojson={"type": "FeatureCollection", "features": [shapes()[code] for code in known["iso3"]]},
        featureidkey="id",
        locations=known["iso3"],
        z=known["value"],
        coloraxis="coloraxis",
        marker={"line": {"color": _theme.MUTED, "width": 0.7}},
        customdata=_words(known, number),
        hovertemplate="%{customdata}<extra></extra>",
    )


def _marks(known: pd.DataFrame, number: str) -> go.Scattergeo:
    import plotly.graph_objects as go

    is_small = ["point" in shapes()[code]["properties"] for code in known["iso3"]]
    small = known[np.array(is_small, bool)]
    points = [shapes()[code]["properties"]["point"] for code in small["iso3"]]
    return go.Scattergeo(
        lon=[point[0] for point in points],
        lat=[point[1] for point in points],
        mode="markers",
        marker={
            "size": 10,
            "color": small["value"],
            "coloraxis": "coloraxis",
            "line": {"color": _theme.MUTED, "width": 1},
        },
        customdata=_words(small, number),
        hovertemplate="%{customdata}<extra></extra>",
    )


def _words(rows: pd.DataFrame, number: str) -> np.ndarray:
    texts = [
        f"{shown_label(country)}: <b>{number_text(value, number)}</b>"
        for country, value in zip(rows["country"], rows["value"], strict=True)
    ]
    return np.array(texts, dtype=object)


def _geo() -> dict[str, Any]:
    return {
        "projection": {"type": "natural earth"},
        "bgcolor": "rgba(0,0,0,0)",
        "showframe": False,
        "showcoastlines": False,
        "showland": True,
        "landcolor": "rgba(0,0,0,0)",
        "showcountries": True,
        "countrycolor": faded(_theme.MUTED, 0.35),
        "showocean": False,
        "showlakes": False,
        "lataxis": {"range": [-57, 84]},
        "resolution": 110,
    }


def _bar(title: str) -> dict[str, Any]:
    text = {"text": _theme.ink(shown_label(title, width=60)), "side": "top", "font": {"size": 14}}
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.02, "yanchor": "top", "len": 0.6}
    return place | {"title": text, "thickness": 12, "tickfont": {"size": 13}, "outlinewidth": 0, **_theme.INKED}


@cache
def shapes() -> dict[str, dict[str, Any]]:
    """Outlines by ISO 3166-1 alpha-3 code."""
    collection = json.loads((ASSETS / "geo" / "countries.geojson").read_text(encoding="utf-8"))
    return {feature["id"]: feature for feature in collection["features"]}
