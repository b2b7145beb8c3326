"""Families of sentences: rows by hand, few families, and that no families change nothing to the last digit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from psa_core import stats, tables
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.inputs.groups import grouping
from psa_core.stats import Families
from psa_core.tables.corpus import place_table
from psa_core.tables.pairs import order_replicability
from tests.tables.conftest import large_cube  # noqa: F401

SEVEN = Families.of(list("aabcdefgg"))


def test_rows_are_sums_whose_mean_is_that_of_the_sentences() -> None:
    values = np.arange(9.0)
    assert SEVEN.rows(values).tolist() == pytest.approx([7 / 9 * total for total in (1, 2, 3, 4, 5, 6, 15)])
    assert SEVEN.rows(values).mean() == pytest.approx(values.mean())
    assert SEVEN.means(values).tolist() == [0.5, 2, 3, 4, 5, 6, 7.5]
    assert SEVEN.effective_sample_size == pytest.approx(81 / 13)


def test_without_families_values_are_themselves() -> None:
    values, alone = np.float32([0.1, 0.7]), Families.none(2)
    assert alone.rows(values) is alone.means(values) is values
    assert not alone.any and not alone.too_few and alone.largest_share == 1.0


@pytest.mark.parametrize("keys", ["aaaaaa", "aabbccddee", "a" * 40 + "bcdefghij"])
def test_too_few_or_too_unequal_families_are_one_observation(keys: str) -> None:
    families = Families.of(list(keys))
    assert families.too_few
    assert families.rows(np.ones(len(keys))).tolist() == [1.0]


def test_the_interval_holds_what_the_test_does_not_rule_out() -> None:
    random = np.random.default_rng(2)
    families = Families.of(np.repeat(np.arange(14), random.integers(1, 9, 14)))
    values = 0.1 + random.normal(0, 0.2, 14)[families.labels]
    found = stats.mean_interval(values, families=families)
    assert found.value == pytest.approx(values.mean())
    for bound in found[1:]:
        assert stats.paired_t_p(families.rows(values - bound)) == pytest.approx(0.05)
    equal = stats.mean_interval(np.full(len(values), 0.3), families=families)
    assert list(equal) == pytest.approx([0.3] * 3)


def test_one_value_a_sentence() -> None:
    with pytest.raises(CubeError, match="families"):
        SEVEN.rows([1.0, 2.0])


def everything(cube: ScoreCube) -> list[pd.DataFrame | object]:
    """What is claimed of a study."""
    target = cube.targets[0].name
    pair = tables.paired(cube, cube)
    return [
        *(tables.name_table(cube, target, baseline=baseline) for baseline in ("original", "names")),
        tables.name_test_table(cube, target, margin=0.05),
        *(tables.group_table(cube, target, column) for column in grouping(cube.names)),
        tables.label_dist_table(cube, target),
        tables.change_table(pair, target, limit=0.0),
        tables.limit_table(cube, target, limit=0.0),
        place_table(cube, target),
        tables.summary(cube),
        order_replicability(cube, target),
    ]


def test_families_of_one_change_nothing_to_the_last_digit(large_cube: ScoreCube) -> None:  # noqa: F811
    alone = replace(large_cube, sentences=large_cube.sentences.assign(family=range(len(large_cube.sentences))))
    for found, expected in zip(everything(alone), everything(large_cube), strict=True):
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, expected, check_exact=True)
        else:
            assert found == expected


def test_copies_do_not_make_a_study_surer(large_cube: ScoreCube) -> None:  # noqa: F811
    """Each sentence five times is worth each sentence once."""
    target, count = large_cube.targets[0].name, len(large_cube.sentences)
    copies = _copied(large_cube, 5)
    for baseline in ("original", "names"):
        once, five = (tables.name_table(cube, target, baseline=baseline) for cube in (large_cube, copies))
        for column in ("score_sens", "ci_low", "ci_high", "p_adjusted"):
            assert five[column].to_numpy() == pytest.approx(once[column].to_numpy(), abs=1e-6)
        assert five["families"].eq(count).all() and five["n"].eq(5 * count).all()


def test_nothing_is_claimed_from_five_families(large_cube: ScoreCube) -> None:  # noqa: F811
    cube = replace(large_cube, sentences=large_cube.sentences.assign(family=np.arange(len(large_cube.sentences)) % 5))
    target = cube.targets[0].name
    shown = tables.name_table(cube, target)
    assert shown["p_adjusted"].isna().all() and shown["ci_low"].isna().all()
    assert shown["score_sens"].to_numpy() == pytest.approx(
        tables.name_table(large_cube, target)["score_sens"].to_numpy()
    )
    assert not tables.limit_table(cube, target, limit=0.0)["above"].any()
    assert np.isnan(order_replicability(cube, target).reliability.low)
    summary, before = tables.summary(cube)[target], tables.summary(large_cube)[target]
    assert summary["sensitivity_correlation"]["p"] is None
    assert summary["sensitivity_correlation"]["r"] == before["sensitivity_correlation"]["r"]
    assert summary["score_dev"] == {"value": pytest.approx(before["score_dev"]["value"]), "low": None, "high": None}


def _copied(cube: ScoreCube, times: int) -> ScoreCube:
    rows = np.repeat(np.arange(len(cube.sentences)), times)
    sentences = cube.sentences.iloc[rows].reset_index(drop=True)
    sentences = sentences.assign(family=rows, sentence_id=[f"s{row}" for row in range(len(rows))])
    return replace(cube, sentences=sentences, original=cube.original[rows], perturbed=cube.perturbed[rows])


@pytest.mark.slow
def test_families_that_react_to_names_each_in_its_way_are_no_evidence() -> None:
    """Twelve families of unequal size whose names differ by chance: no more claims than the level allows."""
    random, claimed, naive = np.random.default_rng(5), 0, 0
    for _ in range(60):
        families = Families.of(np.repeat(np.arange(12), 1 + random.multinomial(48, random.dirichlet(np.ones(12)))))
        cells = random.normal(0, 0.1, (12, 15))[families.labels]
        claimed += (stats.adjust(stats.name_effects(families.rows(cells)).p_value) < 0.05).any()
        naive += (stats.adjust(stats.name_effects(cells).p_value) < 0.05).any()
    assert claimed <= 8 and naive >= 50


def test_the_interval_of_a_share_does_not_reach_below_0_where_families_are_few() -> None:
    shares = np.array([0.6, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert stats.mean_interval(shares, families=SEVEN)[1][()] < 0
    assert stats.bootstrap_interval(shares, families=SEVEN).low == 0
    assert stats.bootstrap_interval(shares - 0.01, families=SEVEN).low < 0


def test_a_family_without_any_value_has_no_mean() -> None:
    means = Families.of(list("aabb")).means([1.0, 3.0, np.nan, np.nan])
    assert means[0] == 2.0 and np.isnan(means[1])


def test_the_mean_of_the_rows_is_that_of_the_values_that_are_there() -> None:
    families, values = Families.of(list("aabbccddeeffg")), np.arange(13.0)
    values[[3, 12]] = np.nan  # one of two, and the only one of a family
    rows = families.rows(values)
    assert rows[:2].tolist() == pytest.approx([(0 + 1) * 6 / 11, 2 * 6 / 11]) and np.isnan(rows[6])
    assert np.nanmean(rows) == pytest.approx(np.nanmean(values))
    few = Families.of(list("aabb"))
    assert few.rows(np.array([1.0, np.nan, 3.0, 5.0])).tolist() == [3.0]


def test_a_missing_value_leaves_the_interval_of_the_families_that_are_there() -> None:
    families = Families.of(np.arange(24) // 2)
    values = np.random.default_rng(0).normal(0.1, 0.2, 24)
    values[5] = np.nan
    value, low, high = stats.mean_interval(values, families=families)
    rows = families.rows(values)
    half = t.ppf(0.975, 11) * rows.std(ddof=1) / np.sqrt(12)
    assert (value, low, high) == pytest.approx((rows.mean(), rows.mean() - half, rows.mean() + half))
