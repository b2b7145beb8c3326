"""The map of the world: bundled shapes of every country that has names, coloured by a number."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from psa_core.charts.country_map import country_map
from psa_core.charts.drawing import drawing_svg
from psa_core.inputs import gazetteers
from psa_core.registry import ASSETS

pytestmark = pytest.mark.slow

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


def domain(values: pd.DataFrame) -> list[float]:
    return country_map(values, title="x").spec["layer"][1]["encoding"]["color"]["scale"]["domain"]


def test_areas_and_marks_carry_the_numbers() -> None:
    rows = country_map(VALUES, title="change in %").rows
    assert rows["iso3"].tolist() == ["FRA", "MLT", "IND"]
    assert rows["shown"].tolist() == ["+1.5", "−3.0", "0.0"]
    assert rows["longitude"].tolist()[1] == pytest.approx(14.46) and rows["longitude"].isna().tolist() == [1, 0, 1]


def test_the_scale_is_even_about_zero() -> None:
    assert domain(VALUES) == [-3.0, 0, 3.0]
    assert domain(VALUES.iloc[:0]) == [-1.0, 0, 1.0]
    assert domain(VALUES.assign(value=0.0))[2] > 0


@pytest.mark.parametrize(("count", "circles"), [(5, 1), (1, 0), (0, 0)])
def test_the_map_has_its_title_and_a_mark_for_a_small_country(count: int, circles: int) -> None:
    drawn = drawing_svg(country_map(VALUES.iloc[:count], title="anger: change in %"))
    assert ">anger: change in %<" in drawn and "href" not in drawn and "<b>India" not in drawn
    assert drawn.count('aria-roledescription="circle"') == circles
