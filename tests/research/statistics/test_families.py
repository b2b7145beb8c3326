"""Families in the simulation: few are never claimed of, near-copies no oftener than promised, planted names found."""

from __future__ import annotations

import numpy as np
import pytest

from research.statistics import families


def test_designs_have_120_sentences_and_their_families() -> None:
    random = np.random.default_rng(0)
    for key, design in families.DESIGNS.items():
        sizes = design.sizes(random)
        assert sizes.sum() == 120 and sizes.min() >= 1, key
    assert len(families.DESIGNS["only12"].sizes(random)) == 12


@pytest.mark.parametrize(("design", "most"), [("only4", 0.0), ("copies50", 0.3)])
def test_claims_are_counted(design: str, most: float) -> None:
    row = families.claims_of(design, "grid", 10)
    assert row.worst <= most < row.before
    assert row.found_names == 0 if most == 0 else row.found_names > 0.5
    assert f"| {row.design} | {row.scorer} |" in families.table([row])
