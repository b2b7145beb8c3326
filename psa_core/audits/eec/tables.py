"""Tables 5 to 7 and the data of Figures 1 and 2 of Kiritchenko & Mohammad (2018), for any systems; and the first names.

Differences are given as shares of the target's range, so that systems with different ranges stand side by side; the
paper's scores all run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.audits.eec.corpus import differences, pairs_of
from psa_core.audits.eec.significance import ALL, VERDICTS, counted_once, narrowed
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.stats import Families
from psa_core.tables.factors import factor_regression
from psa_core.tables.replicability import order_replicability

ALL_SYSTEMS = "All"
#: What is given as a share of the range, and what is given as it is.
RELATIVE = ("mean_difference", "low", "high", "mean_positive", "mean_negative", "spread", "largest")
PLAIN = ("t", "p_value", "p_adjusted", "pairs", "assessments", "p_clustered", "templates", "clusters")
FACTORS = ("frequency", "word", "gender", "race")


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
