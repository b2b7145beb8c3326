from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from psa_core.stats import Contrast, Interactions, compare_groups, interaction_contrasts
from psa_core.stats.contrasts import centred_name_means
from psa_core.stats.groups import interaction_floors

RANDOM = np.random.default_rng(5)


def people(per_cell: int, races: str = "bwh") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gender, race and crossed group of so many names of each."""
    pairs = [(gender, race) for gender in "fm" for race in races for _ in range(per_cell)]
    genders, of_race = (np.array(column, dtype=object) for column in zip(*pairs, strict=True))
    return genders, of_race, np.array([f"{gender}*{race}" for gender, race in pairs], dtype=object)


def test_missing_answers_by_hand() -> None:
    scores = [[1.0, np.nan, 4.0, 2.0], [np.nan, np.nan, 1.0, 3.0]]
    contrast = Contrast.between([True, True, False, False], [False, False, True, True])
    assert contrast.of(scores)[0] == 1.0 - 3.0
    assert np.isnan(contrast.of(scores)[1])
    # first row less its mean 7/3, second less 2
    assert centred_name_means(scores) == pytest.approx([-4 / 3, 0, (5 / 3 - 1) / 2, (-1 / 3 + 1) / 2])


def test_leaving_one_name_out_by_hand() -> None:
    contrast = Contrast.between([1, 1, 0, 0], [0, 0, 1, 1])
    assert contrast.without_extreme([0.9, 0.1, 0.0, 0.0]) == pytest.approx(0.1)
    assert Contrast.between([1, 0, 0, 0], [0, 1, 1, 1]).without_extreme([0.9, 0.1, 0.0, 0.0]) == 0.0


def test_two_by_two_is_the_difference_of_differences() -> None:
    genders, races, _ = people(2, "bw")
    means = np.array([0.5, 0.7, 0.1, 0.1, 0.2, 0.2, 0.3, 0.1])
    ((pair, contrast),) = interaction_contrasts(genders, races).items()
    assert pair == ("f", "b")
    assert contrast.of(means[None, :])[0] == pytest.approx((0.6 - 0.1) - (0.2 - 0.2))


def test_the_interaction_is_the_coefficient_of_an_additive_model_with_one_extra() -> None:
    genders, races, cells = people(4)
    means = RANDOM.normal(0, 1, len(cells))
    found = interaction_contrasts(genders, races)
    assert list(found) == [("f", "b"), ("f", "w"), ("f", "h")]
    frame = {"y": means, "g": genders.astype(str), "r": races.astype(str), "cell": (cells == "f*w").astype(float)}
    model = smf.ols("y ~ C(g) + C(r) + cell", pd.DataFrame(frame)).fit()
    # with equal sizes, what one cell has beyond the additive fit of the others
    assert found["f", "w"].of(means[None, :])[0] == pytest.approx(model.params["cell"])


def test_groups_that_do_not_meet_are_left_out() -> None:
    genders, races, _ = people(2)
    races[:2] = None  # no Black women
    assert list(interaction_contrasts(genders, races)) == [("f", "w")]
    races[races == "h"] = None
    assert interaction_contrasts(genders, races) == {}


def test_main_effects_are_no_interaction_and_an_interaction_is_found() -> None:
    genders, races, cells = people(10)
    columns, contrasts = (genders, races), interaction_contrasts(genders, races)
    additive = 3.0 * (genders == "f") + 2.0 * (races == "b") + RANDOM.normal(0, 0.1, len(cells))
    floors = interaction_floors(additive, list(contrasts.values()), cells, columns)
    assert floors.p_adjusted.min() > 0.1
    moved = additive + 0.5 * (cells == "f*b")
    floors = interaction_floors(moved, list(contrasts.values()), cells, columns)
    assert floors.observed[0] == pytest.approx(0.5, abs=0.15)
    assert floors.p_adjusted[0] < 0.01 and floors.is_above[0]


def test_comparisons_are_corrected_together() -> None:
    genders, races, cells = people(5)
    scores = RANDOM.normal(0, 1, (30, len(cells)))
    own = [Contrast.between(cells == cell, cells != cell) for cell in dict.fromkeys(cells)]
    crossing = interaction_contrasts(genders, races)
    alone = compare_groups(scores, own)
    both = compare_groups(scores, own, Interactions(list(crossing.values()), cells, (genders, races)))
    assert len(both.value) == len(own) + 3
    assert (both.p_adjusted[: len(own)] >= alone.p_adjusted - 1e-12).all()
    assert both.value[: len(own)] == pytest.approx(alone.value)


def test_missing_cells_leave_the_rest_as_it_is() -> None:
    genders, _, cells = people(5)
    scores = RANDOM.normal(0, 1, (40, len(cells)))
    contrast = [Contrast.between(genders == "f", genders == "m")]
    whole = compare_groups(scores, contrast)
    gappy = scores.copy()
    gappy[0, genders == "f"] = np.nan
    found = compare_groups(gappy, contrast)
    assert found.value[0] == pytest.approx(contrast[0].of(scores[1:]).mean())
    assert whole.value[0] == pytest.approx(contrast[0].of(scores).mean())
