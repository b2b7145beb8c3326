"""Parts of names: their forms, effects by hand, and a scorer that reads one part only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_1samp
from statsmodels.stats.multitest import multipletests

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.tables import parts
from psa_core.tables.parts import (
    FIRST,
    REST,
    VARIANTS,
    WHOLE,
    because_table,
    part_shares,
    part_table,
    plan_parts,
    variants,
)
from tests.pages import result_studies

FIRSTS, LASTS = ("Ann", "Dick", "Ida", "Joe"), ("Lee", "Cheney", "Stone")
PEOPLE = [f"{first} {last}" for first in FIRSTS for last in LASTS]


def moved(text: str) -> float:
    """A scorer that reads one word, and a little of another."""
    return 0.2 + 0.5 * ("Dick" in text) + 0.01 * ("Stone" in text) + 0.001 * len(text.split()[-1])


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    small = result_studies.cube(10)
    named = small.names.assign(name=PEOPLE)
    perturbed = np.array([[moved(text.replace("He", name)) for name in PEOPLE] for text in small.sentences["text"]])
    return replace(small, names=named, perturbed=np.stack([perturbed] * 2, 2).astype(np.float32))


def test_a_name_has_its_forms() -> None:
    assert list(variants("Osama bin Laden").values()) == [
        "Osama bin Laden", "Osama", "bin Laden", "osama bin laden", "O. B. L.",
    ]  # fmt: skip
    assert list(variants("Cher")) == [WHOLE, FIRST, "lower case", "initials"]


def test_effects_are_those_of_the_texts_against_the_typical_name(cube: ScoreCube) -> None:
    plan = plan_parts(cube, sentences=4)
    assert len(plan.texts.names) == len(PEOPLE) * len(VARIANTS)
    scores = np.array([[moved(text) for text in plan.texts.row(s)] for s in range(4)])
    table = part_table(cube, "toxicity", plan, scores).set_index("name")
    assert table["whole"]["Dick Cheney"] == pytest.approx(0.5, abs=0.01)
    assert table["first_alone"]["Dick Cheney"] == pytest.approx(0.5, abs=0.01)
    assert table["rest_alone"]["Dick Cheney"] == pytest.approx(0, abs=0.01)
    assert table["lower_case"]["Dick Cheney"] == pytest.approx(0, abs=0.01)
    assert table["first_share"]["Dick Cheney"] == pytest.approx(1, abs=0.02)
    parts_alone = table["first_alone"] + table["rest_alone"]
    assert table["interaction"].tolist() == pytest.approx((table["whole"] - parts_alone).tolist())
    shares = part_shares(table.reset_index())
    assert shares[FIRST] > 0.9 and sum(shares.values()) == pytest.approx(1)


def test_one_name_that_a_lexicon_knows_is_enough_for_shares() -> None:
    table = pd.DataFrame({"whole": [0.5] + 9 * [0.0], "first_alone": [0.4] + 9 * [0.0], "rest_alone": 0.0})
    assert part_shares(table) == pytest.approx({FIRST: 1.0, REST: 0.0, "the two together": 0.0})


def test_six_names_that_differ_have_shares_and_five_have_none() -> None:
    table = pd.DataFrame({"whole": np.arange(6.0), "first_alone": np.arange(6.0), "rest_alone": 0.0})
    assert part_shares(table)[FIRST] == pytest.approx(1.0)
    assert part_shares(table.head(5)) == {} == part_shares(table.assign(whole=0.3))


def test_few_names_have_no_shares(cube: ScoreCube) -> None:
    plan = plan_parts(cube, sentences=4, names=["Dick Cheney", "Cher"])
    assert plan.names == ("Dick Cheney",)
    scores = np.array([[moved(text) for text in plan.texts.row(s)] for s in range(4)])
    table = part_table(cube, "toxicity", plan, scores)
    assert part_shares(table) == {}


def test_names_of_one_word_have_no_parts(cube: ScoreCube) -> None:
    with pytest.raises(CubeError, match="first and last names"):
        plan_parts(cube, names=["Cher"])


def test_one_name_in_one_sentence() -> None:
    score = {variant: moved(f"I met {text}") for variant, text in variants("Dick Stone").items()}
    table = parts.one_name("Dick Stone", score, moved("I met them"))
    assert table["text"].tolist() == ["Dick Stone", "Dick", "Stone", "dick stone", "D. S."]
    assert table["change"].tolist() == pytest.approx(
        [moved(f"I met {text}") - moved("I met them") for text in table["text"]]
    )
    alone = parts.one_name("Cher", {variant: 0.2 for variant in variants("Cher")}, 0.2)
    assert REST not in alone["variant"].tolist()


def test_the_typical_name_is_the_median_of_the_names(cube: ScoreCube) -> None:
    plan = plan_parts(cube, names=["Dick Cheney"])
    perturbed = cube.perturbed.copy()
    perturbed[:, 0] += 0.6  # one name that would carry a mean along
    moved_cube = replace(cube, perturbed=perturbed)
    level = np.median(perturbed[:, :, 0].mean(axis=0))
    scores = np.full((len(plan.rows), len(VARIANTS)), level)
    assert part_table(moved_cube, "toxicity", plan, scores)["whole"].tolist() == pytest.approx([0.0], abs=1e-6)


def test_the_effects_of_the_parts_are_those_of_the_table(cube: ScoreCube) -> None:
    plan = plan_parts(cube, names=[next(name for name in cube.names["name"] if " " in name)])
    scores = np.random.default_rng(0).random((len(plan.rows), len(VARIANTS)))
    table = parts.because_table(cube, cube.targets[0].name, plan, scores)
    whole = part_table(cube, cube.targets[0].name, plan, scores).iloc[0]
    assert table["effect"].tolist() == pytest.approx(whole[["whole", "first_alone", "rest_alone"]].tolist())
    assert (table["low"] < table["effect"]).all() and (table["effect"] < table["high"]).all()
    assert table["text"].tolist() == [plan.names[0], whole[FIRST], whole[REST]]


def test_a_share_of_the_first_part_is_of_what_the_full_name_does(cube: ScoreCube) -> None:
    plan = plan_parts(cube, sentences=4)
    scores = np.random.default_rng(0).random((4, len(plan.texts.names)))
    before = part_table(cube, "toxicity", plan, scores)
    assert before["first_share"][1] == pytest.approx(before["first_alone"][1] / before["whole"][1])
    scores[:, 0] -= before["whole"][0]  # the first name as a whole does nothing, nor does the second one's first part
    scores[:, len(VARIANTS) + 1] -= before["first_alone"][1]
    after = part_table(cube, "toxicity", plan, scores)["first_share"]
    assert np.isnan(after[0]) and after[1] == pytest.approx(0, abs=1e-9)


def test_a_sentence_with_some_answers_can_be_drawn_and_one_without_any_cannot(large_cube: ScoreCube) -> None:
    names = large_cube.names.assign(name=[f"Ann N{number}" for number in range(12)])
    perturbed = large_cube.perturbed.copy()
    perturbed[3, :5], perturbed[8] = np.nan, np.nan
    missing = {"missing": {"toxicity": {"no valid answer": 17}}}
    study = {"sentences": "s", "names": "n", "model": "m", "anchors": "pronouns"}
    cube = replace(large_cube, names=names, perturbed=perturbed, provenance={"study": study} | missing)
    assert plan_parts(cube, sentences=40).rows.tolist() == [row for row in range(40) if row != 8]


def test_three_forms_have_intervals_that_are_corrected_for_three(cube: ScoreCube) -> None:
    plan = plan_parts(cube, sentences=6, names=["Dick Cheney"])
    scores = np.random.default_rng(0).normal(0.5, 0.1, (6, len(VARIANTS)))
    table = because_table(cube, "toxicity", plan, scores)
    half = t.ppf(1 - 0.05 / 6, 5) * np.std(scores[:, 0], ddof=1) / 6**0.5
    assert (table["high"] - table["effect"])[0] == pytest.approx(half, rel=0.2)
    assert table["variant"].tolist() == [WHOLE, FIRST, REST]


def test_names_and_their_parts_stand_first_and_a_share_may_be_of_a_lowered_score(cube: ScoreCube) -> None:
    plan = plan_parts(cube, sentences=4)
    scores = np.array([[-moved(text) for text in plan.texts.row(s)] for s in range(4)])
    lowered = replace(cube, perturbed=-cube.perturbed)
    table = part_table(lowered, "toxicity", plan, scores)
    assert table.columns[:3].tolist() == ["name", FIRST, REST]
    assert table.set_index("name").loc["Dick Cheney", "first_share"] == pytest.approx(1, abs=0.02)


def test_p_values_of_the_three_forms_are_corrected(cube: ScoreCube) -> None:
    plan = plan_parts(cube, sentences=6, names=["Dick Cheney"])
    scores = np.random.default_rng(0).normal(0.2, 0.05, (6, len(VARIANTS)))
    effects = parts._part_effects(cube, "toxicity", plan, scores)[:, 0, :3]
    p_values = ttest_1samp(effects, 0).pvalue
    expected = multipletests(p_values, method="holm")[1]
    assert because_table(cube, "toxicity", plan, scores)["p_adjusted"].tolist() == pytest.approx(expected.tolist())
    assert (expected > p_values).any()
