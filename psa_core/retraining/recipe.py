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

    `strength` is the weight of that part of the loss that `method` names; the other part, of weight 1, keeps the
    model's own answers on the unchanged texts. A step has so many unchanged `sentences`, and as many changed ones.
    `learning_rate` is the peak: it rises for a tenth of the `steps`, then falls, linearly. The last `layers` get
    updates of a `rank`, whose scale is 2; texts longer than `max_tokens` are cut. `seed` is that of every random
    choice: how names are split, the updates, what a step sees.
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
