"""Tests of an audit, Tables 5 to 7 and the data of Figures 1 and 2 of Kiritchenko & Mohammad (2018); the first names.

The paper's t-test takes 1,584 or 144 score differences for independent. Those of one template share its words, and
those of one pair of people share the people. `clustered` therefore tests again: each template gives one difference,
and each pair of people (or each person, where only averages over people are compared) another one.

In tables, differences are given as shares of the target's range, so that systems with different ranges stand side by
side; the paper's scores all run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.audits.eec.corpus import COMPARISONS, differences, pairs_of
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.stats import Families
from psa_core.tables.factors import factor_regression
from psa_core.tables.pairs import order_replicability

ALPHA = 0.05
ALL = "all"
#: Averages of equal scores may differ in the last digits; this is far below what a float32 score can tell.
ROUNDING = 1e-9
VERDICTS = {
    "gender": ("F=M not significant", "F↑–M↓", "F↓–M↑"),
    "race": ("AA=EA not significant", "AA↑–EA↓", "AA↓–EA↑"),
}
ALL_SYSTEMS = "All"
#: What is given as a share of the range, and what is given as it is.
RELATIVE = ("mean_difference", "low", "high", "mean_positive", "mean_negative", "spread", "largest")
PLAIN = ("t", "p_value", "p_adjusted", "pairs", "assessments", "p_clustered", "templates", "clusters")
FACTORS = ("frequency", "word", "gender", "race")


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


def parts_of(cube: ScoreCube) -> list[str]:
    """What an audit can be narrowed to: ``all``, ``neutral`` and each emotion."""
    emotions = list(cube.sentences["emotion"].unique())
    neutral = [corpus.NEUTRAL] if corpus.NEUTRAL in emotions else []
    return [ALL, *neutral, *(emotion for emotion in emotions if emotion != corpus.NEUTRAL)]


def system_table(assessed: Mapping[str, Mapping[str, Any]], kind: str, part: str) -> pd.DataFrame:
    """One row a system and target, of one part of ``eec.json``; empty is what folders were written without.

    ``verdict`` is the paper's group, where the test that counts templates and people once agrees (else not
    significant), ``verdict_paper`` that by the paper's test alone. Differences are shares of the range, signed: female
    minus male or African-American minus European.
    """
    rows = []
    for entry in assessed.values():
        parts = {**entry["emotions"], ALL: entry, corpus.NEUTRAL: entry["neutral"]}
        found = parts.get(part, {}).get(kind)
        if found is None:
            continue
        width = entry["high"] - entry["low"]
        row = {"system": entry["model"], "target": entry["target"]}
        row |= {"verdict": counted_once(kind, found), "verdict_paper": found["verdict"]}
        row |= {name: None if found.get(name) is None else found[name] / width for name in RELATIVE}
        rows.append(row | {name: found.get(name) for name in PLAIN})
    return pd.DataFrame(rows)


def by_task_score(systems: pd.DataFrame, task_scores: Mapping[str, float]) -> pd.DataFrame:
    """A `system_table` as in the paper's Figures 1 and 2: the best system at its task first, unknown ones last."""
    scores = systems["system"].map(dict(task_scores)).astype(float)
    return systems.assign(task_score=scores).sort_values("task_score", ascending=False, kind="stable")


def group_table(systems: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Tables 5 to 7 of the paper: ``task, group, systems, mean_positive, mean_negative``, from a `system_table`.

    For each target the paper's three groups (by `verdict`) and all. The averages were first calculated for each system
    and are then averaged over the systems of a group; empty where there is none.
    """
    rows = []
    for task, tested in systems.groupby("target", sort=False):
        for group in (*VERDICTS[kind], ALL_SYSTEMS):
            members = tested if group == ALL_SYSTEMS else tested[tested["verdict"] == group]
            means = members[["mean_positive", "mean_negative"]].astype(float).mean()
            rows.append({"task": task, "group": group, "systems": len(members), **means.to_dict()})
    return pd.DataFrame(rows)


def delta_table(systems: Mapping[str, ScoreCube], kind: str, part: str) -> pd.DataFrame:
    """The data of Figures 1 and 2: ``system, target, delta`` for each pair, signed as in `system_table`."""
    tables = []
    for system, cube in systems.items():
        rows = narrowed(cube, part)
        for target in cube.targets:
            delta = differences(rows, target.name, kind).ravel() / (target.high - target.low)
            tables.append(pd.DataFrame({"system": system, "target": target.name, "delta": delta}))
    return pd.concat(tables, ignore_index=True)


def pair_table(design: corpus.Design, cube: ScoreCube, target: str, kind: str, part: str = ALL) -> pd.DataFrame:
    """The sentence pairs behind the differences, largest difference first, in units of the target.

    Of an average over names the text is the sentence that does most for the difference.
    """
    texts, scores, emotions = corpus.grid(design), cube.scores(target)[1], cube.sentences["emotion"]
    rows = []
    for r in range(len(texts)) if part == ALL else np.flatnonzero(emotions == part):
        for pair in pairs_of(cube.names, kind):
            first, second = (float(scores[r, side].mean(dtype=np.float64)) for side in (pair.first, pair.second))
            up = 1 if first >= second else -1
            most = (
                pair.first[(up * scores[r, pair.first]).argmax()],
                pair.second[(-up * scores[r, pair.second]).argmax()],
            )
            rows.append((pair.words, emotions.iloc[r], *(texts[r][n] for n in most), first, second, first - second))
    columns = ["pair", "emotion", "first_text", "second_text", "first", "second", "delta"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("delta", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def person_table(cube: ScoreCube, target: str, part: str = ALL) -> pd.DataFrame:
    """Each person's mean score over the rows: ``person, gender, race, score``, highest first."""
    _, scores = narrowed(cube, part).scores(target)
    people = cube.names[["name", "gender", "race"]].rename(columns={"name": "person"})
    scored = people.assign(score=scores.mean(axis=0, dtype=np.float64))
    return scored.sort_values("score", ascending=False, kind="stable", ignore_index=True)


def by_template(cube: ScoreCube) -> ScoreCube:
    """The first names' scores, the mean over the emotion words of each template: what shares words is no new evidence.

    Raises `CubeError` when the design has no people with a race, as first names have.
    """
    race = cube.names["race"] if "race" in cube.names else pd.Series("", index=cube.names.index)
    named = (race.notna() & (race.astype(str).str.strip() != "")).to_numpy()
    if not named.any():
        raise CubeError("people", got="none with a race", expected="first names with gender and race")
    templates = Families.of(cube.sentences["template" if "template" in cube.sentences else "text"].to_numpy())
    kept = cube.rows(np.unique(templates.labels, return_index=True)[1])
    return replace(
        kept,
        names=cube.names[named].reset_index(drop=True),
        original=templates.means(cube.original).astype(np.float32),
        perturbed=templates.means(cube.perturbed[:, named]).astype(np.float32),
    )


def people_table(systems: Mapping[str, ScoreCube]) -> pd.DataFrame:
    """One row a system and target: whether the ranking of first names replicates, and what it is associated with.

    ``reliability, low, high`` are between halves of the templates, stepped up (see `stats.reliability`); ``associated
    with`` lists significant factors and their shares of the variance. Raises `CubeError` as `by_template`.
    """
    rows = []
    for system, system_cube in systems.items():
        cube = by_template(system_cube)
        factors = [factor for factor in FACTORS if factor not in cube.names or cube.names[factor].nunique() > 1]
        for target in cube.targets:
            found = order_replicability(cube, target.name)
            row = {"system": system, "target": target.name, "templates": found.sentences}
            row |= dict(zip(("reliability", "low", "high"), found.reliability, strict=True))
            associated, r_squared = "", float("nan")
            try:
                why = factor_regression(cube, target.name, factors)
            except CubeError:
                pass  # the names' scores do not differ, or the names are too few
            else:
                shares = why.shares[why.shares["is_significant"]].itertuples()
                associated = ", ".join(f"{factor.factor} {100 * factor.share:.0f} %" for factor in shares)
                r_squared = why.r_squared
            rows.append(row | {"associated with": associated, "r_squared": r_squared})
    return pd.DataFrame(rows)
