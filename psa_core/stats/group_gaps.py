"""Differences between groups of people in what is measured of each answer to them.

Scores come as arrays (M, A, K): tasks, people, answers; NaN where one is missing. People differ among themselves
without any effect of their group, so whole people are permuted among the groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from scipy import stats as distributions

from psa_core.stats.fairness import noise_corrected_pair
from psa_core.stats.means import CONFIDENCE
from psa_core.stats.scores import nan_mean

#: Enough for the smallest p to survive a correction for five hundred comparisons; fewer where people are many.
N_PERMUTATIONS, MAX_CELLS = 19_999, 4_000_000
#: Ways to form the groups up to which all of them are tried.
MAX_WAYS = 20_000
FEWEST = 2
#: Most rounds of fitting the levels of tasks and people to each other, and the change at which it ends.
N_STEPS, STEADY = 100, 1e-6
#: A group answered seldom where its people answered fewer tasks than this share of what the others did.
SELDOM = 0.5
#: Groups whose sizes are less alike are not exchangeable where one differs more among itself.
ALIKE = 2 / 3


class Gap(NamedTuple):
    """One measure between two groups.

    ``people`` are those of each group with any score, ``means`` theirs over tasks, people and answers. ``difference``
    is second minus first, over tasks that both have: with 95 % interval ``low, high`` over people (what other people of
    these groups would show on these tasks) and ``tasks_low, tasks_high`` over people and tasks. ``floor`` is its mean
    size when people change groups at random, ``repeat_floor`` that when the same people get other answers (sampling
    alone), ``corrected`` the size without what chance adds; 0 where it is below the floor. ``p`` is the share of
    permuted groups that differ as much (by Welch's t); of groups of unequal sizes, or of which one answered seldom, at
    least the p of Welch's t itself: such groups may be too unlike each other to be permuted. ``tasks``: those in which
    the difference has the same sign, and those compared.
    """

    people: tuple[int, int]
    means: tuple[float, float]
    difference: float
    low: float
    high: float
    tasks_low: float
    tasks_high: float
    floor: float
    repeat_floor: float
    corrected: float
    p: float
    tasks: tuple[int, int]


def gap(scores: np.ndarray, first: Sequence[int], second: Sequence[int], *, seed: int = 0) -> Gap | None:
    """The difference between two groups of people, given by their positions.

    None where a group has fewer than two people with a score, or they share no task.

    Examples
    --------
    >>> found = gap(np.array([[[1.0], [2.0], [4.0], [5.0]]]), [0, 1], [2, 3])
    >>> found.difference, found.people
    (3.0, (2, 2))
    """
    both = np.array([*first, *second])
    cells = np.asarray(nan_mean(np.asarray(scores, np.float64)[:, both], axis=2))
    known = np.isfinite(cells)
    is_first = np.arange(len(both)) < len(first)
    usable = known[:, is_first].any(axis=1) & known[:, ~is_first].any(axis=1)
    kept = known[usable].any(axis=0)
    cells, is_first, both = cells[usable][:, kept], is_first[kept], both[kept]
    n = (int(is_first.sum()), int((~is_first).sum()))
    if min(n) < FEWEST:
        return None
    levels, people = _levels(cells)
    by_task = nan_mean(cells[:, ~is_first], axis=1) - nan_mean(cells[:, is_first], axis=1)
    difference = float(people[~is_first].mean() - people[is_first].mean())
    variances = _variances(cells - levels[:, None] - people, people, is_first)
    half, half_tasks, by_t = _halves(cells - levels[:, None], people, by_task, is_first, variances)
    p, floor = _permuted(people, is_first, seed)
    answered = [float(np.isfinite(cells[:, side]).mean()) for side in (is_first, ~is_first)]
    if min(n) < ALIKE * max(n) or min(answered) < SELDOM * max(answered):
        p = max(p, by_t)
    means = tuple(float(nan_mean(cells[:, side])) for side in (is_first, ~is_first))
    repeats = _repeat_error(np.asarray(scores, np.float64)[np.ix_(usable, both)], is_first)
    size = float(noise_corrected_pair(abs(difference), floor))
    return Gap(
        n,
        (means[0], means[1]),
        difference,
        difference - half,
        difference + half,
        difference - half_tasks,
        difference + half_tasks,
        floor,
        float(np.sqrt(2 / np.pi) * repeats),
        size,
        p if difference else 1.0,
        (int((by_task * difference > 0).sum()), len(by_task)),
    )


def _levels(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The level of each task (M,) and of each person beside it (A,), by least squares.

    So a person without an answer to a hard task is no better for it, and a group that answered a task once or twice
    does not decide the task's level, which would make its people look more alike than they are.
    """
    levels = nan_mean(cells, axis=1)
    people = nan_mean(cells - levels[:, None], axis=0)
    for _ in range(0 if np.isfinite(cells).all() else N_STEPS):
        levels = nan_mean(cells - people, axis=1)
        before, people = people, nan_mean(cells - levels[:, None], axis=0)
        if np.abs(people - before).max() <= STEADY * np.abs(people).max():
            break
    return levels, people


def _variances(rest: np.ndarray, people: np.ndarray, is_first: np.ndarray) -> list[float]:
    """Of the mean of each group's people: as they differ; of one that answered seldom, at least as its answers make.

    People who answered seldom may all be alike by chance: no refusal in five answers of each shows no share of 0.
    `rest` (M, A) are means of answers without the levels of tasks and people; NaN where there is no answer.
    """
    answered, sides, squares = np.isfinite(rest).sum(axis=0), (is_first, ~is_first), 0.0
    for side in sides:  # a task may move one group alone, which is no noise
        squares += float(np.nansum((rest[:, side] - nan_mean(rest[:, side], axis=1)[:, None]) ** 2))
    spare = answered.sum() - 2 * len(rest) - len(people) + 2
    of_a_cell = squares / spare if spare > 0 else 0.0
    found = []
    for side in sides:
        variance = float(np.var(people[side], ddof=1))
        if answered[side].mean() < SELDOM * answered[~side].mean():
            variance = max(variance, float((of_a_cell / answered[side]).mean()))
        found.append(variance / int(side.sum()))
    return found


def _halves(
    centred: np.ndarray, people: np.ndarray, by_task: np.ndarray, is_first: np.ndarray, variances: list[float]
) -> tuple[float, float, float]:
    """Half the interval over people, that over people and tasks, and the two-sided p of the first (Welch's t).

    Over both they are two-way clusters: the sum of both variances less what both count.
    """
    n = (int(is_first.sum()), int((~is_first).sum()))
    of_people = sum(variances)
    squares = sum(part**2 / (count - 1) for part, count in zip(variances, n, strict=True))
    freedom = of_people**2 / squares if squares else float(sum(n) - 2)
    tail = (1 + CONFIDENCE) / 2
    half = float(distributions.t.ppf(tail, freedom)) * np.sqrt(of_people)
    size = abs(float(people[~is_first].mean() - people[is_first].mean()))
    p = float(2 * distributions.t.sf(size / np.sqrt(of_people), freedom)) if of_people else 0.0
    tasks = len(by_task)
    if tasks < FEWEST:
        return half, float("nan"), p
    of_tasks = float(np.var(by_task, ddof=1)) / tasks
    both = 0.0
    for side, count in ((is_first, n[0]), (~is_first, n[1])):
        rest = centred[:, side] - people[side] - nan_mean(centred[:, side], axis=1)[:, None]
        both += float(np.nanvar(rest)) / (count * tasks)
    variance = max(of_people, of_tasks, of_people + of_tasks - both)
    return half, float(distributions.t.ppf(tail, min(freedom, tasks - 1))) * np.sqrt(variance), p


@lru_cache(maxsize=4)
def _ways(first: int, total: int, seed: int) -> np.ndarray:
    """Who is in the first group, bool (ways, total): all ways where they are few; the first row is how it is."""
    if comb(total, first) <= MAX_WAYS:
        chosen = np.zeros((comb(total, first), total), bool)
        for row, members in enumerate(combinations(range(total), first)):
            chosen[row, list(members)] = True
        return chosen
    chosen = np.tile(np.arange(total) < first, (1 + min(N_PERMUTATIONS, MAX_CELLS // total), 1))
    chosen[1:] = np.random.default_rng([seed, 3]).permuted(chosen[1:], axis=1)
    return chosen


def _permuted(people: np.ndarray, is_first: np.ndarray, seed: int) -> tuple[float, float]:
    """p of the difference (by Welch's t) and its mean size, when people change groups."""
    n, total = int(is_first.sum()), len(people)
    chosen = _ways(n, total, seed)
    counts = np.array([n, total - n])
    sums = np.stack([chosen @ people, (~chosen) @ people], axis=1)
    squares = np.stack([chosen @ people**2, (~chosen) @ people**2], axis=1)
    means = sums / counts
    spread = np.maximum(squares - counts * means**2, 0) / (counts - 1) / counts
    gaps = means[:, 1] - means[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.nan_to_num(np.abs(gaps) / np.sqrt(spread.sum(axis=1)), nan=0.0)
    reached = int((sizes[1:] >= sizes[0] * (1 - 1e-9)).sum())
    return (1 + reached) / len(sizes), float(np.abs(gaps).mean())


def _repeat_error(scores: np.ndarray, is_first: np.ndarray) -> float:
    """Standard error of the difference from sampling the answers alone; NaN with one answer a cell."""
    counts = np.isfinite(scores).sum(axis=2)
    several = counts > 1
    if not several.any():
        return float("nan")
    centred = scores - nan_mean(scores, axis=2)[..., None]
    pooled = float(np.nansum(np.where(several[..., None], centred, 0) ** 2) / (counts[several] - 1).sum())
    found = 0.0
    for side in (is_first, ~is_first):
        cells = counts[:, side]
        weights = np.divide(pooled, cells, out=np.zeros(cells.shape), where=cells > 0)
        found += weights.sum() / (cells > 0).sum() ** 2
    return float(np.sqrt(found))


def beyond_others(scores: np.ndarray, members: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Which scores of a group lie below and above the range that holds 95 % of the others' on the same task.

    `members` are positions of people; both arrays are bool (M, members, K).
    """
    others = np.setdiff1d(np.arange(scores.shape[1]), np.asarray(members))
    below, above = (np.zeros((len(scores), len(members), scores.shape[2]), bool) for _ in range(2))
    tail = 100 * (1 - CONFIDENCE) / 2
    for m in range(len(scores)):
        range_of = scores[m, others][np.isfinite(scores[m, others])]
        if len(range_of):
            low, high = np.percentile(range_of, (tail, 100 - tail))
            with np.errstate(invalid="ignore"):
                below[m], above[m] = scores[m, members] < low, scores[m, members] > high
    return below, above
