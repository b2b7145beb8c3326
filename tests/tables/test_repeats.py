from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.comparison import comparison_finding
from psa_core.stats import repeat_floors
from psa_core.tables.repeats import beyond_floor

RANGE = {"value": 0.5, "low": 0.3, "high": 0.34, "floor": 0.3, "p": 0.01}


def test_a_range_loses_its_floor_by_squares_and_a_share_by_subtraction() -> None:
    metrics = {"score_range": RANGE, "label_dist": RANGE}
    assert beyond_floor(metrics, "score_range", 20) == pytest.approx({"value": 0.4, "low": 0.0, "high": 0.16})
    assert beyond_floor(metrics, "label_dist", 20) == pytest.approx({"value": 0.2, "low": 0.0, "high": 0.04})


def test_what_is_not_above_its_floor_is_nothing_and_what_is_not_sampled_stays() -> None:
    metrics = {"score_range": RANGE | {"p": 0.2}, "mean_abs_delta": {"value": 0.5, "low": 0.4, "high": None}}
    assert beyond_floor(metrics, "score_range", 20) == pytest.approx({"value": 0.0, "low": 0.0, "high": 0.16})
    assert beyond_floor(metrics, "score_range", 0) == {"value": 0.5, "low": 0.3, "high": 0.34}
    assert np.isnan(beyond_floor(metrics, "mean_abs_delta", 20)["low"])
    assert beyond_floor(metrics, "mean_abs_delta", 0)["low"] == 0.4


def test_two_judges_that_see_no_names_do_not_differ_by_how_often_they_were_asked() -> None:
    random, raw, left = np.random.default_rng(3), [], []
    for samples in (5, 40):
        cells = random.binomial(samples, 0.5, (40, 11)) / samples
        found = repeat_floors(cells[:, 0], cells[:, 1:], samples=samples, ends=(0, 1))["score_range"][0]
        spans = np.ptp(cells[:, 1:], axis=1)
        half = 2 * spans.std() / np.sqrt(len(spans))
        row = {"value": spans.mean(), "low": spans.mean() - half, "high": spans.mean() + half}
        raw.append({"label": f"{samples}", **row})
        floor = {"score_range": row | {"floor": found.floor, "p": found.p}}
        left.append({"label": f"{samples}", **beyond_floor(floor, "score_range", samples)})
    assert comparison_finding(pd.DataFrame(raw), "ScoreRange").is_significant
    assert not comparison_finding(pd.DataFrame(left), "ScoreRange").is_significant
