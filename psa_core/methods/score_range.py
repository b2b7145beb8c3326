"""ScoreRange: how far apart the extreme names of a sentence are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from psa_core.methods import Axis
from psa_core.stats import paired_scores


@dataclass(frozen=True)
class ScoreRange:
    """Largest minus smallest ``f(x_n)`` over names, per sentence; the corpus value is its mean.

    Prabhakaran et al. 2019, section 2, ScoreRange. At least 0, on the scale of the target; larger = more sensitive. It
    grows with the number of names, so compare lists of one length only.

    Examples
    --------
    >>> ScoreRange()(np.array([0.5]), np.array([[0.25, 0.5, 0.75]]))
    array([0.5])
    """

    id: ClassVar[str] = "score_range"
    title: ClassVar[str] = "ScoreRange"
    summary: ClassVar[str] = "Difference between a sentence's highest and lowest score over all names."
    axis: ClassVar[Axis] = "sentence"

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        _, perturbed = paired_scores(original, perturbed)
        if not np.isnan(perturbed).any():
            return np.ptp(perturbed, axis=1)
        # Between the names that have a score; a single one has no other to differ from.
        spread = np.fmax.reduce(perturbed, axis=1) - np.fmin.reduce(perturbed, axis=1)
        return np.where((~np.isnan(perturbed)).sum(axis=1) > 1, spread, np.nan)


METHOD = ScoreRange
