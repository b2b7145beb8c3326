"""Two studies on the same cells, matched by text and name whatever their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core import stats, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.tables.pairs import (
    disagreements,
    metric_differences,
    name_agreement,
    names_before_after,
    sentences_before_after,
    shared_cells,
    spread_change,
)
from tests.pages import result_studies
from tests.tables.conftest import SENTIMENT
from tests.tables.conftest import sentences as drawn_sentences


def study(texts: list[str], names: list[str], scores: list[list[float]], *, target: Target) -> ScoreCube:
    sentences = pd.DataFrame({"sentence_id": [f"s{i}" for i in range(len(texts))], "text": texts, "anchor": "He"})
    return ScoreCube(
        sentences.assign(start=0, end=2, role="subject"),
        pd.DataFrame({"name": names}),
        (target,),
        np.zeros((len(texts), 1), dtype=np.float32),
        np.array(scores, dtype=np.float32)[:, :, None],
    )


@pytest.fixture
def first() -> ScoreCube:
    return study(["He a", "He b"], ["x", "y", "z"], [[0.25, 0.5, 0.0], [0.75, 0.5, 1.0]], target=Target("toxicity"))


@pytest.fixture
def second() -> ScoreCube:
    scores = [[0.0, 1.0, 0.0], [0.5, -1.0, 0.25]]
    return study(["He b", "He c"], ["z", "x", "w"], scores, target=Target("mood", low=-1, high=1))


def test_shared_cells_are_matched_by_text_and_name(first: ScoreCube, second: ScoreCube) -> None:
    shared = shared_cells(first, second)
    assert [cube.sentences["text"].tolist() for cube in (shared.first, shared.second)] == [["He b"]] * 2
    assert [cube.names["name"].tolist() for cube in (shared.first, shared.second)] == [["x", "z"]] * 2
    assert (shared.unmatched_sentences, shared.unmatched_names) == (1, 1)


def test_changes_are_parts_of_each_range(first: ScoreCube, second: ScoreCube) -> None:
    agreement = name_agreement(shared_cells(first, second), ("toxicity", "mood"))
    assert agreement.to_numpy().tolist() == [["x", 0.75, 0.5], ["z", 1.0, 0.0]]


def test_changes_are_from_the_original_score(first: ScoreCube, second: ScoreCube) -> None:
    both = (replace(cube, original=np.full_like(cube.original, 0.25)) for cube in (first, second))
    shared = shared_cells(*both)  # the sentence “He b” with the names x and z
    assert [shared.changes(side, target).tolist() for side, target in ((0, "toxicity"), (1, "mood"))] == [
        [[0.75 - 0.25, 1.0 - 0.25]], [[(1.0 - 0.25) / 2, (0.0 - 0.25) / 2]],
    ]  # fmt: skip
    endless = replace(second, targets=(Target("mood", low=-np.inf, high=np.inf),))
    assert shared_cells(first, endless).changes(1, "mood").tolist() == [[1.0, 0.0]]


def test_the_cells_that_differ_most_come_first(first: ScoreCube, second: ScoreCube) -> None:
    found = disagreements(shared_cells(first, second), ("toxicity", "mood"))
    assert found["name"].tolist() == ["z", "x"]
    assert found["disagreement"].tolist() == [1.0, 0.25]
    other_way = disagreements(shared_cells(second, first), ("mood", "toxicity"))
    assert other_way[["name", "disagreement"]].to_numpy().tolist() == [["z", 1.0], ["x", 0.25]]
    assert found[["sentence_position", "name_position"]].to_numpy().tolist() == [[0, 1], [0, 0]]
    assert len(disagreements(shared_cells(first, second), ("toxicity", "mood"), limit=1)) == 1


def test_a_study_agrees_with_itself(large_cube: ScoreCube) -> None:
    shared = shared_cells(large_cube, large_cube)
    assert shared.first.shape == large_cube.shape  # equal texts are matched one to one
    assert disagreements(shared, ("toxicity", "toxicity"))["disagreement"].max() == 0


def test_nothing_in_common(first: ScoreCube, second: ScoreCube) -> None:
    stranger = replace(second, names=pd.DataFrame({"name": ["p", "q", "r"]}))
    with pytest.raises(CubeError, match="0 names in common"):
        shared_cells(first, stranger)


def test_two_studies_are_tested_metric_by_metric(large_cube: ScoreCube) -> None:
    halved = replace(large_cube, perturbed=(large_cube.perturbed + large_cube.original[:, None]) / 2)
    differences = metric_differences(shared_cells(large_cube, halved), ("toxicity", "toxicity")).set_index("metric")
    assert (differences.loc[["score_dev", "score_range"], "p_adjusted"] < 0.01).all()
    assert differences["second"]["score_dev"] == pytest.approx(differences["first"]["score_dev"] / 2, rel=1e-5)
    same = metric_differences(shared_cells(large_cube, large_cube), ("toxicity", "toxicity"))
    assert (same["difference"] == 0).all() and (same["p_adjusted"] == 1).all()


def test_families_are_those_of_the_first_studys_sentences(large_cube: ScoreCube) -> None:
    random = np.random.default_rng(0)
    texts = large_cube.sentences.assign(text=[f"He left {n}." for n in range(40)])
    first = replace(large_cube, sentences=texts.assign(family=np.arange(40) // 3))
    moved = large_cube.perturbed + random.normal(0, 0.1, large_cube.perturbed.shape).astype(np.float32)
    second = replace(large_cube, sentences=texts, perturbed=moved)
    turned = second.rows(np.arange(40)[::-1][:30])  # other positions of the same sentences
    expected = metric_differences(shared_cells(first.rows(np.arange(10, 40)), turned), ("toxicity", "toxicity"))
    pd.testing.assert_frame_equal(metric_differences(shared_cells(first, turned), ("toxicity", "toxicity")), expected)


def test_label_dist_of_few_labelled_sentences_is_not_tested(large_cube: ScoreCube) -> None:
    shared = shared_cells(large_cube, large_cube)
    differences = metric_differences(shared, ("toxicity", "toxicity"), thresholds=(0.5, 2.0)).set_index("metric")
    assert np.isnan(differences.loc["label_dist", "p_adjusted"])
    assert differences.loc["label_dist", "second"] == 0


def moved(cube: ScoreCube, name: int, by: float) -> ScoreCube:
    scores = cube.perturbed.copy()
    scores[:, name, 0] += by
    return replace(cube, perturbed=scores)


def test_effects_before_and_now_by_hand(cube: ScoreCube) -> None:
    pair = tables.paired(moved(cube, 1, 0.25), cube)
    table = tables.change_table(pair, "toxicity", limit=0.125)
    # effects: Ada (0.25 + 0) / 2, Ben (-0.25 + 0.25) / 2, Cy (0 - 0.25) / 2
    assert table["before"].tolist() == [0.125, 0.0, -0.125]
    assert table["now"].tolist() == [0.125, 0.25, -0.125]
    assert table["change"].tolist() == [0.0, 0.25, 0.0]
    assert table[["low", "high"]].to_numpy().tolist() == [[0.0, 0.0], [0.25, 0.25], [0.0, 0.0]]
    assert table["p_change"].tolist() == [1.0, 0.0, 1.0]
    assert not table["above"].any()  # two sentences are never sure
    assert table["gender"].tolist() == ["female", "male", "male"]


def test_the_common_part_in_the_later_order(cube: ScoreCube) -> None:
    later = moved(cube, 1, 0.25).rows(np.array([1]))
    known = replace(later, names=later.names.assign(name=["Ada", "Ben", "Dora"]))
    pair = tables.paired(known, cube)
    assert pair.first.shape == pair.second.shape == (1, 2, 2)
    assert pair.second.sentences["sentence_id"].tolist() == ["s1"]
    assert (pair.unmatched_sentences, pair.unmatched_names) == (0, 1)
    assert (pair.first.perturbed - pair.second.perturbed)[0, :, 0].tolist() == [0.0, 0.25]


def test_a_sentence_whose_text_changed_is_another_one(cube: ScoreCube) -> None:
    texts = cube.sentences.assign(text=["He went.", "He left."])
    assert tables.paired(replace(cube, sentences=texts), cube).unmatched_sentences == 1


def test_flips_that_were_not_there_before(cube: ScoreCube) -> None:
    pair = tables.paired(moved(cube, 1, 0.25), cube)
    # Ben now: s0 0.5 (no flip any more), s1 0.75 (a flip before, too)
    assert len(tables.new_flips(pair, "toxicity")) == 0
    rows = tables.new_flips(tables.paired(moved(cube, 0, 0.25), cube), "toxicity").frame()
    assert rows[["sentence_id", "name", "direction"]].to_numpy().tolist() == [["s1", "Ada", "up"]]


def test_a_flip_of_another_sentence_and_name_makes_none_old(cube: ScoreCube) -> None:
    def scored(*rows: list[float]) -> ScoreCube:
        return replace(cube, perturbed=np.stack([rows, SENTIMENT], axis=2).astype(np.float32))

    before, now = scored([0.75, 0.75, 0.25], [0.0, 0.0, 0.0]), scored([0.75, 0.75, 0.25], [0.75, 0.0, 0.0])
    rows = tables.new_flips(tables.paired(now, before), "toxicity").frame()
    assert rows[["sentence_id", "name", "direction"]].to_numpy().tolist() == [["s1", "Ada", "up"]]


def test_nothing_in_common_is_an_error(cube: ScoreCube) -> None:
    others = {
        "sentences": replace(cube, sentences=cube.sentences.assign(sentence_id=["x", "y"])),
        "names": replace(cube, names=cube.names.assign(name=["X", "Y", "Z"])),
        "targets": replace(cube, targets=tuple(replace(target, name=f"{target.name}2") for target in cube.targets)),
    }
    for what, other in others.items():
        with pytest.raises(CubeError, match=f"{what} of the two results") as error:
            tables.paired(other, cube)
    assert "got toxicity2, sentiment2, and before sentiment, toxicity" in str(error.value)


def judged(effect: float, sentences: int, seed: int) -> ScoreCube:
    """A judge that draws its scores at random; the first name moves them by the effect."""
    random, names = np.random.default_rng(seed), 20
    perturbed = random.normal(0.5, 0.25, (sentences, names))
    perturbed[:, 0] += effect
    return ScoreCube(
        drawn_sentences(sentences),
        pd.DataFrame({"name": [f"N{n}" for n in range(names)]}),
        (Target("toxicity"),),
        np.full((sentences, 1), 0.5, np.float32),
        perturbed[..., None].astype(np.float32),
    )


@pytest.mark.parametrize("sentences", [12, 60])
def test_a_judge_that_draws_at_random_is_not_above_a_limit(sentences: int) -> None:
    above = [
        tables.limit_table(judged(0, sentences, seed), "toxicity", limit=0.05)["above"].any() for seed in range(40)
    ]
    by_size = [abs(judged(0, sentences, seed).perturbed.mean(axis=0) - 0.5).max() > 0.05 for seed in range(40)]
    assert sum(above) <= 3 < sum(by_size)


def test_a_name_that_is_above_the_limit_is_shown() -> None:
    table = tables.limit_table(judged(0.3, 60, 0), "toxicity", limit=0.05)
    assert table["name"][table["above"]].tolist() == ["N0"]
    assert not tables.limit_table(judged(0.3, 60, 0), "toxicity", limit=0.5)["above"].any()


def two_by_three():  # type: ignore[no-untyped-def]
    """Two sentences, three names; the first name moves the first sentence by 0.6, then by 0.2."""
    cube = result_studies.cube().rows(np.arange(2), np.arange(3))
    original = np.full((2, 1), 0.4, np.float32)
    scores = [np.full((2, 3, 1), 0.3, np.float32) for _ in range(2)]
    scores[0][0, 0], scores[1][0, 0] = 0.9, 0.45
    return [replace(cube, targets=cube.targets[:1], original=original, perturbed=values) for values in scores]


def test_a_name_against_the_names_mean() -> None:
    before, after = two_by_three()
    table = names_before_after(before, after, "toxicity")
    assert table["name"][0] == before.names["name"][0]
    # (0.9 + 0.3) / 2 - 0.4, then (0.45 + 0.3) / 2 - 0.325
    np.testing.assert_allclose(table.loc[0, ["before", "after"]].astype(float), [0.2, 0.05], atol=1e-6)
    np.testing.assert_allclose(table[["before", "after"]].sum(), 0, atol=1e-6)


def test_a_sentence_with_its_spread_and_flips() -> None:
    before, after = two_by_three()
    table = sentences_before_after(before, after, "toxicity", threshold=0.5)
    assert table["text"].tolist() == before.sentences["text"].tolist()
    np.testing.assert_allclose(
        table.loc[0, ["spread_before", "spread_after"]].astype(float), [0.6 * 2**0.5 / 3, 0.15 * 2**0.5 / 3], atol=1e-6
    )
    assert table["flips_before"].tolist() == [1, 0] and table["flips_after"].tolist() == [0, 0]


def test_other_names_are_refused() -> None:
    before, after = two_by_three()
    other = replace(after, names=after.names.assign(name=["x", "y", "z"]))
    with pytest.raises(CubeError, match="names"):
        names_before_after(before, other, "toxicity")


def test_the_change_of_the_spread_is_paired_over_sentences() -> None:
    before, after = two_by_three()
    found = spread_change(before, after, "toxicity")
    assert found.value == pytest.approx((0.6 - 0.15) * 2**0.5 / 3 / 2, abs=1e-6) and found.low < 0 < found.p
    cube = result_studies.cube()
    assert spread_change(cube, replace(cube, perturbed=cube.perturbed / 2), "toxicity").p < 0.01


def test_results_with_neutral_edits_that_share_some_sentences_are_compared(large_cube: ScoreCube) -> None:
    edited = replace(large_cube, controls=np.full((40, 3, 1), 0.5, dtype=np.float32))
    pair = tables.paired(edited, edited.rows(np.arange(5, 30)))
    assert pair.first.shape == pair.second.shape == (25, 12, 1) and pair.unmatched_sentences == 15


def test_equal_sentences_are_matched_one_to_one(first: ScoreCube) -> None:
    """Each copy of a text has one counterpart, in their order."""
    text = first.sentences["text"].iloc[0]
    twice = replace(first, sentences=first.sentences.assign(text=text))
    assert shared_cells(twice, twice).second.sentences["sentence_id"].tolist() == ["s0", "s1"]
    assert shared_cells(twice, first).first.sentences["sentence_id"].tolist() == ["s0"]


def test_flips_of_a_sentence_are_counted(cube: ScoreCube) -> None:
    raised = replace(cube, perturbed=np.ones_like(cube.perturbed))
    table = sentences_before_after(cube, raised, "toxicity", threshold=0.5)
    assert sorted(table[["flips_before", "flips_after"]].to_numpy().tolist()) == [[1, 0], [1, 3]]


def test_a_hundred_cells_are_listed_unless_more_are_asked_for(large_cube: ScoreCube) -> None:
    other = replace(large_cube, perturbed=np.roll(large_cube.perturbed, 1, axis=0))
    shared = shared_cells(*(replace(each, sentences=drawn_sentences(40)) for each in (large_cube, other)))
    assert len(disagreements(shared, ("toxicity", "toxicity"))) == 100
    assert len(disagreements(shared, ("toxicity", "toxicity"), limit=1000)) == 480


def test_a_name_that_moves_more_than_before_is_above_and_one_that_moves_less_is_not(large_cube: ScoreCube) -> None:
    raised = large_cube.perturbed.copy()
    raised[:, 3] += 0.3
    pair = tables.paired(replace(large_cube, perturbed=raised), large_cube)
    back = tables.paired(large_cube, replace(large_cube, perturbed=raised))
    found = [tables.change_table(each, "toxicity", limit=0.05)["above"].to_numpy() for each in (pair, back)]
    assert np.flatnonzero(found[0]).tolist() == [3] and not found[1].any()


def test_effects_against_names_are_corrected_for_the_targets_too(large_cube: ScoreCube) -> None:
    twice = replace(
        large_cube,
        targets=(Target("toxicity"), Target("anger")),
        original=np.repeat(large_cube.original, 2, axis=1),
        perturbed=np.repeat(large_cube.perturbed, 2, axis=2),
    )
    table = tables.limit_table(twice, "toxicity", limit=0.0, baseline="names")
    by_name = tables.name_table(twice, "toxicity", baseline="names")["p_adjusted"]
    assert (table["p_above"] >= np.minimum(1.0, 2 * by_name) - 1e-12).all() and (table["p_above"] <= 1).all()
    assert (tables.limit_table(twice, "toxicity", limit=0.0)["p_above"] <= 1).all()


def test_names_and_sentences_before_and_after_have_no_more_columns_than_told() -> None:
    before, after = two_by_three()
    assert names_before_after(before, after, "toxicity").columns.tolist() == ["name", "before", "after"]
    columns = ["text", "spread_before", "spread_after", "flips_before", "flips_after"]
    assert sentences_before_after(before, after, "toxicity", threshold=0.5).columns.tolist() == columns


def test_the_metrics_of_two_studies_are_compared_over_the_families_of_the_first(large_cube: ScoreCube) -> None:
    random = np.random.default_rng(0)
    families = replace(
        large_cube, sentences=large_cube.sentences.assign(family=np.arange(len(large_cube.sentences)) // 2)
    )
    order = random.permutation(len(large_cube.sentences))
    second = replace(large_cube.rows(order), perturbed=random.random(large_cube.perturbed.shape).astype(np.float32))
    target = large_cube.targets[0].name
    shared = shared_cells(families, second)
    found = metric_differences(shared, (target, target)).set_index("metric")
    spread = [shared.changes(side, target).std(axis=1) for side in (0, 1)]
    units = families.families.rows(spread[0]), families.families.rows(spread[1])
    expected = stats.paired_difference(*units)
    row = found.loc["score_dev"]
    assert (row["first"], row["second"]) == pytest.approx((spread[0].mean(), spread[1].mean()))
    assert (row["difference"], row["low"], row["high"], row["p_value"]) == pytest.approx(tuple(expected))
    assert found["p_adjusted"].tolist() == pytest.approx(stats.adjust(found["p_value"]))
    assert (found["sentences"] == len(order)).all()


def test_without_a_number_of_targets_one_is_judged(large_cube: ScoreCube) -> None:
    moved = replace(large_cube, perturbed=np.clip(large_cube.perturbed + np.float32(0.02), 0, 1))
    pair, target = tables.paired(moved, large_cube), large_cube.targets[0].name
    alone = tables.change_table(pair, target, limit=0.015)["p_above"]
    assert alone.tolist() == tables.change_table(pair, target, limit=0.015, tests=1)["p_above"].tolist()
    assert (alone < tables.change_table(pair, target, limit=0.015, tests=2)["p_above"]).any()
