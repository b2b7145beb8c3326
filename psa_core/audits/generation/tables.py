"""Tables of a language model audit: pairs per template, pairs over all templates, values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.generation.cube import GenerationCube
from psa_core.errors import OptionError
from psa_core.stats.fairness import Fairness, Measures, corrected_p, measure, noise_corrected_pair
from psa_core.stats.intervals import mean_interval
from psa_core.stats.scores import labels_at
from psa_core.stats.wasserstein import nan_mean, pairs

UNKNOWN = (float("nan"),) * 3
PAIR_COLUMNS = ("scorer", "template", "value_a", "value_b", "w1", "floor", "p_value", "p_adjusted")


@dataclass(frozen=True, eq=False)
class Tables:
    """What is measured of an audit.

    Attributes
    ----------
    pairs : DataFrame
        One row a scorer, template and pair: ``scorer, template, value_a, value_b, w1, floor, p_value, p_adjusted``
        (Holm over the rows of a scorer), ``corrected``, ``mean_a``, ``mean_b``.
    matrix : DataFrame
        One row a scorer and pair, over all templates: ``scorer, value_a, value_b, w1, floor, corrected, p_value,
        p_adjusted`` (Holm over the pairs of a scorer), ``difference`` (mean of b minus mean of a), ``disparity``.
    values : DataFrame
        One row a scorer and value: ``scorer, value`` and groups, ``mean, low, high`` (over templates), ``w1`` (mean
        distance to the others), ``share`` (at or above the threshold), ``kept``, ``left_out``.
    summary : dict
        The content of ``summary.json``.
    """

    pairs: pd.DataFrame
    matrix: pd.DataFrame
    values: pd.DataFrame
    summary: dict[str, Any]


def tables(cube: GenerationCube, *, seed: int = 0, quality: Mapping[str, Any] | None = None) -> Tables:
    """Measure every scorer of a cube; a second or two for a large one.

    Raises
    ------
    OptionError
        When no template has continuations of two values: there is nothing to compare.
    """
    if not (cube.kept.any(axis=2).sum(axis=1) > 1).any():
        raise OptionError(
            "continuations",
            got=f"{int(cube.kept.sum()):,} of {cube.texts.size:,} that have a full stop or a line break to be cut at",
            expected="some of two values of one template",
            fix="Sample more of them (--continuations), or longer ones (--tokens).",
        )
    measured = {
        target.name: measure(
            cube.scored_by(target.name), groups_of(cube), threshold=target.default_threshold, seed=seed
        )
        for target in cube.targets
    }
    return Tables(
        pd.concat([_pairs(cube, name, found) for name, found in measured.items()], ignore_index=True),
        pd.concat([_matrix(cube, name, found) for name, found in measured.items()], ignore_index=True),
        pd.concat([_values(cube, name, found) for name, found in measured.items()], ignore_index=True),
        {name: _summary(cube, found) for name, found in measured.items()} | ({"quality": quality} if quality else {}),
    )


def groups_of(cube: GenerationCube) -> list[str]:
    """The subgroups that group fairness compares: by the column that the prompts name, else each value its own."""
    column = str(cube.provenance.get("prompts", {}).get("group", ""))
    return cube.groups(column if column in cube.values.columns else "")


def _labels(cube: GenerationCube) -> tuple[np.ndarray, np.ndarray]:
    values = cube.values["value"].astype(str).to_numpy()
    first, second = pairs(len(values))
    return values[first], values[second]


def _pairs(cube: GenerationCube, scorer: str, found: Measures) -> pd.DataFrame:
    a, b = _labels(cube)
    first, second = pairs(len(cube.values))
    m = len(cube.templates)
    with np.errstate(invalid="ignore"):
        means = _means(cube.scored_by(scorer))
    table = pd.DataFrame(
        {
            "scorer": scorer,
            "template": np.repeat(cube.templates["template"].to_numpy(), len(a)),
            "value_a": np.tile(a, m),
            "value_b": np.tile(b, m),
            "w1": found.w1.ravel(),
            "floor": found.pair_floors.ravel(),
            "p_value": found.pair_p.ravel(),
            "p_adjusted": corrected_p(found.pair_p).ravel(),
            "corrected": noise_corrected_pair(found.w1, found.pair_floors).ravel(),
            "mean_a": means[:, first].ravel(),
            "mean_b": means[:, second].ravel(),
        }
    )
    return table[[*PAIR_COLUMNS, "corrected", "mean_a", "mean_b"]]


def _matrix(cube: GenerationCube, scorer: str, found: Measures) -> pd.DataFrame:
    a, b = _labels(cube)
    first, second = pairs(len(cube.values))
    means = _means(cube.scored_by(scorer))
    return pd.DataFrame(
        {
            "scorer": scorer,
            "value_a": a,
            "value_b": b,
            "w1": found.mean_w1,
            "floor": found.mean_floors,
            "corrected": found.mean_corrected,
            "p_value": found.mean_p,
            "p_adjusted": corrected_p(found.mean_p),
            "difference": nan_mean(means[:, second] - means[:, first], axis=0),
            "disparity": found.mean_disparity,
        }
    )


def _values(cube: GenerationCube, scorer: str, found: Measures) -> pd.DataFrame:
    scores, kept = cube.scored_by(scorer), cube.kept
    means = _means(scores)
    columns = [column[np.isfinite(column)] for column in means.T]
    middle, low, high = np.transpose([mean_interval(column) if len(column) else UNKNOWN for column in columns])
    first, second = pairs(len(cube.values))
    a, counts = len(cube.values), kept.sum(axis=(0, 2))
    w1 = nan_mean([found.mean_w1[(first == value) | (second == value)] for value in range(a)], axis=1)
    threshold = cube.targets[cube.scorers.index(scorer)].default_threshold
    above = (np.isfinite(scores) & labels_at(scores, threshold)).sum(axis=(0, 2))
    numbers = pd.DataFrame(
        {
            "mean": middle,
            "low": low,
            "high": high,
            "w1": w1,
            "share": np.divide(above, counts, out=np.full(a, np.nan), where=counts > 0),
            "kept": counts,
            "left_out": (~kept).sum(axis=(0, 2)),
        }
    )
    taken = ("scorer", *numbers.columns)
    labels = cube.values.rename(columns={c: f"{c} (group)" for c in taken if c in cube.values.columns})
    table = pd.concat([labels.reset_index(drop=True), numbers], axis=1)
    table.insert(0, "scorer", scorer)
    return table


def _summary(cube: GenerationCube, found: Measures) -> dict[str, Any]:
    column = str(cube.provenance.get("prompts", {}).get("group", ""))
    return {
        "individual_fairness": as_numbers(found.individual),
        "group_fairness": {**as_numbers(found.group), "by": column or "value"},
        "demographic_disparity": as_numbers(found.disparity),
    }


def as_numbers(found: Fairness) -> dict[str, Any]:
    """A number of fairness as JSON has it; None where there is no such number."""
    numbers = {name: getattr(found, name) for name in ("value", "floor", "corrected", "low", "high", "p", "needed")}
    known = {name: float(value) if np.isfinite(value) else None for name, value in numbers.items()}
    return {**known, "above_noise": found.above_noise}


def _means(scores: np.ndarray) -> np.ndarray:
    """Mean score of each template and value, (M, A); NaN where nothing was kept."""
    known = np.isfinite(scores)
    counts = known.sum(axis=2)
    sums = np.where(known, scores, 0).sum(axis=2, dtype=np.float64)
    return np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
