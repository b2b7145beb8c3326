"""How a trained classifier is trained on, so that its answers move less with a name."""

from __future__ import annotations

from dataclasses import dataclass

from psa_core.errors import OptionError

METHODS = {
    "augment": "Sentences repeated with other names; the answer to the sentence as it was is the one to learn",
    "pair": "Counterfactual logit pairing: the same sentence with two names gives the same logits (Garg et al. 2019)",
}


@dataclass(frozen=True)
class Retraining:
    """A few hundred small steps from a classifier that is there.

    Attributes
    ----------
    method : {"augment", "pair"}
        See `METHODS`.
    strength : float
        Weight of that part of the loss, at least 0; the other part, of weight 1, keeps the classifier's own logits
        on the texts as they are.
    steps : int
        Updates of the weights.
    sentences : int
        Texts, and as many swapped sentences, a step.
    learning_rate : float
        Its peak, after a tenth of the steps; it rises and falls in straight lines.
    rank : int
        Rank of the low-rank updates, whose scale is 2.
    layers : int
        Last layers of the encoder that get updates; what is below them, and the head, stays as it is.
    max_tokens : int
        Longer training texts are cut.
    seed : int
        Of the split of the names and sentences, the updates and the draws.

    Raises
    ------
    OptionError
        When a value is out of its range.
    """

    method: str = "pair"
    strength: float = 1.0
    steps: int = 80
    sentences: int = 8
    learning_rate: float = 1e-3
    rank: int = 8
    layers: int = 3
    max_tokens: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError("--method", got=repr(self.method), expected=" or ".join(METHODS))
        if not 0 <= self.strength < 1000:
            raise OptionError("--strength", got=str(self.strength), expected="a number from 0, below 1000")
        for field in ("steps", "sentences", "rank", "layers"):
            if getattr(self, field) < 1:
                raise OptionError(field, got=str(getattr(self, field)), expected="at least 1")
        if not 0 < self.learning_rate < 1:
            raise OptionError("learning_rate", got=str(self.learning_rate), expected="a number between 0 and 1")
        if self.max_tokens < 4:
            raise OptionError("max_tokens", got=str(self.max_tokens), expected="at least 4")
