from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from research.statistics import claims, page
from research.statistics.scorers import SCORERS


@pytest.mark.parametrize("key", SCORERS)
def test_a_scorer_draws_what_it_says(key: str) -> None:
    study = SCORERS[key].study(np.random.default_rng(0), 40, 10, planted=2, effect=0.3)
    assert study.original.shape == (40,)
    assert study.perturbed.shape == (40, 10)
    assert np.isfinite(study.perturbed).all()
    assert study.perturbed[:, -2:].mean() > np.median(study.perturbed[:, SCORERS[key].moved : -2])


def test_rare_events_no_longer_make_names_sure() -> None:
    counted = claims.claims_of("rare2", 100, 10, 0)
    assert counted.before == 1
    assert counted.names <= 0.2
    assert counted.found_names > 0.9


def test_a_false_claim_in_a_fifth_of_the_studies_breaks_the_promise() -> None:
    counted = claims.Claims("a", 12, 0.04, 0.05, 0.03, 1.0, 0.0, 0.05, 1.0, 1.0, 1.0, 400)
    assert counted.holds
    assert not replace(counted, groups=0.2).holds
    text = page.markdown([], page.pd.DataFrame({"sentences": [], "detectable": []}), [counted], {12: 0.01})
    assert "| a | 12 | 4.0 | 5.0 | 3.0 | 0.0 | 5.0 | 100.0 | 100.0 | 100.0 | 100.0 | yes |" in text
    assert "| 12 | 1.0 % |" in text


@pytest.mark.parametrize("sentences", [12, 300])
def test_unseen_jumps_are_seldom_called_equivalent(sentences: int) -> None:
    assert claims.unseen_jumps(sentences, 1000) <= 0.06
