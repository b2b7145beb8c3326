"""One row per sentence: how far the names move its score, and how often its label flips."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.tables.labels import labelled_sentences, threshold_of
from psa_core.tables.methods import metrics_per


def sentence_table(cube: ScoreCube, target: str, *, threshold: float | None = None) -> pd.DataFrame:
    """Original score, what the names make of it, and flips.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    threshold : float, optional
        By default the target's own.

    Returns
    -------
    DataFrame
        S rows in the order of the cube: ``sentence_id``, group columns, ``original``, ``mean`` (over names), one column
        for every plug-in with one value per sentence (``mean_abs_delta``, ``score_dev``, ``score_range`` …),
        ``flips_up``, ``flips_down``, ``flips`` (names), ``lowest_name``, ``highest_name`` (the first at a tie).

    Raises
    ------
    CubeError
        When the target is unknown.
    """
    level = threshold_of(cube, target, threshold)
    base, perturbed = stats.paired_scores(*cube.scores(target))
    before, after = stats.labels_at(base, level), stats.labels_at(perturbed, level)
    flips = np.count_nonzero(before[:, None] != after, axis=1)
    names = cube.names["name"].to_numpy()
    quantities = {
        "original": base,
        "mean": perturbed.mean(axis=1),
        **metrics_per("sentence", cube, target, threshold=level),
        "flips_up": np.where(before, 0, flips),
        "flips_down": np.where(before, flips, 0),
        "flips": flips,
        "lowest_name": names[perturbed.argmin(axis=1)],
        "highest_name": names[perturbed.argmax(axis=1)],
    }
    return labelled_sentences(cube, quantities)
