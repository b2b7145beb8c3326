from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core import metrics, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError, OptionError
from psa_core.tables import Flips, default_thresholds, find_flips, label_dist_table
from psa_core.tables.floors import repeat_floors

COLUMNS = [
    "sentence_id",
    "name",
    "target",
    "threshold",
    "original",
    "perturbed",
    "direction",
    "sentence_position",
    "name_position",
]


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
    table = find_flips(cube, "toxicity").frame()
    assert table.columns.tolist() == COLUMNS
    # both change by 0.25: the order of the cube decides
    assert table.to_numpy().tolist() == [
        ["s0", "Ben", "toxicity", 0.5, 0.5, 0.25, "down", 0, 1],
        ["s1", "Ben", "toxicity", 0.5, 0.25, 0.5, "up", 1, 1],
    ]


def test_largest_change_first(cube: ScoreCube) -> None:
    table = find_flips(cube, "sentiment").frame()
    # s0 -0.5 to 0 (Ada) and 0.25 (Cy); s1 0.5 to -0.25 (Cy)
    assert table[["sentence_id", "name"]].to_numpy().tolist() == [["s0", "Cy"], ["s1", "Cy"], ["s0", "Ada"]]


def test_clearest_first(cube: ScoreCube) -> None:
    # distances of the nearer score from 0: Cy in s0 and s1 0.25, Ada 0
    table = find_flips(cube, "sentiment").frame(order="margin")
    assert table["name"].tolist() == ["Cy", "Cy", "Ada"]
    table = find_flips(cube, "sentiment", threshold=-0.25).frame(order="margin")
    assert table["name"].tolist() == ["Ada", "Cy"]


def test_filters(cube: ScoreCube) -> None:
    flips = find_flips(cube, "sentiment")
    assert (len(flips), int(flips.up.sum())) == (3, 2)
    assert find_flips(cube, "sentiment", direction="up").frame()["sentence_id"].tolist() == ["s0", "s0"]
    assert find_flips(cube, "sentiment", direction="down").frame()["sentence_id"].tolist() == ["s1"]
    assert find_flips(cube, "sentiment", names=["Cy", "Ben"]).frame()["name"].tolist() == ["Cy", "Cy"]
    assert find_flips(cube, "sentiment", names=["Ada"], direction="down").frame().empty
    assert flips.only(np.array([False, True])[flips.sentence]).frame()["sentence_id"].tolist() == ["s1"]


def test_pages_join_to_the_whole(large_cube: ScoreCube) -> None:
    flips = find_flips(large_cube, "toxicity")
    whole = flips.frame()
    assert len(whole) == len(flips) > 20
    for order in ("size", "margin", "sentence"):
        pages = [flips.frame(order=order, offset=offset, limit=7) for offset in range(0, len(flips), 7)]
        joined = [row for page in pages for row in page.to_numpy().tolist()]
        assert joined == flips.frame(order=order).to_numpy().tolist()
    assert flips.frame(offset=10_000).empty


def test_every_cell_that_changes_its_label_and_no_other(large_cube: ScoreCube) -> None:
    original, perturbed = (scores.tolist() for scores in large_cube.scores("toxicity"))
    threshold = original[3]  # at a score
    expected = {
        (s, n, "up" if x < threshold else "down")
        for s, x in enumerate(original)
        for n, y in enumerate(perturbed[s])
        if (x >= threshold) != (y >= threshold)
    }
    table = find_flips(large_cube, "toxicity", threshold=threshold).frame()
    found = zip(table["sentence_position"], table["name_position"], table["direction"], strict=True)
    assert set(found) == expected
    assert (table["perturbed"] - table["original"]).abs().is_monotonic_decreasing


def test_counts_agree_in_all_tables(large_cube: ScoreCube) -> None:
    for threshold in (0.3, 0.5, large_cube.scores("toxicity")[1][5, 5].item()):
        directions = find_flips(large_cube, "toxicity", threshold=threshold).frame()["direction"]
        counts = [int((directions == direction).sum()) for direction in ("up", "down")]
        by_name = tables.name_table(large_cube, "toxicity", threshold=threshold)
        by_sentence = tables.sentence_table(large_cube, "toxicity", threshold=threshold)
        by_threshold = tables.label_dist_table(large_cube, "toxicity", thresholds=threshold, interval=False)
        for table in (by_name, by_sentence, by_threshold):
            assert [int(table["flips_up"].sum()), int(table["flips_down"].sum())] == counts


def test_no_flip_is_an_empty_table_with_its_columns(cube: ScoreCube) -> None:
    table = find_flips(cube, "toxicity", threshold=2.0).frame()
    assert table.columns.tolist() == COLUMNS
    assert table.empty


def test_unknown_choices_are_refused(cube: ScoreCube) -> None:
    with pytest.raises(OptionError, match="direction"):
        find_flips(cube, "toxicity", direction="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="order"):
        find_flips(cube, "toxicity").frame(order="name")  # type: ignore[arg-type]
    with pytest.raises(CubeError, match="'Dee'"):
        find_flips(cube, "toxicity", names=["Dee"])


def test_one_flip_of_each_sentence_is_its_first_in_the_order(large_cube: ScoreCube) -> None:
    flips = find_flips(large_cube, "toxicity")
    for order in ("size", "margin", "sentence"):
        expected = flips.frame(order=order).drop_duplicates("sentence_id").reset_index(drop=True)
        pd.testing.assert_frame_equal(flips.one_each("sentence", order=order).frame(order=order), expected)


def _cells(flips: Flips, order: str = "size") -> list[tuple[int, int]]:
    rows = flips.frame(order=order)  # type: ignore[arg-type]
    return list(zip(rows["sentence_position"], rows["name_position"], strict=True))


def test_one_flip_a_name_takes_another_sentence_for_another_name_while_there_is_one(large_cube: ScoreCube) -> None:
    # the score rises most in sentence 0 with every name; with name 1 in sentence 2 as well, with name 3 nowhere else
    perturbed = np.array([[0.9, 0.89, 0.88, 0.87], [0.1, 0.1, 0.8, 0.1], [0.1, 0.7, 0.1, 0.1]])
    sentences, names = (frame.head(count) for frame, count in ((large_cube.sentences, 3), (large_cube.names, 4)))
    cube = replace(
        large_cube,
        sentences=sentences,
        names=names,
        targets=large_cube.targets[:1],
        original=np.full((3, 1), 0.2, np.float32),
        perturbed=perturbed[..., None].astype(np.float32),
    )
    flips = find_flips(cube, cube.targets[0].name, threshold=0.5)
    assert _cells(flips)[:4] == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert _cells(flips.one_each("name")) == [(0, 0), (1, 2), (2, 1), (0, 3)]
    assert _cells(flips.one_each("name", order="sentence"), "sentence") == [(0, 0), (1, 2), (2, 1), (0, 3)]
    kept = flips.one_each("name").only(np.array([False, True, True, True]))
    assert _cells(kept) == [(1, 2), (2, 1), (0, 3)]


def test_one_flip_a_name_is_of_each_name_that_has_one(large_cube: ScoreCube) -> None:
    for threshold in (0.3, 0.5, 0.9):
        flips = find_flips(large_cube, "toxicity", threshold=threshold)
        assert sorted(flips.one_each("name").name) == sorted(set(flips.name))
        assert set(_cells(flips.one_each("name"))) <= set(_cells(flips))
    assert flips.one_each("name").frame(limit=1).equals(flips.frame(limit=1))


def test_different_flips_share_no_name_while_there_are_others_and_no_sentence(large_cube: ScoreCube) -> None:
    flips = find_flips(large_cube, "toxicity")
    first = flips.frame(limit=1).iloc[0]
    three = flips.different(3).frame()
    assert len(three) == three["name"].nunique() == three["sentence_id"].nunique() == 3
    assert three.iloc[0].equals(first)
    of_one = find_flips(large_cube, "toxicity", names=["N0"])
    assert of_one.different(3).frame()["sentence_id"].nunique() == 3
    assert len(find_flips(large_cube, "toxicity", threshold=0.999).different(3)) == 0


def test_flips_among_cells_and_only_some_of_them(cube: ScoreCube) -> None:
    flips = find_flips(cube, "sentiment")
    among = flips.among([("s1", "Cy"), ("s0", "Ben"), ("s9", "Cy"), ("s0", "nobody")])
    assert flips.only(among).frame()[["sentence_id", "name"]].to_numpy().tolist() == [["s1", "Cy"]]
    assert not flips.among([]).any()


def test_thresholds_span_the_range_of_the_target(cube: ScoreCube) -> None:
    thresholds = label_dist_table(cube, "sentiment")["threshold"]
    assert len(thresholds) == 101
    assert thresholds.iloc[[0, 1, 35, -1]].tolist() == [-1.0, -0.98, -0.3, 1.0]


def test_thresholds_of_a_boundless_target_span_its_scores(cube: ScoreCube) -> None:
    boundless = replace(cube, targets=(Target("toxicity", low=-np.inf, high=np.inf), cube.targets[1]))
    assert default_thresholds(boundless, "toxicity")[[0, -1]].tolist() == [0.0, 0.75]


def test_three_thresholds_by_hand(cube: ScoreCube) -> None:
    table = label_dist_table(cube, "toxicity", thresholds=[0.5, 0.25, 0.75])
    assert table.columns.tolist() == ["threshold", "label_dist", "low", "high", "flips_up", "flips_down", "labelled"]
    # 0.5: one name of three shares nothing. 0.25: A = {s0, s1}; B = both, both, {s0}. 0.75: A = {}; B = {s0}, {}, {}.
    assert table["label_dist"].tolist() == pytest.approx([1 / 3, 1 / 6, 1 / 3])
    assert table["flips_up"].tolist() == [1, 0, 1]
    assert table["flips_down"].tolist() == [1, 1, 0]
    assert table["labelled"].tolist() == [0.5, 1.0, 0.0]


def test_some_names_only(cube: ScoreCube) -> None:
    table = label_dist_table(cube, "toxicity", thresholds=0.5, names=["Ben"])
    assert table.loc[0, ["label_dist", "flips_up", "flips_down"]].tolist() == [1.0, 1, 1]
    with pytest.raises(CubeError, match="'Dee'"):
        label_dist_table(cube, "toxicity", names=["Ben", "Dee"])
    with pytest.raises(CubeError, match="no name"):
        label_dist_table(cube, "toxicity", names=[])


def test_equals_the_metric_and_lies_in_its_interval(large_cube: ScoreCube) -> None:
    table = label_dist_table(large_cube, "toxicity")
    expected = metrics.label_dist(*large_cube.scores("toxicity"), table["threshold"])
    assert table["label_dist"].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert (table["low"] <= table["high"]).all()
    middle = table[table["threshold"].between(0.35, 0.65)]
    assert ((middle["low"] <= middle["label_dist"]) & (middle["label_dist"] <= middle["high"])).all()


def test_without_interval(large_cube: ScoreCube) -> None:
    quick = label_dist_table(large_cube, "toxicity", interval=False)
    whole = label_dist_table(large_cube, "toxicity")
    assert quick.equals(whole.drop(columns=["low", "high"]))


def test_threshold_must_be_a_number(cube: ScoreCube) -> None:
    with pytest.raises(OptionError, match="threshold"):
        label_dist_table(cube, "toxicity", thresholds=[0.5, float("nan")])


def test_chance_flips_of_a_curve_are_those_of_its_one_threshold_or_of_the_targets_own(cube: ScoreCube) -> None:
    sampled = replace(cube, targets=(replace(cube.targets[0], samples=4, threshold=0.6), cube.targets[1]))
    shown = [
        label_dist_table(sampled, "toxicity", thresholds=each, interval=False).attrs for each in ([0.3], [0.3, 0.4])
    ]
    floors = [repeat_floors(sampled, "toxicity", threshold=level)["flips"] for level in (0.3, 0.6)]
    assert [attrs["flips_floor"] for attrs in shown] == [floor.floor for floor in floors]
    assert floors[0].floor != floors[1].floor


def test_after_the_last_turn_names_may_share_a_sentence(cube: ScoreCube, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psa_core.tables.flips.MAX_TURNS", 1)
    same = replace(cube, original=np.zeros((2, 2), np.float32), perturbed=np.ones((2, 3, 2), np.float32))
    flips = find_flips(same.rows(np.array([0])), "toxicity")
    assert sorted(flips.one_each("name").name.tolist()) == [0, 1, 2]


def test_flips_are_found_among_cells_by_sentence_and_name(cube: ScoreCube) -> None:
    every = replace(cube, original=np.zeros((2, 2), np.float32), perturbed=np.ones((2, 3, 2), np.float32))
    flips = find_flips(every, "toxicity")
    assert flips.among([("s0", "Ada"), ("s1", "Cy"), ("s9", "Ada"), ("s0", "Nobody")]).tolist() == [
        True, False, False, False, False, True,
    ]  # fmt: skip
