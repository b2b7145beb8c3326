"""Names' spread beside that of neutral edits, by hand and by simulation."""

import math

import numpy as np
import pytest

from psa_core.errors import CubeError
from psa_core.stats import Families, brittleness_floor

#: Trials of a simulation; a claim that is false in 5 % of them is seen at most so often, but once in a thousand times.
TRIALS, MOST = 200, 20


def test_spreads_are_root_mean_squares_of_standard_deviations():
    found = brittleness_floor([[0.0, 2.0], [1.0, 5.0]], [[0.0, 0.0, 3.0], [1.0, 1.0, 1.0]])
    assert found.names == pytest.approx(math.sqrt((2 + 8) / 2)) and found.edits == pytest.approx(math.sqrt(3 / 2))
    assert math.isnan(found.p)  # of two texts and two names nothing is said


def test_edits_that_change_nothing_are_an_infinite_ratio():
    scores = np.random.default_rng(0).normal(size=(8, 6))
    found = brittleness_floor(scores, np.zeros((8, 3)))
    assert found.edits == 0 and math.isinf(found.ratio) and found.p == 0


def test_names_that_change_nothing_claim_nothing():
    assert math.isnan(brittleness_floor(np.zeros((8, 6)), np.zeros((8, 3))).p)


@pytest.mark.parametrize(("names", "edits"), [((3, 1), (3, 2)), ((3, 4), (2, 4)), ((3,), (3, 2))])
def test_shapes_are_checked(names, edits):
    with pytest.raises(CubeError, match="controls"):
        brittleness_floor(np.zeros(names), np.zeros(edits))


def simulated(names: float, *, shared: float = 0.0, families: Families | None = None) -> list[tuple[float, float]]:
    """Ratio and p-value of trials in which names are so many times as strong as edits."""
    draw, found = np.random.default_rng(5), []
    for _ in range(TRIALS):
        main, own = draw.normal(size=(1, 20)), draw.normal(size=(24, 20))
        scores = names * (math.sqrt(shared) * main + math.sqrt(1 - shared) * own)
        result = brittleness_floor(scores, draw.normal(size=(24, 11)), families=families)
        found.append((result.ratio, result.p))
    return found


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_names_as_strong_as_edits_are_seldom_called_stronger(shared):
    assert sum(ratio > 1 and p < 0.05 for ratio, p in simulated(1.0, shared=shared)) <= MOST


def test_families_are_the_units():
    families = Families.of(np.repeat(np.arange(12), 2))
    assert sum(p < 0.05 for _, p in simulated(1.0, families=families)) <= MOST


@pytest.mark.parametrize("strength", [2.5, 0.4])
def test_a_difference_is_found_and_has_its_direction(strength):
    found = simulated(strength)
    assert all((ratio > 1) == (strength > 1) for ratio, _ in found)
    assert sum(p < 0.05 for _, p in found) > 0.9 * TRIALS
