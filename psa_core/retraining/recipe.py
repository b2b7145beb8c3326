"""Settings of a short training that makes a classifier depend less on names."""

from __future__ import annotations

from dataclasses import dataclass

from psa_core import options
from psa_core.options import option

METHODS = {
    "augment": "Sentences repeated with other names; the answer to the sentence as it was is the one to learn",
    "pair": "The same sentence with two names gets the same answer: counterfactual logit pairing (Garg et al. 2019)",
}


@dataclass(frozen=True)
class Retraining:
    """A few hundred small steps of low-rank updates, starting from a trained model; its head stays as it is.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    strength : float
        Weight of that part of the loss, at least 0; the other part, of weight 1, keeps the model's own answers on the
        unchanged texts.
    steps : int
        Updates of the weights.
    sentences : int
        Unchanged texts in a step, and as many changed sentences.
    learning_rate : float
        Its peak, after a tenth of the steps; it rises and falls linearly.
    rank : int
        Rank of the low-rank updates, whose scale is 2.
    layers : int
        How many of the last layers get updates; everything else stays as it is.
    max_tokens : int
        Longer texts are cut.
    seed : int
        Of every random choice: how names are split, the updates, what a step sees.

    Raises
    ------
    OptionError
        When a value is out of its range.
    """

    method: str = option("pair", choices=METHODS)
    strength: float = option(1.0, low=0, high=1000)
    steps: int = option(80, low=1)
    sentences: int = option(8, low=1)
    learning_rate: float = option(1e-3, above=0, high=1)
    rank: int = option(8, low=1)
    layers: int = option(3, low=1)
    max_tokens: int = option(64, low=4)
    seed: int = option(0, low=0)

    def __post_init__(self) -> None:
        options.check(self)
