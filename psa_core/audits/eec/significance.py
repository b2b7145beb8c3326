"""Tests for score differences in the Equity Evaluation Corpus (Kiritchenko & Mohammad 2018, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.audits.eec.clusters import clustered
from psa_core.audits.eec.pairs import COMPARISONS, differences, pairs_of
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError

ALPHA = 0.05
#: Averages of equal scores may differ in the last digits; this is far below what a float32 score can tell.
ROUNDING = 1e-9
VERDICTS = {
    "gender": ("F=M not significant", "F↑–M↓", "F↓–M↑"),
    "race": ("AA=EA not significant", "AA↑–EA↓", "AA↓–EA↑"),
}


@dataclass(frozen=True)
class Comparison:
    """One paired two-sample t-test and what surrounds it in the paper's Tables 5-7.

    Attributes
    ----------
    pairs : int
        Number of score pairs; 1,584 for gender and 144 for race on the whole corpus.
    mean_difference : float
        Female minus male, or African-American minus European; signed, in units of the target.
    t, p_value, p_adjusted : float
        Two-sided; Bonferroni over `assessments`. `t` is None when every pair differs by the same amount.
    verdict : str
        The paper's group, at 0.05 of the adjusted p-value.
    mean_positive, mean_negative : float or None
        Average of the positive and of the negative differences; None where there is none.
    spread : float
        Largest minus smallest difference (the paper's Δ-spread).
    largest : float
        Largest difference in size, without its sign.
    """

    pairs: int
    mean_difference: float
    t: float | None
    p_value: float
    p_adjusted: float
    verdict: str
    mean_positive: float | None
    mean_negative: float | None
    spread: float
    largest: float
    assessments: int


def compare(deltas: np.ndarray, kind: str, assessments: int) -> Comparison:
    """Test whether the mean of paired score differences is zero.

    Parameters
    ----------
    deltas : float array, any shape
        Score differences, one entry a pair; at least two.
    kind : {"gender", "race"}
    assessments : int
        How many tests the Bonferroni correction counts (438 in the paper).

    Raises
    ------
    CubeError
        When there are fewer than two pairs.
    """
    from scipy.stats import ttest_1samp

    delta = np.asarray(deltas, np.float64).ravel()
    delta = np.where(np.abs(delta) < ROUNDING, 0.0, delta)
    if delta.size < 2:
        raise CubeError("EEC pairs", got=f"{delta.size}", expected="at least two score pairs")
    t: float | None
    if np.ptp(delta) < ROUNDING:  # the statistic is 0/0 or infinite: nothing varies
        t, p = (0.0, 1.0) if abs(delta[0]) < ROUNDING else (None, 0.0)
    else:
        t, p = (float(value) for value in ttest_1samp(delta, 0.0))
    adjusted = min(1.0, p * assessments)
    verdict = VERDICTS[kind][0 if adjusted >= ALPHA else 1 if delta.mean() > 0 else 2]
    return Comparison(
        pairs=delta.size,
        mean_difference=float(delta.mean()),
        t=t,
        p_value=p,
        p_adjusted=adjusted,
        verdict=verdict,
        mean_positive=_mean_or_none(delta[delta > 0]),
        mean_negative=_mean_or_none(delta[delta < 0]),
        spread=float(np.ptp(delta)),
        largest=float(np.abs(delta).max()),
        assessments=assessments,
    )


def assess(systems: Mapping[str, ScoreCube]) -> dict[str, dict[str, Any]]:
    """Every comparison of every target of some systems, as ``eec.json`` holds it.

    Returns
    -------
    dict
        Target (with several systems, ``system/target``) to ``model, target, low, high, gender, race, neutral,
        emotions``; the last two repeat the comparisons on the rows without an emotion word and on each emotion's rows.
        Differences are in units of the target, whose range is from ``low`` to ``high``.
    """
    assessments = sum(len(cube.targets) * _comparisons(cube) for cube in systems.values())
    return {
        target.name if len(systems) == 1 else f"{system}/{target.name}": {
            "model": system,
            "target": target.name,
            "low": target.low,
            "high": target.high,
            **_both(cube, target.name, assessments),
            "neutral": _both(subset(cube, corpus.NEUTRAL), target.name, assessments),
            "emotions": {
                emotion: _both(subset(cube, emotion), target.name, assessments)
                for emotion in cube.sentences["emotion"].unique()
                if emotion != corpus.NEUTRAL
            },
        }
        for system, cube in systems.items()
        for target in cube.targets
    }


def spelling_table(systems: Mapping[str, ScoreCube], respelled: Mapping[str, ScoreCube]) -> pd.DataFrame:
    """What the other spelling of *disappointed* changes.

    Returns
    -------
    DataFrame
        ``model, target, comparison, mean_difference, mean_difference_respelled, verdict, verdict_respelled,
        largest_change``; the last is the largest change of one sentence's score, in units of the target.
    """
    known = {name: systems[name] for name in respelled}
    before, after = assess(known), assess(respelled)
    rows = []
    for key, entry in before.items():
        one, other = systems[entry["model"]], respelled[entry["model"]]
        change = float(np.abs(one.scores(entry["target"])[1] - other.scores(entry["target"])[1]).max())
        for kind in filter(entry.__contains__, COMPARISONS):
            row = {"model": entry["model"], "target": entry["target"], "comparison": kind}
            for name in ("mean_difference", "verdict"):
                row |= {name: entry[kind][name], f"{name}_respelled": after[key][kind][name]}
            rows.append(row | {"largest_change": change})
    return pd.DataFrame(rows)


def _comparisons(cube: ScoreCube) -> int:
    return sum(bool(pairs_of(cube.names, kind)) for kind in COMPARISONS)


def subset(cube: ScoreCube, emotion: str) -> ScoreCube:
    """The rows of one emotion, or of none (``neutral``)."""
    return cube.rows((cube.sentences["emotion"] == emotion).to_numpy())


def _both(cube: ScoreCube, target: str, assessments: int) -> dict[str, Any]:
    found = {kind: differences(cube, target, kind) for kind in COMPARISONS}
    return {
        kind: asdict(compare(delta, kind, assessments)) | clustered(cube, target, kind, assessments)
        for kind, delta in found.items()
        if delta.size > 1
    }


def _mean_or_none(values: np.ndarray) -> float | None:
    return float(values.mean()) if values.size else None
