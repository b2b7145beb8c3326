"""Sentences about a language model's answers: what it did not answer, and which differences so many answers show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from psa_core import stats
from psa_core.claims.formatting import Finding, Words, percent, too_few_in
from psa_core.cube import UNANSWERED, ScoreCube, Target
from psa_core.plurals import counted
from psa_core.tables import name_table

#: A share of valid answers under which nothing else should be read first.
HALF = 0.5


def unanswered_finding(cube: ScoreCube, target: str, *, labels: Mapping[str, str] | None = None) -> Finding | None:
    """What a model did not answer, shown before its scores; None where there is nothing to report.

    Reported are a share of valid answers under a half, a share that differs by name, and missing scores; `labels` maps
    names to how they are shown.
    """
    beside = target + UNANSWERED
    if beside not in {other.name for other in cube.targets}:
        return None
    _, shares = cube.scores(beside)
    missing = int(np.isnan(cube.scores(target)[1]).sum())
    share, words = float(stats.nan_mean(shares.astype(np.float64))), Words.of(cube.targets[cube.target_index(target)])
    parts, is_significant = list[str](), False
    if 1 - share < HALF:
        parts.append(
            f"Only {100 * (1 - share):.0f} % of the model's answers are valid: all other numbers rest on these few."
        )
    if len(cube.names) > 1 and not too_few_in(cube) and np.nanmax(shares) > np.nanmin(shares):
        table = name_table(cube, beside, baseline="names")
        significant = table[table["p_adjusted"] < stats.SIGNIFICANT]
        if len(significant):
            row = significant.loc[significant["score_sens"].abs().idxmax()]
            name = (labels or {}).get(row["name"], row["name"])
            way = "higher" if row["score_sens"] > 0 else "lower"
            size = Words("", "points").size(float(row["score_sens"]))
            parts.append(
                f"With “{name}” the share without a valid answer is {size} {way} than with a typical name "
                f"({percent(share)} in all)."
            )
            is_significant = True
    if missing:
        parts.append(
            f"In {missing:,} of {counted(shares.size, 'sentence–name pair')} there was no valid answer; "
            "numbers are over the others."
        )
    if not parts:
        return None
    evidence = f"{percent(share)} of the answers about {words.phrase} are not valid."
    return Finding(
        " ".join(parts),
        evidence,
        kind="answers",
        target=words.phrase,
        estimate=share,
        n=len(cube.sentences),
        is_significant=is_significant,
    )


def sampling_plan(target: Target, sentences: int, names: int) -> str:
    """Which difference so many sampled answers show, before a run; empty where nothing is sampled.

    Examples
    --------
    >>> print(sampling_plan(Target("loan", unit="points", samples=20), 100, 20))
    With 20 answers per text, a name that differs by 6.2 points is found in 95 of 100 studies; half as much takes 80.
    """
    if not target.samples:
        return ""
    found = stats.resolvable(target.samples, sentences, names)
    answers = f"With {counted(target.samples, 'answer')} per text"
    if found >= 1:
        return (
            f"{answers} and {counted(sentences, 'text')} per name, no difference is sure to be found: take more texts."
        )
    difference = found * (target.high - target.low) * (100 if target.unit == "points" else 1)
    shown = f"{float(f'{difference:.2g}'):,.12g}{' points' * (target.unit == 'points')}"
    return (
        f"{answers}, a name that differs by {shown} is found in 95 of 100 studies; "
        f"half as much takes {4 * target.samples:,}."
    )
