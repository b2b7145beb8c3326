"""How often what is said of an order holds: the studies are noise, and the table shows a miss as a miss."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research.documents import replaced
from research.statistics import order, why

PAGE = Path(__file__).parents[3] / "docs" / "statistics.md"


@pytest.mark.parametrize("scorer", order.SCORERS)
def test_every_name_of_a_scorer_of_noise_has_the_same_mean(scorer: str) -> None:
    scores = order.noise(scorer, np.random.default_rng(0), 4000, 6)
    errors = np.ptp(scores.mean(axis=0)) / (scores.std() / 4000**0.5)
    assert scores.shape == (4000, 6)
    assert 0 < errors < 8


def test_shares_are_counted_for_each_scorer_and_size() -> None:
    rows = list(order.noise_rows(2, sizes=((6, 4),)))
    assert [row.scorer for row in rows] == list(order.SCORERS)
    assert {share for row in rows for share in row.shares.values()} <= {0.0, 0.5, 1.0}


def test_a_miss_is_shown_as_one() -> None:
    text = order.noise_markdown([order.Held("normal", {(30, 20): 0.948, (30, 100): 0.92}, 400)])
    assert "| normal | 94.8 | **92.0** |" in text
    assert "each ± 2.2" in text


def test_the_page_has_a_place_for_each_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    written = replaced(page, {mark: f"table {mark}" for mark in why.PARTS.values()})
    assert all(f"\ntable {mark}\n" in written for mark in why.PARTS.values())
