"""Countries are judged by the mean over their draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.nationality.reliability import by_country, country_finding, country_reliability
from psa_core.cube import ScoreCube
from tests.pages import result_studies


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    small = result_studies.cube(40)
    names = pd.DataFrame({"name": [f"n{i}" for i in range(12)], "country": list("abcdef") * 2, "draw": ["0", "1"] * 6})
    effects = 0.05 * (np.arange(12) % 6)
    scores = 0.3 + effects + 0.05 * np.random.default_rng(0).normal(size=(40, 12))
    return replace(small, names=names, perturbed=np.stack([scores] * 2, 2).astype(np.float32))


def test_a_country_is_the_mean_of_its_draws(cube: ScoreCube) -> None:
    found = by_country(cube)
    assert found.names["name"].tolist() == list("abcdef")
    assert found.perturbed[:, 1] == pytest.approx(cube.perturbed[:, [1, 7]].mean(axis=1))


def test_a_clear_order_would_repeat_and_noise_would_not(cube: ScoreCube) -> None:
    again = country_reliability(cube, "toxicity")
    assert "would repeat with a reliability of" in country_finding(again, "toxicity").headline
    noise = np.random.default_rng(1).random(cube.perturbed.shape).astype(np.float32)
    nothing = country_reliability(replace(cube, perturbed=noise), "toxicity")
    assert "another order" in country_finding(nothing, "toxicity").headline
    one = country_reliability(cube.rows([0]), "toxicity")
    assert "cannot be told" in country_finding(one, "toxicity").headline
