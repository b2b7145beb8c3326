from __future__ import annotations

import numpy as np
import pytest

from psa_core import metrics
from research.statistics.populations import population


def test_scores_are_shares_and_the_same_for_a_seed() -> None:
    crowd = population(4, seed=3)
    assert ((crowd.perturbed > 0) & (crowd.perturbed < 1)).all()
    assert (crowd.perturbed == population(4, seed=3).perturbed).all()
    assert (crowd.perturbed != population(4, seed=4).perturbed).any()


def test_effects_are_exactly_those_asked_for() -> None:
    effects = np.array([0.0, 0.02, -0.5])
    crowd = population(3).with_effects(effects)
    assert metrics.score_sens(crowd.original, crowd.perturbed) == pytest.approx(effects, abs=1e-12)


def test_a_study_holds_sentences_of_the_population() -> None:
    crowd = population(2)
    original, perturbed = crowd.study(np.random.default_rng(0), 5)
    assert perturbed.shape == (5, 2)
    row = int(np.flatnonzero(crowd.original == original[0])[0])
    assert (crowd.perturbed[row] == perturbed[0]).all()
