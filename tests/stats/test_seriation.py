"""An order in which neighbours resemble each other, for few rows and many, and groups that are there."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from psa_core.errors import CubeError
from psa_core.stats import seriation
from psa_core.stats.seriation import clusters, ordered


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


def test_what_is_no_table_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CubeError, match="finite numbers"):
        ordered([[np.nan, 1.0]])
    monkeypatch.setattr(seriation, "MAX_TREE_LEAVES", 5)
    assert not clusters(np.random.default_rng(0).normal(size=(8, 2))).any()
