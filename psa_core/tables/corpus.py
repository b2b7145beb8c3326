"""One number per corpus metric, with its interval over sentences; one row per sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.tables.labels import about, known_cells, labelled_sentences, metrics_per, threshold_of
from psa_core.tables.repeats import flips_by_chance, repeat_floors

UNDEFINED = dict.fromkeys(("value", "low", "high"), np.nan)
Metrics = dict[str, dict[str, Any]]
Summary = dict[str, Metrics]


def summary(cube: ScoreCube) -> Summary:
    """Corpus metrics of every target, as in ``summary.json``: ``{target: metrics}``; see `target_summary`."""
    return {target.name: target_summary(cube, target.name) for target in cube.targets}


def control_floor(cube: ScoreCube, target: str) -> stats.Floor:
    """The spread of a target's scores over names beside that over neutral edits; see `stats.brittleness_floor`.

    Raises
    ------
    CubeError
        When the study has no such edits.
    """
    if cube.controls is None:
        raise CubeError("controls", got="none in this study", expected="a study with neutral edits")
    _, perturbed = cube.scores(target)
    controls = cube.controls[:, :, cube.target_index(target)]
    is_complete = np.isfinite(perturbed).all(axis=1) & np.isfinite(controls).all(axis=1)
    return stats.brittleness_floor(
        perturbed[is_complete], controls[is_complete], families=cube.families.subset(is_complete)
    )


def target_summary(cube: ScoreCube, target: str, *, threshold: float | None = None) -> Metrics:
    """Corpus metrics of one target, at its own threshold where none is given.

    Returns
    -------
    dict
        ``{metric: {"value", "low", "high"}}`` for every plug-in with one value per sentence (``score_dev``,
        ``score_range``, ``mean_abs_delta`` …: the mean over sentences), ``label_dist`` (with its ``threshold``), and
        ``flips`` (share of cells, with ``threshold`` and the cells ``up`` and ``down``);
        Where scores are means of sampled answers, ``score_dev``, ``score_range``, ``label_dist`` and ``flips`` have
        ``floor``, ``corrected`` and ``p`` (`stats.repeat_floors`). ``sensitivity_correlation`` has ``r, p, low, high``,
        ``sensitivity_trend`` the ``shape`` of that relation (`stats.trend_shape`); ``controls``, where edits about
        nobody were scored, has the spreads ``names`` and ``edits`` with their ``ratio, low, high, p`` and how many
        ``edits_a_text``; ``size`` has ``sentences``, ``names`` and, where there are some, ``families``. Plain floats,
        ints and words; None where a value is not defined (an interval over one sentence), never NaN: valid JSON.
    """
    threshold = threshold_of(cube, target, threshold)
    original, perturbed = stats.paired_scores(*cube.scores(target))
    families = cube.families
    metrics: Metrics = {
        method_id: stats.bootstrap_interval(values, families=families)._asdict()
        if np.isfinite(values).any()
        else UNDEFINED
        for method_id, values in metrics_per("sentence", cube, target, threshold=threshold).items()
    }
    distance = stats.label_dist_interval(original, perturbed, threshold, families=families)
    metrics["label_dist"] = {name: bound[0] for name, bound in distance._asdict().items()} | {"threshold": threshold}
    up, down = stats.flip_counts(original, perturbed, threshold)
    is_known = ~np.isnan(original)[:, None] & ~np.isnan(perturbed)
    share = stats.nan_mean(np.where(is_known, stats.labels_differ(original, perturbed, threshold), np.nan), axis=1)
    flipped = stats.bootstrap_interval(share, families=families)
    metrics["flips"] = flipped._asdict() | {
        "high": min(flipped.high, 1.0),
        "threshold": threshold,
        "up": int(up[0]),
        "down": int(down[0]),
    }
    for metric, floor in repeat_floors(cube, target, threshold=threshold).items():
        metrics[metric] = {**metrics[metric], "floor": floor.floor, "corrected": floor.corrected, "p": floor.p}
    moved = stats.sensitivities(original, perturbed)
    correlation = stats.sentence_correlation(moved, original, families=families)
    metrics["sensitivity_correlation"] = correlation._asdict()
    metrics["sensitivity_trend"] = {"shape": stats.trend_shape(original, moved)}
    if cube.controls is not None:
        metrics["controls"] = control_floor(cube, target)._asdict() | {"edits_a_text": cube.controls.shape[1] - 1}
    metrics["size"] = {"sentences": len(original), "names": perturbed.shape[1]}
    if families.any:
        metrics["size"]["families"] = families.count
    # Python numbers instead of NumPy's, and None instead of NaN, which JSON does not have.
    return {
        metric: {
            name: number if isinstance(number, int | str) else (float(number) if np.isfinite(number) else None)
            for name, number in numbers.items()
        }
        for metric, numbers in metrics.items()
    }


def sentence_table(cube: ScoreCube, target: str, *, threshold: float | None = None) -> pd.DataFrame:
    """Original score, perturbed scores in summary, and flips.

    Returns
    -------
    DataFrame
        S rows in the order of the cube: ``sentence_id``, group columns, ``original``, ``mean`` (over names), one column
        for every plug-in with one value per sentence (``mean_abs_delta``, ``score_dev``, ``score_range`` …),
        ``flips_up``, ``flips_down``, ``flips`` (names), ``lowest_name``, ``highest_name`` (the first at a tie).
    """
    level = threshold_of(cube, target, threshold)
    base, perturbed = stats.paired_scores(*cube.scores(target))
    before = stats.labels_at(base, level)
    flips = np.count_nonzero(stats.labels_differ(base, perturbed, level), axis=1)
    names = cube.names["name"].to_numpy()
    quantities = {
        "original": base,
        "mean": stats.nan_mean(perturbed, axis=1),
        **metrics_per("sentence", cube, target, threshold=level),
        "flips_up": np.where(before, 0, flips),
        "flips_down": np.where(before, flips, 0),
        "flips": flips,
        "lowest_name": names[np.where(np.isnan(perturbed), np.inf, perturbed).argmin(axis=1)],
        "highest_name": names[np.where(np.isnan(perturbed), -np.inf, perturbed).argmax(axis=1)],
    }
    counts = {"cells": known_cells(base, perturbed)} | flips_by_chance(cube, target, level)
    return about(cube, target, labelled_sentences(cube, quantities), **counts)
