"""Tables 5 to 7 and the data of Figures 1 and 2 of Kiritchenko & Mohammad (2018), for any systems.

Differences are given as shares of the target's range, so that systems with different ranges stand side by side; the
paper's scores all run from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.audits.eec.pairs import Pair, differences, pairs_of
from psa_core.audits.eec.significance import VERDICTS
from psa_core.cube import ScoreCube

ALL = "all"
ALL_SYSTEMS = "All"
RELATIVE = ("mean_difference", "mean_positive", "mean_negative", "spread", "largest")


def parts_of(cube: ScoreCube) -> list[str]:
    """What an audit can be narrowed to: ``all``, ``neutral`` and each emotion."""
    emotions = list(cube.sentences["emotion"].unique())
    neutral = [corpus.NEUTRAL] if corpus.NEUTRAL in emotions else []
    return [ALL, *neutral, *(emotion for emotion in emotions if emotion != corpus.NEUTRAL)]


def comparison(entry: Mapping[str, Any], kind: str, part: str) -> Mapping[str, Any] | None:
    """One comparison of an entry of ``eec.json``; None where there is none."""
    holder = entry if part == ALL else entry["neutral"] if part == corpus.NEUTRAL else entry["emotions"].get(part, {})
    found: Mapping[str, Any] | None = holder.get(kind)
    return found


def system_table(assessed: Mapping[str, Mapping[str, Any]], kind: str, part: str) -> pd.DataFrame:
    """One row a system and target.

    Returns
    -------
    DataFrame
        ``system, target, verdict``; ``mean_difference, mean_positive, mean_negative, spread, largest`` (shares of the
        range; signed, female minus male or African-American minus European); ``t, p_value, p_adjusted, pairs,
        assessments, p_clustered`` (see `clusters`; empty in folders written before it was computed).
    """
    rows = []
    for entry in assessed.values():
        found = comparison(entry, kind, part)
        if found is None:
            continue
        row = {"system": entry["model"], "target": entry["target"], "verdict": found["verdict"]}
        for name in RELATIVE:
            row[name] = None if found[name] is None else found[name] / (entry["high"] - entry["low"])
        row |= {name: found[name] for name in ("t", "p_value", "p_adjusted", "pairs", "assessments")}
        rows.append(row | {"p_clustered": found.get("p_clustered")})
    return pd.DataFrame(rows)


def by_task_score(systems: pd.DataFrame, task_scores: Mapping[str, float]) -> pd.DataFrame:
    """The systems in the order of the paper's Figures 1 and 2: the best at its task first, unknown ones last.

    Parameters
    ----------
    systems : DataFrame
        As `system_table` gives it.
    task_scores : mapping
        System to how well it does its task; larger = better.
    """
    scores = systems["system"].map(dict(task_scores)).astype(float)
    return systems.assign(task_score=scores).sort_values("task_score", ascending=False, kind="stable")


def group_table(systems: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Tables 5 to 7 of the paper.

    Parameters
    ----------
    systems : DataFrame
        As `system_table` gives it.
    kind : {"gender", "race"}

    Returns
    -------
    DataFrame
        ``task, group, systems, mean_positive, mean_negative``: for each target the paper's three groups and all. The
        averages were first calculated for each system and are then averaged over the systems of a group; empty where
        there is none.
    """
    rows = []
    for task, tested in systems.groupby("target", sort=False):
        for group in (*VERDICTS[kind], ALL_SYSTEMS):
            members = tested if group == ALL_SYSTEMS else tested[tested["verdict"] == group]
            means = members[["mean_positive", "mean_negative"]].astype(float).mean()
            rows.append({"task": task, "group": group, "systems": len(members), **means.to_dict()})
    return pd.DataFrame(rows)


def delta_table(systems: Mapping[str, ScoreCube], kind: str, part: str) -> pd.DataFrame:
    """The data of Figures 1 and 2: one row a system, target and pair.

    Returns
    -------
    DataFrame
        ``system, target, delta``; a share of the target's range, signed as in `system_table`.
    """
    tables = []
    for system, cube in systems.items():
        rows = narrowed(cube, part)
        for target in cube.targets:
            delta = differences(rows, target.name, kind).ravel() / (target.high - target.low)
            tables.append(pd.DataFrame({"system": system, "target": target.name, "delta": delta}))
    return pd.concat(tables, ignore_index=True)


def pair_table(design: corpus.Design, cube: ScoreCube, target: str, kind: str, part: str = ALL) -> pd.DataFrame:
    """The sentence pairs behind the differences, largest difference first.

    Returns
    -------
    DataFrame
        ``pair, emotion, first_text, second_text, first, second, delta``. Scores and their difference are in units of
        the target. Of an average over names the text is the sentence that does most for the difference.
    """
    keep = _rows(cube, part)
    texts = corpus.grid(design)
    _, scores = cube.scores(target)
    rows = [
        _pair_row(pair, texts[r], scores[r], cube.sentences["emotion"].iloc[r])
        for r in np.flatnonzero(keep)
        for pair in pairs_of(cube.names, kind)
    ]
    table = pd.DataFrame(rows)
    return table.iloc[np.argsort(-table["delta"].abs().to_numpy(), kind="stable")].reset_index(drop=True)


def person_table(cube: ScoreCube, target: str, part: str = ALL) -> pd.DataFrame:
    """Each person's mean score over the rows: ``person, gender, race, score``, highest first."""
    _, scores = narrowed(cube, part).scores(target)
    people = cube.names[["name", "gender", "race"]].rename(columns={"name": "person"})
    scored = people.assign(score=scores.mean(axis=0, dtype=np.float64))
    return scored.sort_values("score", ascending=False, kind="stable", ignore_index=True)


def narrowed(cube: ScoreCube, part: str) -> ScoreCube:
    """The rows of one part."""
    return cube if part == ALL else cube.rows(_rows(cube, part))


def _rows(cube: ScoreCube, part: str) -> np.ndarray:
    mask: np.ndarray = np.ones(len(cube.sentences), bool)
    return mask if part == ALL else (cube.sentences["emotion"] == part).to_numpy()


def _pair_row(pair: Pair, texts: list[str], scores: np.ndarray, emotion: str) -> dict[str, Any]:
    first, second = (float(scores[side].mean(dtype=np.float64)) for side in (pair.first, pair.second))
    direction = 1 if first >= second else -1
    return {
        "pair": pair.words,
        "emotion": emotion,
        "first_text": texts[_pulling_most(pair.first, scores, direction)],
        "second_text": texts[_pulling_most(pair.second, scores, -direction)],
        "first": first,
        "second": second,
        "delta": first - second,
    }


def _pulling_most(side: np.ndarray, scores: np.ndarray, direction: int) -> int:
    """The person of one side whose score does most for the difference."""
    return int(side[(direction * scores[side]).argmax()])
