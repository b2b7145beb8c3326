from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, OptionError
from psa_core.tables import default_baseline, effect_columns, name_file_table, name_table, name_test_table

COLUMNS = [
    "name",
    "gender",
    "score_sens",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
    "effect_size",
    "label_dist",
    "flips_up",
    "flips_down",
    "n",
    "flip_share",
]


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
    table = name_table(cube, "toxicity")
    assert table.columns.tolist() == COLUMNS
    assert table["name"].tolist() == ["Ada", "Ben", "Cy"]
    assert table["gender"].tolist() == ["female", "male", "male"]
    assert table["score_sens"].tolist() == [0.125, 0.0, -0.125]
    # Ada: +0.25 and 0; t = 1 with 1 degree of freedom: p = 0.5, half-width 12.7062 * 0.125
    assert table["p_value"].tolist() == pytest.approx([0.5, 1.0, 0.5])
    assert table["p_adjusted"].tolist() == [1.0, 1.0, 1.0]
    assert table.loc[0, ["ci_low", "ci_high"]].tolist() == pytest.approx([0.125 - 1.588276, 0.125 + 1.588276], abs=1e-6)
    assert table["effect_size"].tolist() == pytest.approx([0.5**0.5, 0.0, -(0.5**0.5)])
    # at 0.5, A = {s0}; B = {s0}, {s1}, {s0}
    assert table["label_dist"].tolist() == [0.0, 1.0, 0.0]
    assert table["flips_up"].tolist() == [0, 1, 0]
    assert table["flips_down"].tolist() == [0, 1, 0]
    assert table["n"].tolist() == [2, 2, 2]


def test_against_the_names_by_hand(cube: ScoreCube) -> None:
    # row means 0.5 and 0.25
    assert name_table(cube, "toxicity", baseline="names")["score_sens"].tolist() == [0.125, 0.0, -0.125]
    # mean scores 0.25, 0 and 0: the typical name has 0
    assert name_table(cube, "sentiment", baseline="names")["score_sens"].tolist() == pytest.approx([0.25, 0, 0])


def test_few_sentences_never_make_a_name_sure_against_the_original(cube: ScoreCube) -> None:
    agreeing = replace(cube, perturbed=cube.original[:, None] + np.full_like(cube.perturbed, 0.25))
    table = name_table(agreeing, "toxicity")
    assert table["p_value"].tolist() == [0, 0, 0]
    assert table["p_adjusted"].tolist() == [0.5, 0.5, 0.5]


def test_file_of_names_has_both_baselines(large_cube: ScoreCube) -> None:
    named = replace(large_cube, names=large_cube.names.assign(effect="mine"))
    table = name_file_table(named, "toxicity")
    against_names = name_table(large_cube, "toxicity", baseline="names")
    assert table["score_sens"].tolist() == name_table(large_cube, "toxicity")["score_sens"].tolist()
    assert table["effect"].tolist() == against_names["score_sens"].tolist()
    assert table["effect_p_adjusted"].tolist() == against_names["p_adjusted"].tolist()
    assert table["effect_size"].tolist() == against_names["effect_size"].tolist()
    assert table["score_sens_size"].tolist() == name_table(large_cube, "toxicity")["effect_size"].tolist()
    assert table["score_sens_size"].tolist() != table["effect_size"].tolist()
    assert table["effect (group)"].tolist() == ["mine"] * 12
    assert table.loc[table["effect_p_adjusted"] < 0.01, "name"].tolist() == ["N0"]


def test_one_name_has_no_effect_against_names(cube: ScoreCube) -> None:
    alone = replace(cube, names=cube.names[:1], perturbed=cube.perturbed[:, :1])
    assert name_file_table(alone, "toxicity")[["effect", "effect_p_adjusted"]].isna().all(axis=None)


def test_threshold_is_the_targets_own_unless_given(cube: ScoreCube) -> None:
    # sentiment from -1 to 1: 0. A = {s1}; B = {s0, s1}, {s1}, {s0}
    assert name_table(cube, "sentiment")["label_dist"].tolist() == [0.5, 0.0, 1.0]
    assert name_table(cube, "sentiment", threshold=0.6)["label_dist"].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("baseline", ["original", "names"])
def test_another_threshold_tests_no_name_again(
    large_cube: ScoreCube, baseline: stats.Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = name_table(large_cube, "toxicity", baseline=baseline, correction="fdr_bh", threshold=0.3)
    effects = effect_columns(large_cube, "toxicity", baseline=baseline, correction="fdr_bh")
    for test in ("original_p", "name_effects"):
        monkeypatch.setattr(stats, test, None)
    found = name_table(large_cube, "toxicity", threshold=0.3, effects=effects)
    pd.testing.assert_frame_equal(found, expected)


def test_correction_is_over_the_list(large_cube: ScoreCube) -> None:
    plain = name_table(large_cube, "toxicity", correction="none")
    assert plain["p_adjusted"].tolist() == plain["p_value"].tolist()
    for correction in ("bonferroni", "holm", "fdr_bh"):
        table = name_table(large_cube, "toxicity", correction=correction)
        assert table["p_adjusted"].tolist() == stats.adjust(plain["p_value"], correction).tolist()


def test_finds_the_name_that_moves_the_score(large_cube: ScoreCube) -> None:
    table = name_table(large_cube, "toxicity")
    assert table.loc[table["p_adjusted"] < 0.001, "name"].tolist() == ["N0"]


def test_one_sentence_gives_means_and_nothing_sure(cube: ScoreCube) -> None:
    table = name_table(cube.rows(np.array([0])), "toxicity")
    assert table["score_sens"].tolist() == [0.25, -0.25, 0.0]
    assert table[["ci_low", "ci_high", "p_value", "p_adjusted", "effect_size"]].isna().all(axis=None)


def test_group_column_called_like_a_quantity_gives_way(cube: ScoreCube) -> None:
    clashing = replace(cube, names=cube.names.rename(columns={"gender": "n"}))
    table = name_table(clashing, "toxicity")
    assert table["n (group)"].tolist() == ["female", "male", "male"]
    assert table["n"].tolist() == [2, 2, 2]


def test_further_tests(large_cube: ScoreCube) -> None:
    table = name_test_table(large_cube, "toxicity", margin=0.2)
    differences = stats.baseline_differences(*large_cube.scores("toxicity"))
    assert table["p_signed_rank"].tolist() == pytest.approx(stats.signed_rank_p(differences).tolist(), nan_ok=True)
    assert table["p_rank"].tolist() == stats.sign_test_p(differences).tolist()
    assert table["p_equivalence"].tolist() == stats.equivalence_p(differences, 0.2).tolist()
    assert table["equivalent"].tolist() == [False] + [True] * 11
    assert "equivalent" not in name_test_table(large_cube, "toxicity")


def test_further_tests_against_the_names(large_cube: ScoreCube) -> None:
    table = name_test_table(large_cube, "toxicity", baseline="names", margin=0.2)
    assert table["p_signed_rank"].isna().all()
    assert table.loc[table["p_rank_adjusted"] < 0.01, "name"].tolist() == ["N0"]
    assert table["equivalent"].tolist() == [False] + [True] * 11
    differences = stats.effect_differences(*large_cube.scores("toxicity"), baseline="names")
    error = stats.name_effects(large_cube.scores("toxicity")[1]).error
    # No difference can reach this margin, so the p-values are those of the two t-tests, by the error of the effects.
    widest = name_test_table(large_cube, "toxicity", baseline="names", margin=1.0)["p_equivalence"]
    by_effect, by_mean = (stats.equivalence_p(differences, 1.0, error=each) for each in (error, None))
    assert np.log(widest).tolist() == pytest.approx(np.log(by_effect).tolist())
    assert np.log(widest).tolist() != pytest.approx(np.log(by_mean).tolist())


def test_equivalence_counts_with_the_whole_range_of_the_score(large_cube: ScoreCube) -> None:
    signed = replace(large_cube, targets=(replace(large_cube.targets[0], low=-1.0), *large_cube.targets[1:]))
    table = name_test_table(signed, "toxicity", margin=0.2)
    differences = stats.baseline_differences(*large_cube.scores("toxicity"))
    assert table["p_equivalence"].tolist() == stats.equivalence_p(differences, 0.2, score_range=2.0).tolist()
    assert set(table["needed"]) == {stats.equivalence_sentences(0.2, 2.0, 12)}


def test_scores_without_a_range_are_never_equivalent(large_cube: ScoreCube) -> None:
    targets = (replace(large_cube.targets[0], high=np.inf, threshold=0.5), *large_cube.targets[1:])
    table = name_test_table(replace(large_cube, targets=targets), "toxicity", margin=0.2)
    assert table["p_equivalence"].isna().all()
    assert not table["equivalent"].any()
    assert np.isinf(table["needed"]).all()


def test_unknown_choices_are_refused(cube: ScoreCube) -> None:
    with pytest.raises(CubeError, match="toxicity, sentiment"):
        name_table(cube, "anger")
    with pytest.raises(OptionError, match="correction"):
        name_table(cube, "toxicity", correction="sidak")
    with pytest.raises(OptionError, match="margin"):
        name_test_table(cube, "toxicity", margin=-1)


def test_p_values_against_names_are_corrected_over_the_names(large_cube: ScoreCube) -> None:
    """Bonferroni multiplies each of the twelve names' p by twelve; Holm the smallest one by as much."""
    for correction, several in (("bonferroni", slice(None)), ("holm", slice(0, 1))):
        found = effect_columns(large_cube, "toxicity", baseline="names", correction=correction)
        order = np.argsort(found["p_value"], kind="stable")[several]
        assert found["p_adjusted"][order] == pytest.approx(np.minimum(1, 12 * found["p_value"][order]))


def test_two_names_are_compared_with_each_other(cube: ScoreCube) -> None:
    two = replace(cube, names=cube.names.iloc[:2], perturbed=cube.perturbed[:, :2])
    assert name_file_table(two, "toxicity")["effect"].tolist() == [0.0625, -0.0625]


def test_names_are_compared_with_the_original_where_there_is_one_or_with_each_other(cube: ScoreCube) -> None:
    slot = replace(cube, provenance={"study": {"anchors": "slot"}})
    alone = replace(slot, names=cube.names.iloc[:1], perturbed=cube.perturbed[:, :1])
    pronouns = replace(cube, provenance={"study": {"anchors": "pronouns"}})
    assert [default_baseline(each) for each in (slot, alone, pronouns)] == ["names", "original", "original"]


def test_what_effects_are_measured_from_stands_beside_the_table(cube: ScoreCube) -> None:
    # originals 0.5 and 0.25; names' means 0.5, 0.375 and 0.25
    against = [name_table(cube, "toxicity", baseline=baseline).attrs["before"] for baseline in ("original", "names")]
    assert against == [0.375, 0.375]
    moved = replace(cube, original=cube.original + np.float32(0.25))
    assert name_table(moved, "toxicity").attrs["before"] == 0.625
    assert name_table(moved, "toxicity", baseline="names").attrs["before"] == 0.375


def test_equivalence_is_corrected_over_the_names_and_families_are_told(large_cube: ScoreCube) -> None:
    table = name_test_table(large_cube, "toxicity", margin=0.05)
    assert table["p_equivalence_adjusted"].tolist() == stats.adjust(table["p_equivalence"]).tolist()
    assert (
        (table["p_equivalence_adjusted"] > table["p_equivalence"]).any()
        and "families" not in table
        and "n" not in table
    )
    family = large_cube.sentences.assign(family=np.arange(40) // 2)
    clustered = name_test_table(replace(large_cube, sentences=family), "toxicity")
    assert clustered["families"].tolist() == [20] * 12 and "n" not in clustered


def test_six_sentences_are_enough_to_be_sure(large_cube: ScoreCube) -> None:
    """A name that moves each of them alike has a p-value below what so few could have by chance."""
    raised = large_cube.perturbed.copy()
    raised[:, 3] = large_cube.original + 0.3 + np.linspace(0, 0.001, 40)[:, None].astype(np.float32)
    cube = replace(large_cube, perturbed=raised)
    p_values = [name_table(cube.rows(np.arange(count)), "toxicity")["p_adjusted"][3] for count in (5, 6)]
    assert p_values[0] == 2**-4 and p_values[1] < 2**-5


def test_a_large_family_widens_what_sentences_may_not_have_shown(large_cube: ScoreCube) -> None:
    sentences = large_cube.sentences.assign(family=[0] * 4 + list(range(1, 37)))
    cube = replace(large_cube, sentences=sentences)
    rows = cube.families.rows(cube.perturbed[:, :, 0] - cube.original)
    expected = stats.equivalence_p(rows, 0.2, score_range=4 * 37 / 40)
    table = name_test_table(cube, "toxicity", margin=0.2)
    assert table["p_equivalence"].tolist() == pytest.approx(expected.tolist()) and expected.max() > 0.01


def test_a_typical_name_is_the_median_one_also_where_one_is_huge(cube: ScoreCube) -> None:
    perturbed = cube.perturbed.copy()
    perturbed[:, 0] = 1.0
    moved = replace(cube, perturbed=perturbed)
    means = perturbed[:, :, cube.target_index("toxicity")].mean(axis=0)
    original = cube.scores("toxicity")[0]
    assert name_table(moved, "toxicity", baseline="names").attrs["before"] == pytest.approx(np.median(means))
    assert name_table(moved, "toxicity").attrs["before"] == pytest.approx(original.mean())
    assert np.median(means) != pytest.approx(means.mean(), abs=1e-3)
