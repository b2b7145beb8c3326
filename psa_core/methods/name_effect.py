"""NameEffect: how far a name moves the score away from what the other names get in the same sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from psa_core.methods._base import Axis
from psa_core.stats import effect_differences


@dataclass(frozen=True)
class NameEffect:
    """Mean over sentences of ``f(x_n)`` minus that of the typical name: the median over names of their mean scores.

    ScoreSens against the names instead of the original: a pronoun is not a name, so ScoreSens moves all names together,
    while this shows names against names. Signed, on the scale of the target; its median over the list is 0.

    Examples
    --------
    >>> NameEffect()(np.array([0.5, 0.25]), np.array([[0.75, 0.5], [0.25, 0.0]]))
    array([ 0.125, -0.125])
    """

    id: ClassVar[str] = "name_effect"
    title: ClassVar[str] = "Name effect"
    summary: ClassVar[str] = "Average difference of the score from what the typical name of the list gets (signed)."
    axis: ClassVar[Axis] = "name"

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        """Reduce original (S,) and perturbed (S, N) scores to float64 (N,).

        Raises
        ------
        CubeError
            As ScoreSens, and for fewer than two names.
        """
        return effect_differences(original, perturbed, baseline="names").mean(axis=0)


METHOD = NameEffect
