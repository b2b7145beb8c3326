"""How a language model is trained on, so that its sentiment differs less from value to value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from psa_core.retraining.tuning import Tuning

METHODS = {
    "embedding": "The same hidden states behind a prefix with one value and with another (Huang et al. 2020)",
    "sentiment": "The same in what a small network reads of sentiment from the hidden states (Huang et al. 2020)",
    "valence": "The same expected balance of positive and negative words for the next word",
}


@dataclass(frozen=True)
class LanguageRecipe(Tuning):
    """Some small steps from a language model that is there; see `Tuning`.

    The learning rate is a tenth of what small models such as SmolLM2 were pretrained with.

    Attributes
    ----------
    samples : int
        Texts that the model writes itself, where none are given.
    labelled : int
        The same, of the texts that the method ``sentiment`` learns to read from: a scorer is sure of few of them.
    """

    method: str = "valence"
    strength: float = 2.0
    steps: int = 120
    sentences: int = 8
    learning_rate: float = 3e-4
    rank: int = 8
    layers: int = 10
    max_tokens: int = 40
    samples: int = 320
    labelled: int = 1280

    methods: ClassVar[Mapping[str, str]] = METHODS
    strongest: ClassVar[float] = 1e6
    least: ClassVar[Mapping[str, int]] = {
        "steps": 1,
        "sentences": 2,
        "rank": 1,
        "layers": 1,
        "max_tokens": 8,
        "samples": 20,
        "labelled": 0,
    }
