"""The ordered matrix: every cell once, alike beside alike, clusters named by the group that explains them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.tables.matrix import _within, clusters, matrix, ordered
from tests.pages import result_studies

CAREERS = np.array(["actor", "leader", "singer"])[np.arange(24) % 3]


@pytest.fixture(scope="module")
def careers() -> ScoreCube:
    """Leaders raise every other sentence and lower the others; the others do nothing."""
    random = np.random.default_rng(0)
    small = result_studies.cube(30)
    pattern = np.where(np.arange(30) % 2, 0.3, -0.3)
    scores = 0.5 + pattern[:, None] * (CAREERS == "leader") + 0.02 * random.normal(size=(30, 24))
    names = pd.DataFrame({"name": [f"Person {i}" for i in range(24)], "career": CAREERS})
    return replace(small, names=names, perturbed=np.stack([scores] * 2, 2).astype(np.float32))


def test_every_cell_is_there_once_in_the_order_that_is_told(careers: ScoreCube) -> None:
    found = matrix(careers, "toxicity")
    assert sorted(found.rows) == list(range(30)) and sorted(found.columns) == list(range(24))
    values = stats.effect_differences(*careers.scores("toxicity"), baseline="names")
    assert np.array_equal(found.values, values[np.ix_(found.rows, found.columns)])
    assert 0.2 < found.limit < 0.4
    assert found.limit == pytest.approx(np.quantile(np.abs(values), 0.98))


def test_what_behaves_alike_stands_together_and_is_named_by_its_group(careers: ScoreCube) -> None:
    found = matrix(careers, "toxicity")
    assert np.count_nonzero(np.diff(found.rows % 2)) == 1
    assert np.count_nonzero(np.diff(found.cluster)) == 1
    leaders = found.clusters[found.clusters["group"] == "career = leader"].iloc[0]
    assert (leaders["names"], leaders["inside"], leaders["total"]) == (8, 8, 8)
    assert len(found.clusters) == 2


def test_a_cell_without_a_score_moves_no_name_to_another_cluster(careers: ScoreCube) -> None:
    scores = careers.perturbed.copy()
    scores[3, 4], scores[8, 5] = np.nan, np.nan  # of a leader, and of another
    missing = {"missing": {target.name: {"no valid answer": 2} for target in careers.targets}}
    found = matrix(replace(careers, perturbed=scores, provenance={**careers.provenance, **missing}), "toxicity")
    assert sorted(found.clusters["names"]) == [8, 16] and "career = leader" in set(found.clusters["group"])


def test_groups_are_sought_among_as_many_names_as_a_tree_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.repeat([[0.0], [1.0]], 4, axis=0) + np.arange(8)[:, None] / 100
    for most, expected in ((8, [0, 0, 0, 0, 1, 1, 1, 1]), (7, [0] * 8)):
        monkeypatch.setattr("psa_core.tables.matrix.MAX_TREE_LEAVES", most)
        assert clusters(rows).tolist() == expected


def test_groups_that_explain_nothing_name_nothing(careers: ScoreCube) -> None:
    names = careers.names.assign(career=["a"] * 12 + ["b"] * 12)
    found = matrix(replace(careers, names=names), "toxicity")
    assert (found.clusters["group"] == "").all()


def test_names_that_do_nothing_make_no_clusters(careers: ScoreCube) -> None:
    flat = replace(careers, perturbed=np.full_like(careers.perturbed, 0.5))
    found = matrix(flat, "toxicity")
    assert found.limit == 1.0 and len(found.clusters) == 1


def test_against_the_original_the_values_are_the_paper_s(careers: ScoreCube) -> None:
    found = matrix(careers, "toxicity", baseline="original")
    original, perturbed = careers.scores("toxicity")
    change = perturbed.astype(float) - original[:, None].astype(float)
    assert found.values == pytest.approx(change[np.ix_(found.rows, found.columns)])


def test_a_cluster_of_one_is_a_name_that_stands_apart(careers: ScoreCube) -> None:
    others = careers.shape[1] - 1
    perturbed = np.repeat(careers.original[:, None], careers.shape[1], axis=1)
    perturbed[:, 0] += np.float32(0.3)
    found = matrix(replace(careers, perturbed=perturbed), "toxicity")
    assert sorted(found.clusters["names"]) == [1, others]


def length(rows: np.ndarray, order: np.ndarray) -> float:
    """Sum of the distances between neighbours."""
    return float(np.linalg.norm(np.diff(rows[order], axis=0), axis=1).sum())


def test_points_on_a_line_stand_in_line() -> None:
    points = np.random.default_rng(0).permutation(40)[:, None].astype(float)
    found = points[ordered(points), 0].tolist()
    assert found in (sorted(found), sorted(found, reverse=True))


def test_three_rows_are_ordered_too() -> None:
    assert ordered([[0.0], [5.0], [0.1]]).tolist().index(1) != 1  # the far one stands at an end


def test_neighbours_are_nearly_as_close_as_in_the_best_order() -> None:
    rows = np.random.default_rng(1).normal(size=(7, 3))
    best = min(length(rows, np.array(order)) for order in permutations(range(7)))
    assert length(rows, ordered(rows)) <= 1.2 * best


@pytest.mark.parametrize("count", [400, 2500])
def test_many_rows_are_ordered_by_branches(count: int) -> None:
    random = np.random.default_rng(2)
    rows = np.column_stack([random.permutation(count), random.normal(size=count)])
    found = ordered(rows)
    assert sorted(found.tolist()) == list(range(count))
    assert length(rows, found) < 0.1 * length(rows, np.arange(count))


def test_groups_that_are_there_are_found() -> None:
    random = np.random.default_rng(3)
    rows = np.repeat(5 * np.eye(3), [5, 8, 12], axis=0) + random.normal(0, 0.3, (25, 3))
    found = clusters(rows)
    assert sorted(np.bincount(found).tolist()) == [5, 8, 12]
    assert len(set(found[:5])) == len(set(found[5:13])) == 1


def test_groups_have_two_rows_on_average() -> None:
    """Two pairs and two rows alone would be four groups of six rows, of which two hold nothing together."""
    rows = [[0.0], [0.01], [5.0], [10.0], [10.01], [20.0]]
    assert len(set(clusters(rows))) <= 3


def test_rows_without_a_difference_are_one_group() -> None:
    assert clusters(np.ones((9, 2))).tolist() == [0] * 9
    assert clusters(np.eye(4)).tolist() == [0] * 4
    assert sorted(ordered(np.ones((9, 2))).tolist()) == list(range(9))
    assert ordered([[1.0, 2.0]]).tolist() == [0]


def test_of_more_rows_than_a_tree_may_have_there_are_no_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.repeat(5 * np.eye(3), 4, axis=0) + np.random.default_rng(0).normal(0, 0.1, (12, 3))
    assert clusters(rows).any()
    monkeypatch.setattr("psa_core.tables.matrix.MAX_TREE_LEAVES", 5)
    assert not clusters(rows).any()


def test_rows_of_a_branch_stand_along_the_line_to_the_next_one() -> None:
    values = np.array([[0.0], [3.0], [5.0], [4.0], [9.0]])
    branches = np.array([0, 1, 1, 1, 2])
    assert _within(values, branches, np.array([0, 1, 2]), 1).tolist() == [1, 3, 2]
    assert _within(values, branches, np.array([2, 1, 0]), 1).tolist() == [2, 3, 1]
    assert _within(values, branches, np.array([2, 0, 1]), 2).tolist() == [1, 3, 2]
    assert _within(values, branches, np.array([1, 0, 2]), 0).tolist() == [2, 3, 1]
    assert _within(np.array([[0.0], [5.0], [4.0]]), np.array([0, 1, 1]), np.array([0, 1]), 1).tolist() == [2, 1]


def test_a_group_at_the_level_itself_names_nothing(careers: ScoreCube, monkeypatch: pytest.MonkeyPatch) -> None:
    named = matrix(careers, "toxicity").clusters
    surest = named["p_adjusted"].idxmin()
    assert named.loc[surest, "group"]
    monkeypatch.setattr(stats, "SIGNIFICANT", named.loc[surest, "p_adjusted"])
    assert not matrix(careers, "toxicity").clusters.loc[surest, "group"]


def test_a_missing_score_moves_no_name_into_another_cluster() -> None:
    cube = result_studies.cube(12)
    values = np.where(np.arange(12) < 6, 0.2, 0.8) + np.random.default_rng(0).normal(0, 0.005, (12, 12))
    scores = np.repeat(values[:, :, None], cube.shape[2], axis=2).astype(np.float32)
    scores[4, 2] = np.nan
    missing = {target.name: {"no valid answer": 1} for target in cube.targets}
    gappy = replace(cube, perturbed=scores, provenance={**cube.provenance, "missing": missing})
    found = matrix(gappy, cube.targets[0].name)
    assert [set(found.columns[found.cluster == each].tolist()) for each in (0, 1)] in (
        [set(range(6)), set(range(6, 12))],
        [set(range(6, 12)), set(range(6))],
    )


def test_clusters_are_numbered_from_one_and_their_p_values_end_at_one(careers: ScoreCube) -> None:
    table = matrix(careers, "toxicity").clusters
    assert table["cluster"].tolist() == list(range(1, len(table) + 1))
    shuffled = replace(careers, names=careers.names.assign(career=np.roll(careers.names["career"], 2)))
    assert (matrix(shuffled, "toxicity").clusters["p_adjusted"].dropna() <= 1).all()


def test_where_hardly_a_cell_differs_the_largest_makes_the_strongest_colour(careers: ScoreCube) -> None:
    scores = np.repeat(careers.original[:, None], careers.shape[1], axis=1)
    scores[2, 3] -= 0.25
    found = matrix(replace(careers, perturbed=scores), careers.targets[0].name, baseline="original")
    assert found.limit == pytest.approx(0.25)


def test_six_rows_are_enough_for_clusters() -> None:
    assert len(set(clusters([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]).tolist())) == 2


@pytest.mark.parametrize("blank", ["", " ", None, np.nan])
def test_names_without_a_group_are_no_group(careers: ScoreCube, blank: object) -> None:
    career = pd.Series([blank if own == "leader" else own for own in CAREERS], dtype=object)
    found = matrix(replace(careers, names=careers.names.assign(career=career)), "toxicity").clusters
    leaders = found[found["names"] == 8].iloc[0]
    assert tuple(leaders[["group", "inside", "total"]]) == ("", 0, 0) and np.isnan(leaders["p_adjusted"])
    assert set(found["group"]) <= {"", "career = actor", "career = singer"}


def test_every_column_of_the_clusters_by_hand(careers: ScoreCube) -> None:
    """Two columns of groups: each cluster has the group that is rarest there by chance, of all that were tried."""
    names = careers.names.assign(side=["left", "right"] * 12)
    found = matrix(replace(careers, names=names), "toxicity")
    values = stats.effect_differences(*careers.scores("toxicity"), baseline="names")
    order = names.iloc[found.columns].reset_index(drop=True)
    tried = []
    for cluster in (0, 1):
        inside = found.cluster == cluster
        for column in ("career", "side"):
            for level in sorted(set(order[column][inside])):
                member = (order[column] == level).to_numpy()
                p = hypergeom.sf((member & inside).sum() - 1, 24, member.sum(), inside.sum())
                tried.append((cluster, p, f"{column} = {level}", (member & inside).sum(), member.sum()))
    for cluster, row in enumerate(found.clusters.itertuples()):
        _, p, group, shared, total = min(each for each in tried if each[0] == cluster)
        assert (row.cluster, row.names, row.inside, row.total) == (cluster + 1, len(row.members), shared, total)
        assert row.p_adjusted == pytest.approx(min(1.0, p * len(tried)))
        assert row.group == (group if row.p_adjusted < 0.05 else "")
        assert row.members == tuple(order["name"][found.cluster == cluster])
        assert row.mean == pytest.approx(values[:, found.columns[found.cluster == cluster]].mean())
