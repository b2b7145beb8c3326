"""The people of an equity audit: templates count once, planted races are found."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.audits.eec import corpus
from psa_core.audits.eec.reliability import by_template, people_table
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError

TARGET = Target("anger")


@pytest.fixture(scope="module")
def design() -> corpus.Design:
    return corpus.published_design()


def scored(design: corpus.Design, effect: np.ndarray) -> ScoreCube:
    random = np.random.default_rng(0)
    shape = (len(design.rows), len(design.people))
    scores = 0.4 + effect + 0.02 * random.normal(size=shape)
    return corpus.cube(design, (TARGET,), scores[:, :, None].astype(np.float32))


def test_each_template_is_one_row_and_each_first_name_one_column(design: corpus.Design) -> None:
    cube = scored(design, np.zeros(len(design.people)))
    found = by_template(cube)
    assert found.shape == (design.rows["template"].nunique(), 40, 1)
    first = (cube.sentences["text"] == found.sentences["text"][0]).to_numpy()
    named = design.people["race"].astype(bool).to_numpy() & design.people["race"].notna().to_numpy()
    assert found.perturbed[0] == pytest.approx(cube.perturbed[first][:, named].mean(axis=0))


def test_a_planted_race_goes_with_the_order(design: corpus.Design) -> None:
    race = design.people["race"].fillna("").to_numpy()
    value = sorted(set(race) - {""})[0]
    table = people_table(
        {"planted": scored(design, 0.1 * (race == value)), "noise": scored(design, 0.0 * (race == ""))}
    )
    planted, noise = table.iloc[0], table.iloc[1]
    assert planted["low"] > 0.3 and planted["goes with"].startswith("race")
    assert noise["low"] <= 0


def test_without_first_names_it_says_so(design: corpus.Design) -> None:
    cube = scored(design, np.zeros(len(design.people)))
    with pytest.raises(CubeError, match="race"):
        by_template(
            ScoreCube(cube.sentences, cube.names.drop(columns="race"), cube.targets, cube.original, cube.perturbed)
        )
