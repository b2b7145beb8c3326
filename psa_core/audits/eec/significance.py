"""Tests for score differences in the Equity Evaluation Corpus (Kiritchenko & Mohammad 2018, section 4).

The paper's t-test takes 1,584 or 144 score differences for independent. Those of one template share its words, and
those of one pair of people share the people. `clustered` therefore tests again: each template gives one difference,
and each pair of people (or each person, where only averages over people are compared) another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.audits.eec.corpus import COMPARISONS, differences, pairs_of
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.stats import Families

ALPHA = 0.05
ALL = "all"
#: Averages of equal scores may differ in the last digits; this is far below what a float32 score can tell.
ROUNDING = 1e-9
VERDICTS = {
    "gender": ("F=M not significant", "F↑–M↓", "F↓–M↑"),
    "race": ("AA=EA not significant", "AA↑–EA↓", "AA↓–EA↑"),
}


def compare(deltas: np.ndarray, kind: str, assessments: int) -> dict[str, Any]:
    """Test whether the mean of paired score differences is zero: one paired t-test, as in the paper's Tables 5-7.

    `deltas` has one entry a pair (`CubeError` for fewer than two): female minus male, or African-American minus
    European, in units of the target. The Bonferroni correction counts so many `assessments` (438 in the paper).

    ``t`` is None where every pair differs by the same amount; ``mean_positive, mean_negative`` are of the differences
    above and below 0 (None without any); ``spread`` is the paper's Δ-spread: the largest minus the smallest difference.
    """
    delta = np.asarray(deltas, np.float64).ravel()
    delta = np.where(np.abs(delta) < ROUNDING, 0.0, delta)
    if delta.size < 2:
        raise CubeError("EEC pairs", got=f"{delta.size}", expected="at least two score pairs")
    t, p, *_ = _one_sample(delta)
    adjusted, mean = min(1.0, p * assessments), float(delta.mean())
    positive, negative = (float(part.mean()) if part.size else None for part in (delta[delta > 0], delta[delta < 0]))
    return {
        "pairs": delta.size,
        "mean_difference": mean,
        "t": t,
        "p_value": p,
        "p_adjusted": adjusted,
        "verdict": verdict(kind, mean, adjusted),
        "mean_positive": positive,
        "mean_negative": negative,
        "spread": float(np.ptp(delta)),
        "largest": float(np.abs(delta).max()),
        "assessments": assessments,
    }


def verdict(kind: str, mean_difference: float, p_adjusted: float) -> str:
    """The paper's group of a comparison: not significant, first side higher, or second side higher."""
    return VERDICTS[kind][0 if p_adjusted >= ALPHA else 1 if mean_difference > 0 else 2]


def counted_once(kind: str, found: Mapping[str, Any]) -> str:
    """The verdict that both the paper's test and `clustered` bear out; not significant where one is unknown."""
    once = found.get("p_clustered")
    return verdict(kind, found["mean_difference"], 1.0 if once is None else max(found["p_adjusted"], once))


def clustered(cube: ScoreCube, target: str, kind: str, assessments: int) -> dict[str, Any]:
    """Tests over templates and over people, beside the paper's.

    ``templates``, ``clusters`` (how many templates, and pairs of people or people, count as one each), ``p_templates``,
    ``p_people`` (two-sided t-tests; None where there are fewer than two), ``p_clustered`` (the larger of them,
    Bonferroni-corrected for `assessments` tests; None without one), ``low``, ``high`` (95 % interval of the mean
    difference over whichever of them is less sure, in units of the target; None without it).
    """
    delta = differences(cube, target, kind)
    # The cube's text is the template, whose emotion words are rows of their own.
    by_template = Families.of(cube.sentences["text"].to_numpy()).means(delta.mean(axis=1))
    tests = [_one_sample(by_template)[1:] if len(by_template) > 1 else None]
    clusters = delta.shape[1]
    if clusters > 1:
        tests.append(_one_sample(delta.mean(axis=0))[1:])
    else:
        found, means = pairs_of(cube.names, kind), cube.scores(target)[1].mean(axis=0, dtype=np.float64)
        sides = [means[np.concatenate([getattr(pair, side) for pair in found])] for side in ("first", "second")]
        clusters = sum(map(len, sides))
        tests.append(_two_samples(*sides))
    known = [test for test in tests if test is not None]
    surest = max(known) if len(known) == 2 else None
    return {
        "templates": len(by_template),
        "clusters": clusters,
        "p_templates": tests[0][0] if tests[0] else None,
        "p_people": tests[1][0] if tests[1] else None,
        "p_clustered": min(1.0, surest[0] * assessments) if surest else None,
        "low": surest[1] if surest else None,
        "high": surest[2] if surest else None,
    }


#: A p-value and the ends of a 95 % interval.
Test = tuple[float, float, float]


def _one_sample(values: np.ndarray) -> tuple[float | None, float, float, float]:
    """t of at least two values, and its test; where nothing varies, t is 0/0 or infinite."""
    from scipy.stats import ttest_1samp

    if np.ptp(values) < ROUNDING:
        same = float(values[0])
        return (0.0, 1.0, same, same) if abs(same) < ROUNDING else (None, 0.0, same, same)
    found = ttest_1samp(values, 0.0)
    low, high = found.confidence_interval(0.95)
    return float(found.statistic), float(found.pvalue), float(low), float(high)


def _two_samples(first: np.ndarray, second: np.ndarray) -> Test | None:
    """Welch's test between the mean scores of the people of each side."""
    from statsmodels.stats.weightstats import CompareMeans

    if min(len(first), len(second)) < 2:
        return None
    difference = float(first.mean() - second.mean())
    if max(np.ptp(first), np.ptp(second)) < ROUNDING:
        return (1.0 if abs(difference) < ROUNDING else 0.0, difference, difference)
    compared = CompareMeans.from_data(first, second)
    ends = compared.tconfint_diff(usevar="unequal")
    return float(compared.ttest_ind(usevar="unequal")[1]), float(ends[0]), float(ends[1])


def assess(systems: Mapping[str, ScoreCube]) -> dict[str, dict[str, Any]]:
    """Every comparison of every target of some systems, as ``eec.json`` holds it.

    By target (with several systems, ``system/target``); ``neutral`` and ``emotions`` repeat the comparisons on the rows
    without an emotion word and on each emotion's rows. Differences are in units of the target, whose range is from
    ``low`` to ``high``.
    """
    tests = sum(
        len(cube.targets) * sum(bool(pairs_of(cube.names, k)) for k in COMPARISONS) for cube in systems.values()
    )
    return {
        target.name if len(systems) == 1 else f"{system}/{target.name}": {
            "model": system,
            "target": target.name,
            "low": target.low,
            "high": target.high,
            **_both(cube, target.name, tests),
            "neutral": _both(narrowed(cube, corpus.NEUTRAL), target.name, tests),
            "emotions": {
                emotion: _both(narrowed(cube, emotion), target.name, tests)
                for emotion in cube.sentences["emotion"].unique()
                if emotion != corpus.NEUTRAL
            },
        }
        for system, cube in systems.items()
        for target in cube.targets
    }


def _both(cube: ScoreCube, target: str, assessments: int) -> dict[str, Any]:
    found = {kind: differences(cube, target, kind) for kind in COMPARISONS}
    return {
        kind: compare(delta, kind, assessments) | clustered(cube, target, kind, assessments)
        for kind, delta in found.items()
        if delta.size > 1
    }


def narrowed(cube: ScoreCube, part: str) -> ScoreCube:
    """The rows of one emotion or without any (``neutral``); for ``all`` the cube itself."""
    return cube if part == ALL else cube.rows((cube.sentences["emotion"] == part).to_numpy())


def spelling_table(systems: Mapping[str, ScoreCube], respelled: Mapping[str, ScoreCube]) -> pd.DataFrame:
    """What the other spelling of *disappointed* changes.

    ``largest_change`` is of one sentence's score, in units of the target.
    """
    before, after = assess({name: systems[name] for name in respelled}), assess(respelled)
    rows = []
    for key, entry in before.items():
        one, other = (cubes[entry["model"]].scores(entry["target"])[1] for cubes in (systems, respelled))
        for kind in filter(entry.__contains__, COMPARISONS):
            row = {"model": entry["model"], "target": entry["target"], "comparison": kind}
            for suffix, found in (("", entry[kind]), ("_respelled", after[key][kind])):
                row[f"mean_difference{suffix}"] = found["mean_difference"]
                row[f"verdict{suffix}"] = counted_once(kind, found)
            rows.append(row | {"largest_change": float(np.abs(one - other).max())})
    return pd.DataFrame(rows)
