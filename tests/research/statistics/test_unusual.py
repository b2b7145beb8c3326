"""Scorers and shapes that no method was made for: nothing is true of them, and the tables show what is claimed."""

from __future__ import annotations

import numpy as np
import pytest

from research.statistics import unusual


@pytest.mark.parametrize("label", unusual.SCORERS)
def test_no_column_of_a_scorer_has_a_mean_effect(label: str) -> None:
    cells = unusual.SCORERS[label](np.random.default_rng(0), 6000, 5)
    differences = cells[:, 1:] - cells[:, :1]
    error = differences.std(axis=0) / 6000**0.5
    assert cells.shape == (6000, 5)
    assert (np.abs(differences.mean(axis=0)) <= 4.5 * error).all()


@pytest.mark.parametrize("label", unusual.PAIRS)
def test_the_differences_of_two_studies_are_0_on_average(label: str) -> None:
    differences = unusual.PAIRS[label](np.random.default_rng(0), 20_000)
    assert abs(differences.mean()) < 4.5 * differences.std() / 20_000**0.5


def test_names_alike_are_no_finding() -> None:
    row = unusual.claims_of("two names alike to the last bit, one like the original", (12, 6), 4, 0)
    assert row.size == (12, 6)
    assert max(row.shares) <= 0.5


def test_a_share_above_chance_is_bold() -> None:
    rows = [unusual.Alarms("steady", (12, 500), (0.05, 0.4, 0.0, 0.0), 200)]
    assert "| steady | 12 × 500 | 5.0 | **40.0** | 0.0 | 0.0 |" in unusual.claims_markdown(rows)
    assert "bold above 8.1" in unusual.claims_markdown(rows)
    assert "| steady | 12 | 5.0 | **40.0** |" in unusual.pairs_markdown(
        [unusual.Alarms("steady", (12,), (0.05, 0.4), 200)]
    )
