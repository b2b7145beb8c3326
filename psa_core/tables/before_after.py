"""One model before and after a change, on the same sentences and names: what became of each name and each sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError


def names_before_after(before: ScoreCube, after: ScoreCube, target: str) -> pd.DataFrame:
    """The effect of each name against the names' mean, before and after.

    Parameters
    ----------
    before, after : ScoreCube
        Of the same sentences and names.
    target : str

    Returns
    -------
    DataFrame
        ``name, before, after``, signed, on the target's scale; the largest before comes first.

    Raises
    ------
    CubeError
        When the sentences or names differ.
    """
    scores = _perturbed(before, after, target)
    effects = [values.mean(axis=0) - values.mean() for values in scores]
    table = pd.DataFrame({"name": before.names["name"], "before": effects[0], "after": effects[1]})
    return table.sort_values("before", key=abs, ascending=False, kind="stable").reset_index(drop=True)


def sentences_before_after(before: ScoreCube, after: ScoreCube, target: str, *, threshold: float) -> pd.DataFrame:
    """How far names move the score of each sentence, and how many of them change its label, before and after.

    Parameters
    ----------
    before, after : ScoreCube
        Of the same sentences and names.
    target : str
    threshold : float

    Returns
    -------
    DataFrame
        ``text, spread_before, spread_after`` (standard deviation over names), ``flips_before, flips_after`` (names with
        another label than the sentence as it is); the largest spread before comes first.

    Raises
    ------
    CubeError
        When the sentences or names differ.
    """
    table = pd.DataFrame({"text": before.sentences["text"]})
    for cube, values, when in zip((before, after), _perturbed(before, after, target), ("before", "after"), strict=True):
        labels = [stats.labels_at(part, threshold) for part in cube.scores(target)]
        table[f"spread_{when}"] = values.std(axis=1)
        table[f"flips_{when}"] = (labels[1] != labels[0][:, np.newaxis]).sum(axis=1)
    ordered = table.sort_values("spread_before", ascending=False, kind="stable").reset_index(drop=True)
    return ordered[["text", "spread_before", "spread_after", "flips_before", "flips_after"]]


def spread_change(before: ScoreCube, after: ScoreCube, target: str) -> stats.Difference:
    """How much smaller ScoreDev is after, and whether more so than sentences differ; see `stats.paired_difference`.

    Parameters
    ----------
    before, after : ScoreCube
        Of the same sentences and names.
    target : str

    Returns
    -------
    Difference
        Before minus after, on the target's scale; above 0 names move the score less than before.

    Raises
    ------
    CubeError
        When the sentences or names differ.
    """
    first, second = (values.std(axis=1) for values in _perturbed(before, after, target))
    return stats.paired_difference(before.families.rows(first), before.families.rows(second))


def _perturbed(before: ScoreCube, after: ScoreCube, target: str) -> list[np.ndarray]:
    """Both perturbed scores: float64 (S, N)."""
    for what, column in (("sentences", "text"), ("names", "name")):
        rows = [getattr(cube, what)[column].tolist() for cube in (before, after)]
        if rows[0] != rows[1]:
            raise CubeError(what, got="others after the change", expected="the same before and after")
    return [cube.scores(target)[1].astype(np.float64) for cube in (before, after)]
