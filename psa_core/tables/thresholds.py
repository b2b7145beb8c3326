"""One row per threshold: LabelDist and flips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.tables.labels import name_positions

THRESHOLDS = 101


def default_thresholds(cube: ScoreCube, target: str, *, count: int = THRESHOLDS) -> np.ndarray:
    """Evenly spaced thresholds over the target's range, both ends included: float64 (count,).

    Where the range is not finite (a log-perplexity), the range of the scores.
    """
    index = cube.target_index(target)
    low, high = cube.targets[index].low, cube.targets[index].high
    scores = cube.scores(target)
    low = low if np.isfinite(low) else min(float(part.min()) for part in scores)
    high = high if np.isfinite(high) else max(float(part.max()) for part in scores)
    # 0.35, not 0.35000000000000003: these are read by people and typed again.
    return np.round(np.linspace(low, high, count), 9)


def label_dist_table(
    cube: ScoreCube,
    target: str,
    *,
    thresholds: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    interval: bool = True,
) -> pd.DataFrame:
    """LabelDist with its interval, and flips by direction, at each threshold.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    thresholds : array (K,), optional
        By default 101 over the target's range.
    names : sequence of str, optional
        Only these names (one name, a group); by default the whole list.
    interval : bool
        Whether to draw the bootstrap interval over sentences, which takes most of the time.

    Returns
    -------
    DataFrame
        K rows: ``threshold``, ``label_dist`` (mean over names, in [0, 1]), ``low``, ``high`` (95 %, with `interval`),
        ``flips_up``, ``flips_down`` (cells over all sentences and names), ``labelled`` (share of original sentences
        with the label).

    Raises
    ------
    CubeError, OptionError
        When the target or a name is unknown; when a threshold is not finite.
    """
    original, perturbed = cube.scores(target)
    perturbed = perturbed[:, name_positions(cube, names)]
    given = default_thresholds(cube, target) if thresholds is None else np.atleast_1d(np.asarray(thresholds, float))
    columns: dict[str, np.ndarray] = {"threshold": given}
    if interval:
        columns["label_dist"], columns["low"], columns["high"] = stats.label_dist_interval(
            original, perturbed, given, families=cube.families
        )
    else:
        columns["label_dist"] = stats.threshold_grid(original, perturbed, given).label_dist.mean(axis=0)
    columns["flips_up"], columns["flips_down"] = stats.flip_counts(original, perturbed, given)
    ascending = np.sort(np.asarray(original, dtype=np.float64))
    columns["labelled"] = 1 - np.searchsorted(ascending, stats.effective_threshold(given), side="left") / len(ascending)
    return pd.DataFrame(columns)
