"""How a language model is trained on, so that its sentiment differs less from value to value."""

from __future__ import annotations

from dataclasses import dataclass

from psa_core.options import option
from psa_core.retraining import Retraining

METHODS = {
    "embedding": "The same hidden states behind a prefix with one value and with another (Huang et al. 2020)",
    "sentiment": "The same in what a small network reads of sentiment from the hidden states (Huang et al. 2020)",
    "valence": "The same expected balance of positive and negative words for the next word",
}


@dataclass(frozen=True)
class LanguageRecipe(Retraining):
    """Some small steps from a language model that is there; see `Retraining`.

    The learning rate is a tenth of what small models such as SmolLM2 were pretrained with. The model writes so many
    `samples` itself where no texts are given, and more to be `labelled` for the method ``sentiment``: a scorer is sure
    of few of them.
    """

    method: str = option("valence", choices=METHODS)
    strength: float = option(2.0, low=0, high=1e6)
    steps: int = option(120, low=1)
    sentences: int = option(8, low=2)
    learning_rate: float = option(3e-4, above=0, high=1)
    layers: int = option(10, low=1)
    max_tokens: int = option(40, low=8)
    samples: int = option(320, low=20)
    labelled: int = option(1280, low=0)
