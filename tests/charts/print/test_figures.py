"""Still figures: complete SVG, names as text, nothing that is fetched."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts.bar_order import BarOptions
from psa_core.charts.print.figures import name_figure, threshold_figure
from psa_core.charts.score_sens import score_sens_bars


def names(count: int = 4) -> pd.DataFrame:
    effect = np.linspace(-0.05, 0.05, count)
    return pd.DataFrame(
        {
            "name": ["Ann <b>", *(f"name {i}" for i in range(1, count))],
            "career": ["actor", "leader"] * (count // 2),
            "gender": "female",
            "score_sens": effect,
            "ci_low": effect - 0.01,
            "ci_high": effect + 0.01,
            "p_adjusted": [0.001] + [0.5] * (count - 1),
        }
    )


def test_name_figure_has_every_name_with_its_group() -> None:
    drawn = name_figure(names(), BarOptions(colour_by="career", section_by="gender", axis_title="Mean change"))
    assert drawn.startswith("<svg") and "Mean change" in drawn
    assert "Ann &lt;b&gt; · actor" in drawn and "name 3 · leader" in drawn and "female · 4 names" in drawn
    assert 'aria-label="name 3: +0.050"' in drawn, "a bar is read aloud with its name"
    assert "<image" not in drawn and "href" not in drawn


def test_a_group_has_the_colour_that_it_has_on_the_page() -> None:
    rows = names(6).assign(career=["zoologist"] * 4 + ["actor"] * 2)
    options = BarOptions(colour_by="career")
    page = {trace["name"]: trace["marker"]["line"]["color"] for trace in score_sens_bars(rows, options).data[:2]}
    assert page == {"zoologist": _theme.CATEGORICAL[0], "actor": _theme.CATEGORICAL[1]}
    bars = re.findall(r'aria-roledescription="bar"[^>]* fill="([^"]+)"', name_figure(rows, options))
    assert [bars.count(colour) for colour in page.values()] == [4, 2]


@pytest.mark.parametrize("limit", [0, 3])
def test_long_lists_say_what_they_leave_out(limit: int) -> None:
    drawn = name_figure(names(20), BarOptions(limit=limit))
    assert ("… 14 more" in drawn) == bool(limit)


def test_missing_intervals_and_p_values_still_draw() -> None:
    rows = names().assign(ci_low=np.nan, ci_high=np.nan, p_adjusted=np.nan)
    assert "name 3" in name_figure(rows, BarOptions())


def test_threshold_figure() -> None:
    thresholds = np.linspace(-1, 1, 5)
    rows = pd.DataFrame({"threshold": thresholds, "label_dist": 0.2, "low": 0.1, "high": 0.3})
    drawn = threshold_figure(rows.assign(flips_up=3, flips_down=2), target="sentiment", threshold=0.0)
    assert "Threshold on sentiment" in drawn and "LabelDist" in drawn and "Flipped cells" in drawn
    assert ">2 ↓<" in drawn and ">2 ↑<" in drawn and ">−2" not in drawn
