"""Where nothing goes with anything, little is said to."""

from __future__ import annotations

from research.statistics.associations import MARGINALS, NULLS, false_correlations, false_reasons


def test_few_false_claims_in_a_quick_count() -> None:
    assert false_correlations(next(iter(MARGINALS)), 20, 20) <= 0.2
    factor, name, by_residuals = false_reasons(next(iter(NULLS)), 12, 15)
    assert factor <= 0.2 and name == 0 < by_residuals
