"""How a language model is trained on, so that its sentiment differs less from value to value."""

from __future__ import annotations

from dataclasses import dataclass

from psa_core.errors import OptionError

METHODS = {
    "embedding": "The same hidden states behind a prefix with one value and with another (Huang et al. 2020)",
    "sentiment": "The same in what a small network reads of sentiment from the hidden states (Huang et al. 2020)",
    "valence": "The same expected balance of positive and negative words for the next word",
}


@dataclass(frozen=True)
class LanguageRecipe:
    """Some small steps from a language model that is there.

    Attributes
    ----------
    method : {"embedding", "sentiment", "valence"}
        See `METHODS`.
    strength : float
        Weight of that part of the loss, at least 0; the other part, of weight 1, keeps the model's own predictions.
    steps : int
        Updates of the weights.
    sentences : int
        Texts, and as many pairs of sentences, a step.
    learning_rate : float
        Its peak, after a tenth of the steps; a tenth of what small models such as SmolLM2 were pretrained with.
    rank : int
        Rank of the low-rank updates, whose scale is 2.
    layers : int
        Last layers that get updates.
    max_tokens : int
        Longer texts are cut.
    samples : int
        Texts that the model writes itself, where none are given.
    seed : int
        Of the split of the values, the samples, the updates and the draws.

    Raises
    ------
    OptionError
        When a value is out of its range.
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
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError("--method", got=repr(self.method), expected=", ".join(METHODS))
        if not 0 <= self.strength < 1e6:
            raise OptionError("--strength", got=str(self.strength), expected="a number from 0, below 1,000,000")
        for field, least in (("steps", 1), ("sentences", 2), ("rank", 1), ("layers", 1), ("samples", 20)):
            if getattr(self, field) < least:
                raise OptionError(f"--{field}", got=str(getattr(self, field)), expected=f"at least {least}")
        if not 0 < self.learning_rate < 1:
            raise OptionError("--learning-rate", got=str(self.learning_rate), expected="a number between 0 and 1")
        if self.max_tokens < 8:
            raise OptionError("--max-tokens", got=str(self.max_tokens), expected="at least 8")
