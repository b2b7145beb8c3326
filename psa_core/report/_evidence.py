"""Tables and numbers of one target for the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from psa_core import stats, tables
from psa_core.cube import ScoreCube, Target
from psa_core.inputs.names import grouping

MAX_GROUPS = 12
SHOWN_FLIPS = 10


@dataclass(frozen=True, eq=False)
class Evidence:
    """Tables and numbers of one target.

    Attributes
    ----------
    baseline : {"original", "names"}
        What the names' effects are measured against.
    names, thresholds : DataFrame
        See `tables.name_table`, `tables.label_dist_table`.
    groups : dict of str to DataFrame
        Group column to its `tables.group_table`.
    flips : DataFrame
        The largest flip of each of up to ten sentences; see `tables.Flips.frame`.
    flip_count : int
    numbers : mapping
        See `tables.summary`.
    warning : str
        What is too small to be sure of; may be empty.
    """

    target: Target
    baseline: str
    names: pd.DataFrame
    thresholds: pd.DataFrame
    groups: dict[str, pd.DataFrame]
    flips: pd.DataFrame
    flip_count: int
    numbers: Mapping[str, Any]
    warning: str


def evidence_of(cube: ScoreCube, target: Target, numbers: Mapping[str, Any]) -> Evidence:
    """Measure one target of a cube, of which `tables.summary` says the numbers."""
    flips = tables.find_flips(cube, target.name)
    baseline = tables.default_baseline(cube)
    differences = stats.effect_differences(*cube.units(target.name), baseline=baseline)
    spread = float(differences.std(axis=0, ddof=1).mean()) if len(differences) > 1 else float("nan")
    columns = group_columns(cube.names)
    return Evidence(
        target=target,
        baseline=baseline,
        names=tables.name_table(cube, target.name, baseline=baseline),
        thresholds=tables.label_dist_table(cube, target.name),
        groups={column: tables.group_table(cube, target.name, column, baseline=baseline) for column in columns},
        flips=flips.one_each("sentence").frame(limit=SHOWN_FLIPS),
        flip_count=len(flips),
        numbers=numbers,
        warning=stats.small_sample_warning(len(differences), spread, half_width=0.01 * _extent(cube, target)),
    )


def group_columns(names: pd.DataFrame) -> list[str]:
    """Columns that sort the names into a few groups: at most twelve."""
    return grouping(names, most=MAX_GROUPS)


def _extent(cube: ScoreCube, target: Target) -> float:
    score_range = float(target.high - target.low)
    if score_range < float("inf"):
        return score_range
    original, perturbed = cube.scores(target.name)
    return max(float(max(original.max(), perturbed.max()) - min(original.min(), perturbed.min())), 1e-6)
