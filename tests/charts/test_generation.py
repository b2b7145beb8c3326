"""The matrix of values: every pair can be seen and clicked, also where none is above noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.charts.generation import value_matrix

VALUES = ["baker", "nurse", "sheriff"]


@pytest.mark.parametrize("distance", [np.nan, 0.2])
def test_pairs_that_are_not_above_noise_have_a_square_and_a_point(distance: float) -> None:
    square = pd.DataFrame(np.nan, index=VALUES, columns=VALUES)
    square.loc["baker", "nurse"] = square.loc["nurse", "baker"] = distance
    heat, marks = value_matrix(square).data
    drawn = np.array(heat.z, float)
    assert np.isfinite(drawn).tolist() == (~np.eye(3, dtype=bool)).tolist()
    texts = np.array(heat.text, str)
    shown = np.char.find(texts, "·") >= 0
    assert shown.sum() == (6 if np.isnan(distance) else 4)
    assert np.nan_to_num(drawn)[shown].max() == 0
    pairs = [[a, b] for a in VALUES for b in VALUES if a != b]
    assert np.array(marks.customdata).tolist() == pairs
