"""ScoreSens: how far a name moves the score on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from psa_core.methods import Axis
from psa_core.stats import baseline_differences, nan_mean


@dataclass(frozen=True)
class ScoreSens:
    """Mean over sentences of ``f(x_n) - f(x)``, per name.

    Prabhakaran et al. 2019, section 2, ScoreSens. Signed, on the scale of the target: positive where the name raises
    the score. The further from 0, the more sensitive the model is to the name.

    Examples
    --------
    >>> ScoreSens()(np.array([0.5, 0.25]), np.array([[0.75, 0.5], [0.25, 0.0]]))
    array([ 0.125, -0.125])
    """

    id: ClassVar[str] = "score_sens"
    title: ClassVar[str] = "ScoreSens"
    summary: ClassVar[str] = "Average change of the score when the name takes the anchor's place (signed)."
    axis: ClassVar[Axis] = "name"

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        return nan_mean(baseline_differences(original, perturbed), axis=0)


METHOD = ScoreSens
