"""LabelDist: how many of a name's labels differ from the original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from psa_core.methods import Axis
from psa_core.stats import threshold_grid


@dataclass(frozen=True)
class LabelDist:
    """Jaccard distance ``1 - |A∩B_n| / |A∪B_n|`` at one threshold, per name; the corpus value is its mean.

    ``A`` are the sentences labelled as they are, ``B_n`` those labelled with name n; a score at or above the
    ``threshold``, on the scale of the target, has the label. Prabhakaran et al. 2019, section 2, LabelDist. In [0, 1]:
    0 where no label changes (also where no sentence has the label either way), 1 where none is shared. Larger = more
    sensitive.

    Examples
    --------
    >>> LabelDist(threshold=0.5)(np.array([0.5, 0.75]), np.array([[0.25, 0.5], [0.75, 1.0]]))
    array([0.5, 0. ])
    """

    id: ClassVar[str] = "label_dist"
    title: ClassVar[str] = "LabelDist"
    summary: ClassVar[str] = "Share of the labelled sentences, before or after, whose label the name changes."
    axis: ClassVar[Axis] = "name"

    threshold: float = 0.5

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        return threshold_grid(original, perturbed, self.threshold).label_dist[:, 0]


METHOD = LabelDist
