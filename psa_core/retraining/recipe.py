"""How a trained classifier is trained on, so that its answers move less with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from psa_core.retraining.tuning import Tuning

METHODS = {
    "augment": "Sentences repeated with other names; the answer to the sentence as it was is the one to learn",
    "pair": "The same sentence with two names gets the same answer: counterfactual logit pairing (Garg et al. 2019)",
}


@dataclass(frozen=True)
class Retraining(Tuning):
    """A few hundred small steps from a classifier that is there; see `Tuning`. The head stays as it is."""

    method: str = "pair"
    strength: float = 1.0
    steps: int = 80
    sentences: int = 8
    learning_rate: float = 1e-3
    rank: int = 8
    layers: int = 3
    max_tokens: int = 64

    methods: ClassVar[Mapping[str, str]] = METHODS
    strongest: ClassVar[float] = 1000.0
    least: ClassVar[Mapping[str, int]] = {"steps": 1, "sentences": 1, "rank": 1, "layers": 1, "max_tokens": 4}
