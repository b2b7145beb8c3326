from __future__ import annotations

import numpy as np
import pytest

from psa_core import stats
from research.statistics import sampled


def test_a_name_that_always_gets_a_yes_is_found_and_no_other() -> None:
    scores = np.random.default_rng(0).binomial(20, 0.5, (24, 6)) / 20
    scores[:, 2] = 1
    assert sampled._significant(scores, 0).tolist() == [False, False, True, False, False, False]


def test_shares_count_what_is_above_its_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    floors = {"flips": [stats.RepeatFloor(0.5, 0.4, 0.1, 0.01)], "score_dev": [stats.RepeatFloor(0.1, 0.1, 0, 0.9)]}
    monkeypatch.setattr(stats, "repeat_floors", lambda *_, **__: floors)
    monkeypatch.setattr(sampled, "_significant", lambda scores, _: scores.mean(axis=0) > 2)
    assert sampled.shares(100, 2, 5, studies=2) == (1.0, 0.0, 0.0)
