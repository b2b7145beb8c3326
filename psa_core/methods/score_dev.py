"""ScoreDev: how much the score of a sentence varies with the name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from psa_core.errors import OptionError
from psa_core.inputs.checks import whole_number
from psa_core.methods import Axis
from psa_core.stats import paired_scores, sentence_moments


@dataclass(frozen=True)
class ScoreDev:
    """Standard deviation over names of ``f(x_n)``, per sentence; the corpus value is its mean.

    Prabhakaran et al. 2019, section 2, ScoreDev. At least 0, on the scale of the target; larger = more sensitive. The
    paper gives no ``ddof``: 0 is the population's deviation (the names are the whole list), 1 the sample's; what is no
    whole number, or negative, is an `OptionError`.

    Examples
    --------
    >>> ScoreDev()(np.array([0.5]), np.array([[0.25, 0.75]]))
    array([0.25])
    """

    id: ClassVar[str] = "score_dev"
    title: ClassVar[str] = "ScoreDev"
    summary: ClassVar[str] = "Standard deviation of a sentence's score over all names."
    axis: ClassVar[Axis] = "sentence"

    ddof: int = 0

    def __post_init__(self) -> None:
        if whole_number("ddof", self.ddof) < 0:
            raise OptionError("ddof", got=f"{self.ddof}", expected="0 (population) or 1 (sample)")

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        _, perturbed = paired_scores(original, perturbed)
        if perturbed.shape[1] <= self.ddof:
            got = f"{self.ddof} for {perturbed.shape[1]} names"
            raise OptionError("ddof", got=got, expected="fewer than the names")
        if not np.isnan(perturbed).any():
            return perturbed.std(axis=1, ddof=self.ddof)
        counts, _, deviation = sentence_moments(perturbed.T)
        return deviation if self.ddof else deviation * np.sqrt(np.maximum(counts - 1, 0) / np.maximum(counts, 1))


METHOD = ScoreDev
