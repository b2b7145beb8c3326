"""Differences between groups of people: by hand, and where answers are missing or groups unequal."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t, ttest_ind

from psa_core.stats.group_gaps import _levels, _permuted, _repeat_error, _variances, _ways, beyond_others, gap


def test_p_is_the_share_of_ways_to_form_the_groups() -> None:
    found = gap(np.array([[[1.0], [2.0], [3.0], [14.0], [15.0], [16.0]]]), [0, 1, 2], [3, 4, 5])
    assert found is not None and found.difference == 13 and found.means == (2, 15)
    assert found.p == pytest.approx(2 / 20), "as they are and the other way round, of 20 ways"
    assert found.low == pytest.approx(13 - 2.7764 * np.sqrt(2 / 3), abs=1e-3)  # t with four degrees of freedom


def test_a_large_difference_survives_a_correction_for_five_hundred_comparisons() -> None:
    people = np.concatenate([np.arange(16.0), 100 + np.arange(16.0)])
    found = gap(np.tile(people[None, :, None], (3, 1, 2)), range(16), range(16, 32))
    assert found is not None and found.p * 500 < 0.05 and found.tasks == (3, 3)


def test_p_of_unequal_groups_is_never_below_that_of_welch() -> None:
    people = np.array([0.0, 0.9, -1.5, 1.2, 2.05, 2.0, 2.01, 2.02, 2.03, 2.04, 1.99, 1.98])
    found = gap(people[None, :, None], range(4), range(4, 12))
    welch = ttest_ind(people[:4], people[4:], equal_var=False).pvalue
    assert found is not None and found.p == pytest.approx(welch) and welch > 1 / 495
    assert (found.p < 0.05) == (found.low > 0)


def test_who_answered_seldom_is_not_sure_to_be_different() -> None:
    """Eight people answer forty times and refuse once each; eight answer four times and never refuse."""
    scores = np.full((40, 16, 1), np.nan)
    for person in range(8):
        scores[:, person, 0] = np.arange(40) == person
        scores[4 * person : 4 * person + 4, 8 + person, 0] = 0
    found = gap(scores, range(8), range(8, 16))
    assert found is not None and found.p > 0.05 and found.low < 0 < found.high


def test_a_rare_thing_in_one_group_alone_is_found_among_groups_of_one_size() -> None:
    scores = np.zeros((40, 16, 5))
    scores[0, 8:, 0], scores[1, 9:12, 0] = 1, 1
    found = gap(scores, range(8), range(8, 16))
    assert found is not None and found.p == pytest.approx(2 / 12870)


def test_a_task_that_a_group_hardly_answers_does_not_count_against_it() -> None:
    """A person's own level is theirs plus the task's: who misses the hard task is no better for it."""
    own, tasks = np.array([0.0, 1.0, 5.0, 6.0]), np.array([0.0, 10.0, 100.0])
    scores = (own[None] + tasks[:, None])[..., None]
    scores[2, 3] = np.nan
    found = gap(scores, [0, 1], [2, 3])
    assert found is not None and found.difference == pytest.approx(5, abs=1e-3)


def test_the_error_of_sampling_is_that_of_the_means_of_answers() -> None:
    """Both people's answers have the variance 2; a mean of two has 1, of four 0.5, and a cell without answers none."""
    nan, is_first = np.nan, np.array([True, False])
    assert _repeat_error(np.array([[[0.0, 2.0], [1.0, 3.0]]]), is_first) == pytest.approx(np.sqrt(2))
    assert _repeat_error(np.array([[[0.0, 2.0], [1.0, 3.0]], [[nan, nan], [5.0, 7.0]]]), is_first) == pytest.approx(
        np.sqrt(1 + 2 * 1 / 4)
    )
    assert np.isnan(_repeat_error(np.array([[[0.0], [1.0]]]), is_first))


def test_the_interval_over_people_and_tasks_is_that_of_two_way_clusters() -> None:
    """The variance over people and that over tasks, less what both count, by hand."""
    scores = np.random.default_rng(6).normal(0, 0.3, (4, 5, 1)) + np.array([0.0, 2, 2, 4, 7])[:, None]
    scores += np.random.default_rng(7).normal(0, 2, (4, 1, 1)) * (np.arange(5) > 1)[:, None]
    found = gap(scores, [0, 1], [2, 3, 4])
    cells, sides = scores[:, :, 0], (slice(0, 2), slice(2, 5))
    each = [cells[:, side].mean(axis=0).var(ddof=1) / (side.stop - side.start) for side in sides]
    of_people = sum(each)
    by_task = cells[:, sides[1]].mean(axis=1) - cells[:, sides[0]].mean(axis=1)
    both = 0.0
    for side in sides:
        own = cells[:, side]
        rest = own - own.mean(axis=0) - own.mean(axis=1)[:, None] + own.mean()
        both += (rest**2).mean() / own.size
    variance = of_people + by_task.var(ddof=1) / 4 - both
    freedom = min(of_people**2 / (each[0] ** 2 / 1 + each[1] ** 2 / 2), 3)
    assert found is not None and variance > max(of_people, by_task.var(ddof=1) / 4)
    assert found.tasks_high - found.difference == pytest.approx(t.ppf(0.975, freedom) * np.sqrt(variance))


def test_the_repeat_floor_is_the_mean_size_of_a_normal_error() -> None:
    scores = np.random.default_rng(2).normal(0, 1, (3, 4, 5))
    error = _repeat_error(scores, np.array([True, True, False, False]))
    sizes = np.abs(np.random.default_rng(3).normal(0, error, 100_000))
    found = gap(scores, [0, 1], [2, 3])
    assert found is not None and found.repeat_floor == pytest.approx(sizes.mean(), rel=0.01)


def test_the_error_of_sampling_pools_the_variance_of_all_answers() -> None:
    scores = np.random.default_rng(5).normal(0, 1, (2, 4, 3)) + np.arange(4)[:, None]
    pooled = scores.var(axis=2, ddof=1).mean()
    # Each side is a mean of two tasks with two people, each of them a mean of three answers.
    assert _repeat_error(scores, np.array([True, True, False, False])) == pytest.approx(np.sqrt(2 * pooled / 3 / 4))


def test_the_first_of_many_ways_is_how_the_groups_are() -> None:
    ways = _ways(10, 30, 0)
    assert np.flatnonzero(ways[0]).tolist() == list(range(10)) and (ways.sum(axis=1) == 10).all()
    assert len(np.unique(ways, axis=0)) > 19_000


def test_answers_beyond_the_others_range_by_hand() -> None:
    """Of 41 others on a task, from 0 to 40, the middle 95 % lie from 1 to 39."""
    scores = np.append(np.arange(41.0), [0.5, 40.0])[None, :, None]
    below, above = beyond_others(scores, [41, 42])
    assert below[0, :, 0].tolist() == [True, False] and above[0, :, 0].tolist() == [False, True]


def test_p_counts_the_ways_by_welchs_t() -> None:
    people = np.array([0.1, 0.9, 2.4, 1.2, 3.3, 2.9, 2.0, 5.1])
    sizes = []
    for first in combinations(range(8), 5):
        second = np.setdiff1d(range(8), first)
        sizes.append(abs(ttest_ind(people[list(first)], people[second], equal_var=False).statistic))
    p, floor = _permuted(people, np.arange(8) < 5, seed=0)
    assert p == pytest.approx(np.mean(np.array(sizes) >= sizes[0] * (1 - 1e-9)))
    gaps = [abs(people[list(each)].mean() - np.delete(people, each).mean()) for each in combinations(range(8), 5)]
    assert 0.02 < p < 0.9 and floor == pytest.approx(np.mean(gaps))


def test_people_who_are_all_alike_leave_the_doubt_about_tasks() -> None:
    scores = np.repeat(np.array([[0.0, 1], [0, 2], [0, 4], [0, 5]]), 3, axis=1)[:, :, None]
    found = gap(scores, [0, 1, 2], [3, 4, 5])
    assert found is not None and found.low == found.high == found.difference == 3
    by_task = np.array([1, 2, 4, 5])
    assert found.tasks_high - 3 == pytest.approx(t.ppf(0.975, 3) * by_task.std(ddof=1) / 2)
    two = gap(np.repeat(scores, 2, axis=0)[:, 1:5], [0, 1], [2, 3])
    assert two is not None
    assert two.tasks_high - 3 == pytest.approx(t.ppf(0.975, 2) * np.repeat(by_task, 2).std(ddof=1) / np.sqrt(8))


@pytest.mark.parametrize(("answered", "is_seldom"), [(1, True), (2, False), (3, False)])
def test_people_who_answered_seldom_differ_at_least_as_their_answers_do(answered: int, is_seldom: bool) -> None:
    """Four tasks: the first group answered all of them, the second one two or fewer, which half makes seldom."""
    random, is_first = np.random.default_rng(0), np.arange(6) < 3
    cells = random.normal(size=(4, 6))
    cells[answered:, 3:] = np.nan
    levels, people = _levels(cells)
    rest = cells - levels[:, None] - people
    found = _variances(rest, people, is_first)
    assert found[0] == pytest.approx(people[:3].var(ddof=1) / 3)
    squares = sum(
        float(np.nansum((rest[m, side] - np.mean(rest[m, side][~np.isnan(rest[m, side])])) ** 2))
        for m in range(4)
        for side in (slice(0, 3), slice(3, 6))
        if not np.isnan(rest[m, side]).all()
    )
    spare = np.isfinite(cells).sum() - 2 * 4 - 6 + 2
    of_a_cell = squares / spare if spare > 0 else 0.0
    own = people[3:].var(ddof=1)
    assert found[1] == pytest.approx((max(own, of_a_cell / answered) if is_seldom else own) / 3)


def test_scores_beyond_the_middle_95_per_cent_of_the_others_are_counted_on_either_side() -> None:
    """The others have 0 to 200: their 2.5 % and 97.5 % points are 5 and 195."""
    others = np.arange(201.0).reshape(67, 3)
    member = np.array([[4.9, 5.1, 195.1], [194.9, np.nan, 250.0]])
    scores = np.concatenate([member, others])[None]
    below, above = beyond_others(scores, [0, 1])
    assert below.tolist() == [[[True, False, False], [False, False, False]]]
    assert above.tolist() == [[[False, False, True], [False, False, True]]]
