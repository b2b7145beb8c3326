"""Sampled scores beside what asking again gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import nan
from typing import Any

from psa_core import stats
from psa_core.cube import UNANSWERED, ScoreCube

SPREAD = "_spread"
BOUNDS = ("value", "low", "high")


@lru_cache(maxsize=32)
def repeat_floors(cube: ScoreCube, target: str, *, threshold: float) -> dict[str, stats.RepeatFloor]:
    """ScoreDev, ScoreRange, LabelDist and flips of sampled scores beside their floor; empty where nothing is sampled.

    Parameters
    ----------
    threshold : float
        Of LabelDist and flips.
    """
    declared = cube.targets[cube.target_index(target)]
    if not declared.samples:
        return {}
    known = {other.name for other in cube.targets}
    others = {
        name: cube.scores(target + ending) if target + ending in known else None
        for name, ending in (("unanswered", UNANSWERED), ("spread", SPREAD))
    }
    found = stats.repeat_floors(
        *cube.scores(target),
        samples=declared.samples,
        ends=(declared.low, declared.high),
        thresholds=[threshold],
        unanswered=others["unanswered"],
        spread=others["spread"],
    )
    return {name: floors[0] for name, floors in found.items()}


def beyond_floor(metrics: Mapping[str, Mapping[str, Any]], metric: str, samples: int) -> dict[str, float]:
    """A metric of `target_summary` with its bounds, ``value, low, high``, without what sampling alone gives.

    Of scores that are not sampled (`samples` is 0) as it is. Where nothing is above the floor the value is 0; a metric
    without a floor has no bounds then, since they would be about how often was asked.
    """
    row = {end: _or_nan(metrics[metric][end]) for end in BOUNDS}
    if not samples:
        return row
    if "floor" not in metrics[metric]:
        return row | {"low": nan, "high": nan}
    floor = metrics[metric]["floor"]
    is_above = metrics[metric]["p"] < stats.SIGNIFICANT
    power = 2 if metric in ("score_dev", "score_range") else 1
    left = {end: max(value**power - floor**power, 0.0) ** (1 / power) for end, value in row.items()}
    return left if is_above else left | {"value": 0.0, "low": 0.0}


def _or_nan(value: float | None) -> float:
    return nan if value is None else float(value)


def flips_by_chance(cube: ScoreCube, target: str, threshold: float) -> dict[str, float]:
    """What a table's ``attrs`` say of labels that sampling alone changes: ``flips_floor``, ``flips_p``."""
    found = repeat_floors(cube, target, threshold=threshold)
    return {"flips_floor": found["flips"].floor, "flips_p": found["flips"].p} if found else {}
