from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.groups import group_finding, interaction_finding, selection_finding
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.inputs.conditions import Condition
from psa_core.inputs.groups import grouping
from psa_core.study.conditions import COUNTS, joined
from psa_core.tables import (
    condition_table,
    crossing_table,
    crossings,
    group_file_table,
    group_table,
    published_table,
    selection_file_table,
    selection_table,
)
from tests.tables.conftest import sentences


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
    table = group_table(cube, "toxicity", "gender")
    assert table["group"].tolist() == ["female", "male"]
    assert table["names"].tolist() == [1, 2]
    assert table["mean"].tolist() == [0.125, -0.0625]
    # female against male: 0.75 - 0.375 and 0.25 - 0.25
    assert table["difference"].tolist() == [0.1875, -0.1875]
    assert table["p_value"].tolist() == pytest.approx([0.5, 0.5])
    half_width = 12.706205 * 0.1875
    assert table.loc[0, "difference_low"] == pytest.approx(0.1875 - half_width, abs=1e-6)
    # the name means are 0.5, 0.375, 0.25: a group of one differs from the rest by 0.1875, 0 or -0.1875
    assert table.loc[0, ["noise_low", "noise_high"]].tolist() == [-0.1875, 0.1875]
    assert not table["above_noise"].any()
    assert table["n"].tolist() == [2, 2]


def test_baseline_moves_means_but_not_differences(cube: ScoreCube) -> None:
    original, names = (group_table(cube, "sentiment", "gender", baseline=base) for base in ("original", "names"))  # type: ignore[arg-type]
    assert (original["mean"] - names["mean"]).round(9).nunique() == 1
    assert original["difference"].tolist() == pytest.approx(names["difference"].tolist())


def test_names_without_a_group_are_left_out(cube: ScoreCube) -> None:
    for nothing in ("", "  ", None, np.nan):
        gappy = replace(cube, names=pd.DataFrame({"name": ["Ada", "Ben", "Cy"], "gender": ["female", "male", nothing]}))
        table = group_table(gappy, "toxicity", "gender")
        assert table["names"].tolist() == [1, 1]
        # 0.75 - 0.25 and 0.25 - 0.5
        assert table["difference"].tolist() == [0.125, -0.125]


def test_numbers_can_be_groups(cube: ScoreCube) -> None:
    numbered = replace(cube, names=cube.names.assign(decade=[1980, 1990, 1990]))
    assert group_table(numbered, "toxicity", "decade")["group"].tolist() == ["1980", "1990"]


def test_one_moving_name_makes_no_group(large_cube: ScoreCube) -> None:
    # over sentences actors surely differ, by their one name; arbitrary groups that happen to hold it do so as well
    table = group_table(large_cube, "toxicity", "career").set_index("group")
    assert table.loc["actor", "p_value"] < 0.001
    assert table.loc["actor", "p_adjusted"] > 0.05
    assert not table.loc["actor", "above_noise"]


def test_columns_that_tell_no_groups_apart(cube: ScoreCube) -> None:
    with pytest.raises(CubeError, match="one of gender"):
        group_table(cube, "toxicity", "career")
    with pytest.raises(CubeError, match="fewer than two"):
        group_table(replace(cube, names=cube.names.assign(gender="female")), "toxicity", "gender")
    with pytest.raises(CubeError, match="a name list with group columns"):
        group_table(replace(cube, names=cube.names[["name"]]), "toxicity", "name")


def test_one_name_is_no_group(large_cube: ScoreCube) -> None:
    # the one name that moves the score, alone
    kinds = large_cube.names.assign(kind=["alone", *["a", "b"] * 5, "a"][: len(large_cube.names)])
    table = group_table(replace(large_cube, names=kinds), "toxicity", "kind").set_index("group")
    assert np.isnan(table.loc["alone", "p_adjusted"])
    assert not table.loc["alone", "above_noise"]
    low, difference, high = table.loc["alone", ["noise_low", "difference", "noise_high"]]
    assert low - 1e-12 <= difference <= high + 1e-12
    assert np.isfinite(table.loc[["a", "b"], "p_adjusted"]).all()


def test_file_of_groups(large_cube: ScoreCube) -> None:
    named = replace(large_cube, names=large_cube.names.assign(alone=[f"x{n}" for n in range(len(large_cube.names))]))
    assert "alone" not in grouping(named.names)
    table = group_file_table(named, "toxicity")
    assert table.columns.tolist() == [
        "column", "group", "names", "difference", "low", "high", "floor_low", "floor_high", "p_adjusted",
    ]  # fmt: skip
    assert set(table["column"]) == set(grouping(named.names))
    without = replace(large_cube, names=large_cube.names[["name"]])
    assert group_file_table(without, "toxicity").empty


def test_one_name_makes_no_group(large_cube: ScoreCube) -> None:
    """`N0`, an actor, is moved by 0.2; without it nothing is left of the actors' difference, nor of the others'."""
    table = group_table(large_cube, "toxicity", "career").set_index("group")
    assert abs(table.loc["actor", "difference"]) > 0.04 > 0.02 > abs(table.loc["actor", "without_furthest"])
    assert table["p_adjusted"].tolist() == [1.0] * 3
    assert "it is one name's difference, not the group's" in str(
        group_finding(table.reset_index(), "toxicity", column="career").evidence
    )


def test_a_group_of_names_that_all_move_stays_one(large_cube: ScoreCube) -> None:
    scores = large_cube.perturbed.copy()
    scores[:, 1:4] += 0.2
    table = group_table(replace(large_cube, perturbed=scores), "toxicity", "career").set_index("group")
    assert table.loc["actor", "without_furthest"] == pytest.approx(table.loc["actor", "difference"], abs=0.03)
    assert table.loc["actor", "p_adjusted"] < 0.05 and table.loc["actor", "above_noise"]


def crossed_cube(moved: float = 0.0) -> ScoreCube:
    """Forty sentences and 24 names, six of each gender and colour; `moved` is added to the green women's scores."""
    random = np.random.default_rng(3)
    names = pd.DataFrame(
        {
            "name": [f"n{number}" for number in range(24)],
            "gender": ["female", "male"] * 12,
            "colour": ["green"] * 12 + ["red"] * 12,
        }
    )
    scores = random.normal(0.5, 0.05, (40, 24, 1)).astype(np.float32)
    scores[:, (names["gender"] == "female") & (names["colour"] == "green")] += moved
    study = {"groups": "gender*colour", "reference": "male*red"}
    return ScoreCube(sentences(40), names, (Target("toxicity"),), scores.mean(axis=1), scores, {"study": study})


def test_crossed_groups_equal_pandas() -> None:
    cube = crossed_cube()
    table = group_table(cube, "toxicity", "gender*colour").set_index("group")
    long = pd.DataFrame({"score": cube.perturbed[:, :, 0].mean(axis=0), **cube.names})
    means = long.groupby(["gender", "colour"])["score"].agg(["mean", "size"])
    for (gender, colour), row in means.iterrows():
        rest = long[~((long["gender"] == gender) & (long["colour"] == colour))]["score"].mean()
        found = table.loc[f"{gender}*{colour}"]
        assert found["names"] == row["size"] == 6
        assert found["difference"] == pytest.approx(row["mean"] - rest, abs=1e-6)


def test_the_file_has_cells_interaction_and_the_reference() -> None:
    table = group_file_table(crossed_cube(0.2), "toxicity")
    assert table["column"].unique().tolist() == ["gender", "colour", "gender*colour", "gender:colour"]
    rows = table.set_index(["column", "group"])
    assert "male" not in rows.loc["gender"].index and "red" not in rows.loc["colour"].index
    assert "male*red" not in rows.loc["gender*colour"].index
    # green women are .2 above: women by .1, and by .2 more than both columns add up to
    assert rows.loc[("gender", "female"), "difference"] == pytest.approx(0.1, abs=0.02)
    assert rows.loc[("gender*colour", "female*green"), "difference"] == pytest.approx(0.2, abs=0.02)
    assert rows.loc[("gender:colour", "female*green"), "difference"] == pytest.approx(0.2, abs=0.02)
    assert rows.loc[("gender:colour", "female*green"), "p_adjusted"] < 0.01
    assert rows.loc[("gender*colour", "female*red"), "p_adjusted"] > 0.05


def test_crossed_groups_in_words() -> None:
    table = crossing_table(crossed_cube(0.2), "toxicity", "gender*colour")
    found = interaction_finding(table, "toxicity", columns="gender*colour")
    assert found.is_significant
    assert found.headline.startswith("With “female × green” names, the toxicity score is 0.2")
    assert found.headline.endswith("higher than gender and colour alone add up to.")
    cells = group_finding(table[table["part"] == "cells"], "toxicity", column="gender*colour")
    assert cells.headline.endswith("higher than with the other names.")
    against = group_table(crossed_cube(1.0), "toxicity", "colour", reference="red")
    assert against["group"].tolist() == ["green"]
    assert "higher than with “red”." in group_finding(against, "toxicity", column="colour").headline
    nothing = crossing_table(crossed_cube(), "toxicity", "gender*colour")
    assert not interaction_finding(nothing, "toxicity", columns="gender*colour").is_significant


def test_pairs_of_columns_that_can_be_crossed() -> None:
    cube = crossed_cube()
    names = cube.names.assign(lone=[str(number) for number in range(24)])
    assert crossings(["gender", "colour", "lone"], names) == ["gender*colour"]


def test_by_hand(cube: ScoreCube) -> None:
    # Ada 0.75 0.25; Ben 0.25 0.5; Cy 0.5 0
    table = selection_table(cube, "toxicity", "gender")
    assert table[["names", "texts", "selected", "rate"]].to_numpy().tolist() == [[1, 2, 1, 0.5], [2, 4, 2, 0.5]]
    assert table["impact_ratio"].isna().all()  # a group of one name is none, and one group has no other
    top = selection_table(cube, "toxicity", "gender", select="top:1")
    assert top["selected"].tolist() == [1, 1]


def test_crossed_rates_in_words_and_as_published() -> None:
    study = crossed_cube(0.2)
    table = selection_table(study, "toxicity", "gender*colour", threshold=0.6)
    found = selection_finding(table, "toxicity", column="gender*colour")
    rates = dict(zip(table["group"], table["rate"], strict=True))
    scores = study.perturbed[:, :, 0]
    green_women = (study.names["gender"] == "female") & (study.names["colour"] == "green")
    assert rates["female*green"] == pytest.approx(np.mean(scores[:, green_women] >= np.float32(0.6)))
    assert found.is_significant
    assert found.headline.startswith(
        f"Of 100 identical texts, {100 * rates['female*green']:.0f} are selected with “female × green”"
    )
    assert "That is below 0.8, the EEOC's four-fifths rule of thumb." in found.evidence
    higher = selection_finding(table.assign(impact_ratio=0.8), "toxicity", column="gender*colour")
    assert "That is not below 0.8," in higher.evidence
    columns = ["gender", "colour", "# of Applicants", "# Selected", "Selection Rate", "Impact Ratio"]
    published = published_table(table, "gender*colour")
    assert published.columns.tolist() == columns
    assert published["Impact Ratio"].max() == 1.0
    assert (published["gender"] + "*" + published["colour"]).tolist() == table["group"].tolist()
    starred = published_table(table.assign(group="female*light*green"), "gender*colour")
    assert starred.loc[0, ["gender", "colour"]].tolist() == ["female", "light*green"]
    alone = published_table(selection_table(study, "toxicity", "gender").assign(group="non*binary"), "gender")
    assert alone.columns[0] == "Category" and set(alone["Category"]) == {"non*binary"}


def test_nothing_beyond_chance_is_not_claimed() -> None:
    table = selection_table(crossed_cube(), "toxicity", "gender*colour")
    found = selection_finding(table, "toxicity", column="gender*colour")
    assert not found.is_significant and found.headline.startswith("No clear difference")


def test_where_nothing_is_selected_no_name_selects() -> None:
    table = selection_table(crossed_cube(), "toxicity", "gender", threshold=1.0).assign(selected=0, rate=0.0)
    assert selection_finding(table, "toxicity", column="gender").headline.endswith(", with any name.")


def test_the_file_follows_the_study() -> None:
    study = crossed_cube(0.2)
    asked = {"groups": "gender*colour", "select": "top:6"}
    table = selection_file_table(replace(study, provenance={"study": asked}), "toxicity")
    assert table.columns.tolist() == [
        "column",
        "group",
        "names",
        "texts",
        "selected",
        "rate",
        "impact_ratio",
        "low",
        "high",
    ]
    assert table["column"].unique().tolist() == ["gender", "colour", "gender*colour"]
    assert table.index.tolist() == [*range(len(table))]
    assert table.groupby("column")["selected"].sum().round(6).tolist() == [240.0] * 3


def test_a_reference_that_no_crossed_name_has_leaves_the_others_as_comparison() -> None:
    """All men lack a colour, so among names with both there is nobody of the reference."""
    cube = crossed_cube()
    colours = cube.names["colour"].where(cube.names["gender"] == "female", "")
    names = cube.names.assign(colour=colours, gender=["female", "male", "other", "male"] * 6)
    names["colour"] = names["colour"].where(names["gender"] != "male", "")
    table = crossing_table(replace(cube, names=names), "toxicity", "gender*colour", reference="male")
    assert set(table.loc[table["part"] == "gender", "group"]) == {"female", "other"}


def test_two_crossed_groups_of_two_names_and_four_in_all_are_enough() -> None:
    names = pd.DataFrame({"name": list("abcdef"), "one": list("xxyyxy"), "two": list("ppqqqp")})
    assert crossings(["one", "two"], names) == ["one*two"]
    assert crossings(["one", "two"], names.iloc[:5]) == []


def test_a_change_that_is_found_only_without_correction_for_the_conditions_is_none() -> None:
    """What a condition does to a group is found at 3 %, say: of two conditions that is not beyond chance."""
    for moved in np.linspace(0.0, 0.06, 25):
        cube, change = crossed_cube(), crossed_cube(moved)
        shifted = replace(cube, perturbed=np.roll(change.perturbed, 3, axis=0), original=np.roll(change.original, 3))
        counts = dict.fromkeys(COUNTS, 1) | {"fingerprint": "f", "notes": [], "study": {}}
        cubes = [replace(each, provenance=counts) for each in (cube, shifted, cube)]
        asked = joined([Condition(name, name) for name in ("plain", "told", "again")], cubes)
        table = condition_table(asked, "toxicity", "colour")
        assert table.index.tolist() == [0, 1, 2, 3]
        table = table.set_index("condition")
        assert table.attrs["phrase"] == "toxicity score" and (table["p_adjusted"] <= 1).all()
        told = table.loc["told"].iloc[0]
        if 0.05 < told["p_adjusted"] < 0.1:
            assert told["noise_low"] <= told["difference"] <= told["noise_high"] and not told["above_noise"]
            break
    else:
        pytest.fail("no change of this size was tried")


def test_published_rates_have_three_decimals() -> None:
    numbers = {"texts": 3, "selected": 1.0, "rate": 1 / 3, "impact_ratio": 2 / 3}
    table = published_table(pd.DataFrame([{"group": "a", **numbers}]), "gender")
    assert table[["Selection Rate", "Impact Ratio"]].iloc[0].tolist() == [0.333, 0.667]
