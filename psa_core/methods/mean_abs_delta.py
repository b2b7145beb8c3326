"""Mean |Δ|: how far the names move a sentence's score, whichever way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from psa_core.methods import Axis
from psa_core.stats import sensitivities


@dataclass(frozen=True)
class MeanAbsDelta:
    """Mean over names of ``|f(x_n) - f(x)|``, per sentence.

    The sensitivity that Prabhakaran et al. 2019, section 3.2, correlate with the original score. At least 0, on the
    scale of the target; larger = more sensitive.

    Examples
    --------
    >>> MeanAbsDelta()(np.array([0.5]), np.array([[0.25, 1.0]]))
    array([0.375])
    """

    id: ClassVar[str] = "mean_abs_delta"
    title: ClassVar[str] = "Mean |Δ|"
    summary: ClassVar[str] = "Average distance of a sentence's perturbed scores from its original score."
    axis: ClassVar[Axis] = "sentence"

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        return sensitivities(original, perturbed)


METHOD = MeanAbsDelta
