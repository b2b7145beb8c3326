"""What scores do when no name changes: the floors that neutral edits and asking the same again make."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import SPREAD, UNANSWERED, ScoreCube
from psa_core.errors import CubeError
from psa_core.study import perturbation_of, spec_of
from psa_core.study.controls import controls_of

BOUNDS = ("value", "low", "high")


def control_floor(cube: ScoreCube, target: str) -> stats.Floor:
    """The spread of a target's scores over names beside that over neutral edits; see `stats.brittleness_floor`.

    Raises `CubeError` when the study has no such edits.
    """
    if cube.controls is None:
        raise CubeError("controls", got="none in this study", expected="a study with neutral edits")
    _, perturbed = cube.scores(target)
    controls = cube.controls[:, :, cube.target_index(target)]
    is_complete = np.isfinite(perturbed).all(axis=1) & np.isfinite(controls).all(axis=1)
    return stats.brittleness_floor(
        perturbed[is_complete], controls[is_complete], families=cube.families.subset(is_complete)
    )


def edit_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Every edit about nobody, largest first: ``sentence_id``, ``edit`` (``Monday → Friday``), ``change`` of the score.

    Without rows where the study has no such edits, or does not say which they were.
    """
    moved, edits = _moved(cube, target), []
    spec = spec_of(cube) if cube.controls is not None and "study" in cube.provenance else None
    if spec is not None and spec.controls == moved.shape[1]:
        edits = [*controls_of(perturbation_of(cube, target), spec.controls, spec.seed).changes]
    ids = np.repeat(cube.sentences["sentence_id"].to_numpy()[: len(edits)], moved.shape[1])
    words = [words for own in edits for words in own]
    table = pd.DataFrame({"sentence_id": ids, "edit": words, "change": moved[: len(edits)].ravel().astype(float)})
    return table.sort_values("change", key=abs, ascending=False, kind="stable", ignore_index=True)


def edit_span(cube: ScoreCube, target: str) -> tuple[float, float] | None:
    """The lowest and the highest mean change over sentences of an edit about nobody, each scored as a name is.

    None where the study has fewer than two such edits.
    """
    moved = _moved(cube, target)
    known = moved[np.isfinite(moved).all(axis=1)].astype(float)
    if known.shape[1] < 2 or not len(known):
        return None
    means = known.mean(axis=0)
    return float(means.min()), float(means.max())


def _moved(cube: ScoreCube, target: str) -> np.ndarray:
    """(S, C): how far each edit moves the score of its text."""
    if cube.controls is None:
        return np.empty((len(cube.sentences), 0), np.float32)
    scores = cube.controls[:, :, cube.target_index(target)]
    return scores[:, 1:] - scores[:, :1]


@lru_cache(maxsize=32)
def repeat_floors(cube: ScoreCube, target: str, *, threshold: float) -> dict[str, stats.RepeatFloor]:
    """What names do to sampled scores, by `stats.repeat_floors`; empty where nothing is sampled.

    `threshold` is that of LabelDist and flips.
    """
    declared = cube.targets[cube.target_index(target)]
    if not declared.samples:
        return {}
    known = {other.name for other in cube.targets}
    others = {ending: cube.scores(target + ending) for ending in (UNANSWERED, SPREAD) if target + ending in known}
    found = stats.repeat_floors(
        *cube.scores(target),
        samples=declared.samples,
        ends=(declared.low, declared.high),
        thresholds=[threshold],
        unanswered=others.get(UNANSWERED),
        spread=others.get(SPREAD),
    )
    return {name: floors[0] for name, floors in found.items()}


def beyond_floor(metrics: Mapping[str, Mapping[str, Any]], metric: str, samples: int) -> dict[str, float]:
    """A metric of `target_summary` with its bounds, ``value, low, high``, without what sampling alone gives.

    Of scores that are not sampled (`samples` is 0) as it is. Where nothing is above the floor the value is 0; a metric
    without a floor has no bounds then, since they would be about how often was asked.
    """
    given = {end: metrics[metric][end] for end in BOUNDS}
    row = {end: nan if value is None else float(value) for end, value in given.items()}
    if not samples:
        return row
    if "floor" not in metrics[metric]:
        return row | {"low": nan, "high": nan}
    floor = metrics[metric]["floor"]
    is_above = metrics[metric]["p"] < stats.SIGNIFICANT
    power = 2 if metric in ("score_dev", "score_range", "mean_abs_delta") else 1
    left = {end: max(value**power - floor**power, 0.0) ** (1 / power) for end, value in row.items()}
    return left if is_above else left | {"value": 0.0, "low": 0.0}


def flips_by_chance(cube: ScoreCube, target: str, threshold: float) -> dict[str, float]:
    """What a table's ``attrs`` say of labels that sampling alone changes: ``flips_floor``, ``flips_p``."""
    found = repeat_floors(cube, target, threshold=threshold)
    return {"flips_floor": found["flips"].floor, "flips_p": found["flips"].p} if found else {}
