"""One number per corpus metric, with its interval over sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.tables.labels import threshold_of
from psa_core.tables.methods import metrics_per

UNDEFINED = dict.fromkeys(("value", "low", "high"), np.nan)
Metrics = dict[str, dict[str, Any]]
Summary = dict[str, Metrics]


def summary(cube: ScoreCube, *, thresholds: Mapping[str, float] | None = None) -> Summary:
    """Corpus metrics of every target, as they stand in ``summary.json``.

    Parameters
    ----------
    cube : ScoreCube
    thresholds : mapping, optional
        Target to threshold; a target's own where it is not given.

    Returns
    -------
    dict
        ``{target: metrics}``; see `target_summary`.
    """
    chosen = dict(thresholds or {})
    return {
        target.name: target_summary(cube, target.name, threshold=chosen.get(target.name)) for target in cube.targets
    }


def target_summary(cube: ScoreCube, target: str, *, threshold: float | None = None) -> Metrics:
    """Corpus metrics of one target, at its own threshold where none is given.

    Returns
    -------
    dict
        ``{metric: {"value", "low", "high"}}`` for every plug-in with one value per sentence (``score_dev``,
        ``score_range``, ``mean_abs_delta`` …: the mean over sentences), ``label_dist`` (with its ``threshold``), and
        ``flips`` (share of cells, with ``threshold`` and the cells ``up`` and ``down``);
        ``sensitivity_correlation`` has ``r, p, low, high``; ``size`` has ``sentences`` and ``names``. Plain floats and
        ints; None where a value is not defined (an interval over one sentence), never NaN, so that it is valid JSON.

    Raises
    ------
    CubeError
        When the target is unknown.
    """
    return _plain(_metrics(cube, target, threshold_of(cube, target, threshold)))


def _metrics(cube: ScoreCube, target: str, threshold: float) -> Metrics:
    original, perturbed = stats.paired_scores(*cube.scores(target))
    families = cube.families
    metrics: Metrics = {
        method_id: stats.bootstrap_interval(values, families=families)._asdict()
        if np.isfinite(values).all()
        else UNDEFINED
        for method_id, values in metrics_per("sentence", cube, target, threshold=threshold).items()
    }
    distance = stats.label_dist_interval(original, perturbed, threshold, n_resamples=1000, families=families)
    metrics["label_dist"] = {name: bound[0] for name, bound in distance._asdict().items()} | {"threshold": threshold}
    up, down = stats.flip_counts(original, perturbed, threshold)
    labels = stats.labels_at(perturbed, threshold)
    share = (labels != stats.labels_at(original, threshold)[:, None]).mean(axis=1)
    metrics["flips"] = stats.bootstrap_interval(share, families=families)._asdict() | {
        "threshold": threshold,
        "up": int(up[0]),
        "down": int(down[0]),
    }
    correlation = stats.sentence_correlation(stats.sensitivities(original, perturbed), original, families=families)
    metrics["sensitivity_correlation"] = correlation._asdict()
    metrics["size"] = {"sentences": len(original), "names": perturbed.shape[1]}
    return metrics


def _plain(metrics: Metrics) -> Metrics:
    """Python numbers instead of NumPy's, and None instead of NaN, which JSON does not have."""
    return {
        metric: {
            name: (int(number) if isinstance(number, int) else float(number) if np.isfinite(number) else None)
            for name, number in numbers.items()
        }
        for metric, numbers in metrics.items()
    }
