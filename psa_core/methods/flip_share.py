"""Flip share: in how many sentences a name changes the label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from psa_core.errors import OptionError
from psa_core.methods import Axis
from psa_core.stats import effective_threshold, known_pairs, nan_mean, paired_scores

Direction = Literal["both", "up", "down"]


@dataclass(frozen=True)
class FlipShare:
    """Share of sentences whose label differs from the original one, per name.

    In [0, 1]; larger = more sensitive. Unlike LabelDist it counts against all sentences, labelled or not. A score at or
    above the ``threshold``, on the scale of the target, has the label; the ``direction`` ``up`` counts 0→1 only,
    ``down`` 1→0 only, and what is none of these and not ``both`` is an `OptionError`.

    Examples
    --------
    >>> FlipShare(threshold=0.5, direction="down")(np.array([0.5, 0.75]), np.array([[0.25, 0.5], [0.75, 1.0]]))
    array([0.5, 0. ])
    """

    id: ClassVar[str] = "flip_share"
    title: ClassVar[str] = "Flip share"
    summary: ClassVar[str] = "Share of sentences whose label the name changes."
    axis: ClassVar[Axis] = "name"

    threshold: float = 0.5
    direction: Direction = "both"

    def __post_init__(self) -> None:
        if self.direction not in get_args(Direction):
            raise OptionError("direction", got=repr(self.direction), expected=", ".join(get_args(Direction)))

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        base, perturbed = paired_scores(original, perturbed)
        level = effective_threshold(self.threshold, base, perturbed)
        before, after = base[:, None] >= level, perturbed >= level
        flipped = {"up": ~before & after, "down": before & ~after, "both": before != after}[self.direction]
        return nan_mean(np.where(known_pairs(base, perturbed), flipped, np.nan), axis=0)


METHOD = FlipShare
