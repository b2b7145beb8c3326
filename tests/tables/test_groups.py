from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.tables import group_columns, group_file_table, group_table
from psa_core.tables.findings import group_finding


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
    with pytest.raises(CubeError, match="with group columns"):
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
    assert "alone" not in group_columns(named)
    table = group_file_table(named, "toxicity")
    assert table.columns.tolist() == [
        "column", "group", "names", "difference", "low", "high", "floor_low", "floor_high", "p_adjusted",
    ]  # fmt: skip
    assert set(table["column"]) == set(group_columns(named))
    without = replace(large_cube, names=large_cube.names[["name"]])
    assert group_file_table(without, "toxicity").empty


def test_one_name_makes_no_group(large_cube: ScoreCube) -> None:
    """`N0`, an actor, is moved by 0.2; without it nothing is left of the actors' difference, nor of the others'."""
    table = group_table(large_cube, "toxicity", "career").set_index("group")
    assert abs(table.loc["actor", "difference"]) > 0.04 > 0.02 > abs(table.loc["actor", "without_furthest"])
    assert table["p_adjusted"].tolist() == [1.0] * 3
    assert "so it is not the group's" in str(group_finding(table.reset_index(), "toxicity", column="career").evidence)


def test_a_group_of_names_that_all_move_stays_one(large_cube: ScoreCube) -> None:
    scores = large_cube.perturbed.copy()
    scores[:, 1:4] += 0.2
    table = group_table(replace(large_cube, perturbed=scores), "toxicity", "career").set_index("group")
    assert table.loc["actor", "without_furthest"] == pytest.approx(table.loc["actor", "difference"], abs=0.03)
    assert table.loc["actor", "p_adjusted"] < 0.05 and table.loc["actor", "above_noise"]
