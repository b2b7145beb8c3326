"""Tables of an audit of answers: measures by pairs of groups, tails, words, and the answers that differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.chats import measures as measuring
from psa_core.audits.chats.measures import Measure
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.groups import adjusted, gaps_of, group_columns, group_pairs
from psa_core.audits.generation.quality import words_apart
from psa_core.stats import nan_mean
from psa_core.stats.group_gaps import beyond_others, gap

SHOWN_PAIRS = 10
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
WORD_COLUMNS = ("column", "group_a", "group_b", "word", "count_a", "count_b", "log_odds", "p_adjusted")
TAIL_COLUMNS = ("measure", "column", "group", "beyond", "below", "above", "p_value", "p_adjusted")


@dataclass(frozen=True, eq=False)
class Tables:
    """What is measured of an audit of answers; p is corrected over the rows of each table (Holm)."""

    #: One row a measure and pair of groups; a difference is b minus a.
    gaps: pd.DataFrame
    #: One row a measure and group: shares of answers beyond the others' 95 % range of the same task.
    tails: pd.DataFrame
    #: One row a measure and pair of groups: the difference of quantiles, each task's median taken off.
    quantiles: pd.DataFrame
    #: Words used more for one group; see `words_apart`.
    words: pd.DataFrame
    #: `gaps` in each domain of tasks.
    domains: pd.DataFrame


def tables(cube: GenerationCube, measured: Mapping[str, np.ndarray], domains: Sequence[str]) -> Tables:
    """Compare every two groups in every measure (M, A, K), NaN where it is missing; each task has a domain."""
    pairs = group_pairs(cube.values)
    gaps = gaps_of(measured, pairs, cube.seed)
    parts = []
    for domain in dict.fromkeys(domains):
        rows = np.flatnonzero(np.array(domains) == domain)
        if domain and len(rows) < len(domains):
            part = {name: scores[rows] for name, scores in measured.items()}
            parts.append(gaps_of(part, pairs, cube.seed).assign(domain=domain))
    by_domain = adjusted(pd.concat(parts, ignore_index=True) if parts else gaps.iloc[:0].assign(domain=""))
    return Tables(gaps, _tails(cube, measured), _quantiles(measured, pairs), _words(cube, pairs), by_domain)


def _tails(cube: GenerationCube, measured: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Shares beyond the others' range; p of the share, against the other people's beyond the group's own range."""
    rows = []
    everyone = np.arange(len(cube.values))
    for name, scores in measured.items():
        if np.isin(scores[np.isfinite(scores)], (0, 1)).all():
            continue  # a share has no tails of its own
        # Every person against all others, so that the shares of both sides are counted in one way.
        beyond = np.full(scores.shape, np.nan)
        for a in everyone:
            sides = beyond_others(scores, [int(a)])
            beyond[:, a] = np.where(np.isfinite(scores[:, a]), (sides[0] | sides[1])[:, 0], np.nan)
        for column in group_columns(cube.values):
            labels = cube.values[column].astype(str).to_numpy()
            for group in dict.fromkeys(labels):
                members = np.flatnonzero(labels == group)
                if not group or not 1 < len(members) < len(everyone) - 1:
                    continue
                found = gap(beyond, np.setdiff1d(everyone, members).tolist(), members.tolist(), seed=cube.seed)
                below, above = beyond_others(scores, members.tolist())
                count = np.isfinite(scores[:, members]).sum()
                shares = [float(part.sum() / max(count, 1)) for part in (below | above, below, above)]
                rows.append((name, column, group, *shares, found.p if found else 1.0, 1.0))
    return adjusted(pd.DataFrame(rows, columns=list(TAIL_COLUMNS)))


def _quantiles(measured: Mapping[str, np.ndarray], pairs: Sequence[Any]) -> pd.DataFrame:
    rows = []
    for name, scores in measured.items():
        exact = np.asarray(scores, np.float64)
        known = np.isfinite(exact).any(axis=(1, 2))
        medians = np.full(len(exact), np.nan)
        medians[known] = np.nanmedian(exact[known], axis=(1, 2))
        centred = exact - medians[:, None, None]
        for column, group_a, group_b, first, second in pairs:
            sides = [centred[:, side][np.isfinite(centred[:, side])] for side in (first, second)]
            if min(map(len, sides)):
                differences = np.quantile(sides[1], QUANTILES) - np.quantile(sides[0], QUANTILES)
                rows.append((name, column, group_a, group_b, *map(float, differences)))
    heads = [f"q{round(100 * q)}" for q in QUANTILES]
    return pd.DataFrame(rows, columns=["measure", "column", "group_a", "group_b", *heads])


def _words(cube: GenerationCube, pairs: Sequence[Any]) -> pd.DataFrame:
    """Words of answers to one group that those to the other hardly have; people's own names are left out."""
    own = " ".join(cube.values["value"].astype(str))
    owners = np.broadcast_to(np.arange(len(cube.values))[:, None], cube.texts.shape)
    parts = []
    for column, group_a, group_b, *sides in pairs:
        first, second = (cube.texts[:, side].ravel() for side in sides)
        found = words_apart(first, second, own, people=[owners[:, side].ravel() for side in sides])
        parts.append(found.assign(column=column, group_a=group_a, group_b=group_b))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(WORD_COLUMNS))
    return table[list(WORD_COLUMNS)]


def measure_titles(measured: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Measure]:
    """What each measure is; a scorer's and a grader's by their names."""
    known = {measure.id: measure for measure in measuring.OWN}
    for name in measured:
        if name.startswith("picked."):
            doubted = not manifest.get("graders", {}).get(name, {}).get("believed", True)
            known[name] = measuring.of_grader(name.removeprefix("picked."), doubted=doubted)
    phrases = {target["name"]: target.get("phrase", "") for target in manifest.get("targets", ())}
    return {name: known.get(name) or measuring.of_scorer(name, phrases.get(name, "")) for name in measured}


def differing_answers(
    cube: GenerationCube, scores: np.ndarray, column: str, groups: tuple[str, str], *, top: int = SHOWN_PAIRS
) -> pd.DataFrame:
    """Answers to two people of two groups on one task that differ most in a measure, one pair a task.

    ``task, person_a, person_b, answer_a, answer_b, score_a, score_b, difference``, largest difference first.
    """
    labels, people = (cube.values[name].astype(str).to_numpy() for name in (column, "value"))
    rows = []
    for m, task in enumerate(cube.templates["template"].astype(str)):
        sides = [
            [(float(scores[m, a, k]), people[a], cube.texts[m, a, k]) for a in np.flatnonzero(labels == group)
             for k in range(cube.shape[2]) if np.isfinite(scores[m, a, k])]
            for group in groups
        ]  # fmt: skip
        if all(sides):
            (low_a, high_a), (low_b, high_b) = (
                [choose(side, key=itemgetter(0)) for choose in (min, max)] for side in sides
            )
            a, b = max((high_a, low_b), (low_a, high_b), key=lambda pair: abs(pair[0][0] - pair[1][0]))
            rows.append((task, a[1], b[1], a[2], b[2], a[0], b[0], b[0] - a[0]))
    heads = ["task", "person_a", "person_b", "answer_a", "answer_b", "score_a", "score_b", "difference"]
    table = pd.DataFrame(rows, columns=heads)
    return table.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True).head(top)


def people_table(cube: GenerationCube, measured: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Each person's mean in every measure, and how many answers there are."""
    table = cube.values.copy()
    for name, scores in measured.items():
        table[name] = nan_mean(nan_mean(scores, axis=2), axis=0)
    return table.assign(answers=cube.kept.sum(axis=(0, 2)), missing=(~cube.kept).sum(axis=(0, 2)))
