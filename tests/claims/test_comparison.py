"""Findings about several studies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.comparison import comparison_finding


@pytest.mark.parametrize(("apart", "is_said"), [(3.9, False), (4.4, False), (4.55, True)])
def test_ten_studies_must_be_further_apart_than_two(apart: float, is_said: bool) -> None:
    """4.474 standard errors is the 5 % point of the range of ten (a published table); 3.92 separates two intervals."""
    values = np.array([apart, *[apart / 2] * 8, 0.0])
    table = pd.DataFrame({"label": [f"model {n}" for n in range(10)], "value": values})
    table["low"], table["high"] = table["value"] - 1.96, table["value"] + 1.96
    found = comparison_finding(table, "ScoreDev")
    assert found.is_significant == is_said
    assert ("more name-sensitive" in found.headline) == is_said
    assert ("of 10 studies, two may be this far apart by chance" in found.evidence) == (apart == 4.4)
    assert comparison_finding(table.iloc[[0, 9]], "ScoreDev").is_significant == (apart > 3.92)
