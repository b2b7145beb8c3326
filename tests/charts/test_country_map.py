"""The map of the world: bundled shapes of every country that has names, and outlines that are served by ourselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.nationality import gazetteers
from psa_core.charts.country_map import CONFIG, country_map
from psa_core.registry import ASSETS

pytestmark = pytest.mark.slow

STATIC = Path(__file__).resolve().parent.parent.parent / "static"
VALUES = pd.DataFrame(
    {
        "country": ["France", "Malta", "<b>India", "Spain", "Orange Free State"],
        "iso3": ["FRA", "MLT", "IND", "ESP", ""],
        "value": [1.5, -3.0, 0.0, np.nan, 2.0],
    }
)


def shapes() -> dict[str, dict]:
    return {f["id"]: f for f in json.loads((ASSETS / "geo" / "countries.geojson").read_text("utf-8"))["features"]}


def test_every_country_with_names_has_a_shape() -> None:
    missing = [c.name for c in gazetteers.countries().values() if c.iso3 not in shapes()]
    assert missing == ["Orange Free State"]


def test_the_geometry_is_small_and_inside_the_world() -> None:
    assert (ASSETS / "geo" / "countries.geojson").stat().st_size < 300_000
    for feature in shapes().values():
        polygons = feature["geometry"]["coordinates"]
        rings = [r for p in (polygons if feature["geometry"]["type"] == "MultiPolygon" else [polygons]) for r in p]
        for ring in rings:
            points = np.array(ring)
            assert (points[0] == points[-1]).all() and len(points) >= 4
            assert (np.abs(points) <= (180, 90)).all()


def test_areas_and_marks_carry_the_numbers() -> None:
    figure = country_map(VALUES, title="change in %")
    areas, marks = figure.data
    assert list(areas.locations) == ["FRA", "MLT", "IND"]
    assert list(areas.z) == [1.5, -3.0, 0.0]
    assert {feature["id"] for feature in areas.geojson["features"]} == {"FRA", "MLT", "IND"}
    assert (marks.lon[0], marks.lat[0]) == pytest.approx((14.46, 35.88))
    assert list(areas.customdata) == ["France: <b>+1.5</b>", "Malta: <b>−3.0</b>", "&lt;b&gt;India: <b>0.0</b>"]


def test_the_scale_is_even_about_zero() -> None:
    axis = country_map(VALUES, title="x").layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-3.0, 3.0)
    empty = country_map(VALUES.iloc[:0], title="x").layout.coloraxis
    assert (empty.cmin, empty.cmax) == (-1.0, 1.0)
    zeros = country_map(VALUES.assign(value=0.0), title="x").layout.coloraxis
    assert zeros.cmax > 0


def test_outlines_come_from_our_own_server() -> None:
    """Plotly would ask its own server for them, whatever shapes a figure brings along."""
    assert CONFIG["topojsonURL"] == "app/static/geo/"
    world = json.loads((STATIC / "geo" / "world_110m.json").read_text("utf-8"))
    assert world["type"] == "Topology"
    assert {"land", "countries", "coastlines"} <= set(world["objects"])
