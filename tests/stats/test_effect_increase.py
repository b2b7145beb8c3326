"""Growth of effects since an earlier result: by hand, at the edge, and how often it is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from psa_core import stats
from psa_core.errors import OptionError


def drawn(seed: int, sentences: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.1, 0.3, sentences)


def test_against_no_earlier_effect_it_is_the_t_test_beyond_the_limit() -> None:
    now = drawn(0)
    one_side, other_side = (ttest_1samp(now, limit, alternative="greater").pvalue for limit in (0.02, -0.02))
    expected = one_side + other_side
    assert stats.increase_p(now, np.zeros(60), 0.02) == pytest.approx(expected)


def test_the_sign_does_not_matter() -> None:
    now, before = drawn(1), drawn(2) / 4
    expected = stats.increase_p(now, before, 0.01)
    for first, second in ((-1, 1), (1, -1), (-1, -1)):
        assert stats.increase_p(first * now, second * before, 0.01) == pytest.approx(expected, abs=0.2)
    assert stats.increase_p(-now, -before, 0.01) == pytest.approx(expected)


def test_an_effect_that_turned_around_has_not_grown() -> None:
    assert stats.increase_p(-np.full(40, 0.3), np.full(40, 0.3), 0.0) > 0.9


def test_what_was_there_before_and_what_shrank_is_no_growth() -> None:
    strong, weak = np.full(40, 0.5), np.full(40, 0.1)
    assert stats.increase_p(strong, strong, 0.0) == stats.increase_p(weak, strong, 0.0) == 1
    assert stats.increase_p(strong, weak, 0.3) == 0 and stats.increase_p(strong, weak, 0.5) == 1


def test_few_sentences_are_never_sure() -> None:
    grown = np.full((5, 2), 0.5)
    assert stats.increase_p(grown, 0 * grown, 0.1).tolist() == [2**-4] * 2
    assert np.isnan(stats.increase_p(grown[:1], 0 * grown[:1], 0.1)).all()


@pytest.mark.parametrize("limit", [-0.1, float("nan")])
def test_a_limit_is_not_negative(limit: float) -> None:
    with pytest.raises(OptionError, match="limit"):
        stats.increase_p([0.1, 0.2], [0.0, 0.0], limit)


@pytest.mark.parametrize("kind", ["noise", "rare jumps", "skewed", "one class"])
@pytest.mark.parametrize("limit", [0.0, 0.02])
def test_it_does_not_cry_wolf(kind: str, limit: float) -> None:
    """Of 300 gates over 20 names that nothing was planted in, at most 5 % fail (here with room for chance)."""
    random, shape, failed = np.random.default_rng(3), (40, 20), 0
    for _ in range(300):
        now, before = (
            {
                "noise": lambda: random.normal(0.1, 0.2, shape),
                "rare jumps": lambda: (random.random(shape) < 0.03) * 1.0,
                "skewed": lambda: random.exponential(0.1, shape),
                "one class": lambda: random.integers(0, 2, shape) * 1.0,
            }[kind]()
            for _ in range(2)
        )
        failed += bool((stats.increase_p(now, before, limit) < 0.05).any())
    assert failed <= 25


def test_it_sees_what_was_planted() -> None:
    random = np.random.default_rng(4)
    noise = random.normal(0, 0.1, (2, 40, 20))
    noise[0, :, 7] += 0.2
    found = stats.increase_p(*noise, 0.05) < 0.05
    assert np.flatnonzero(found).tolist() == [7]
