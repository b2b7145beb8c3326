"""What every short training has in common: it goes on from a model that is there, with low-rank updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from psa_core.errors import OptionError


@dataclass(frozen=True)
class Tuning:
    """Some small steps from a model that is there.

    Attributes
    ----------
    method : str
        One of `methods`, which say what is asked of the model.
    strength : float
        Weight of that part of the loss, at least 0; the other part, of weight 1, keeps the model's own answers on the
        texts as they are.
    steps : int
        Updates of the weights.
    sentences : int
        Texts, and as many changed sentences, a step.
    learning_rate : float
        Its peak, after a tenth of the steps; it rises and falls in straight lines.
    rank : int
        Rank of the low-rank updates, whose scale is 2.
    layers : int
        Last layers that get updates; everything else stays as it is.
    max_tokens : int
        Longer texts are cut.
    seed : int
        Of every random choice: how names are split, the updates, what a step sees.

    Raises
    ------
    OptionError
        When a value is out of its range.
    """

    method: str
    strength: float
    steps: int
    sentences: int
    learning_rate: float
    rank: int
    layers: int
    max_tokens: int
    seed: int = 0

    methods: ClassVar[Mapping[str, str]]
    #: Strengths are below this.
    strongest: ClassVar[float]
    #: The least that a count may be.
    least: ClassVar[Mapping[str, int]]

    def __post_init__(self) -> None:
        if self.method not in self.methods:
            raise OptionError("--method", got=repr(self.method), expected=" or ".join(self.methods))
        if not 0 <= self.strength < self.strongest:
            expected = f"a number from 0, below {self.strongest:,.0f}"
            raise OptionError("--strength", got=str(self.strength), expected=expected)
        if not 0 < self.learning_rate < 1:
            raise OptionError("--learning-rate", got=str(self.learning_rate), expected="a number between 0 and 1")
        for field, least in {"seed": 0, **self.least}.items():
            if getattr(self, field) < least:
                option = f"--{field.replace('_', '-')}"
                raise OptionError(option, got=str(getattr(self, field)), expected=f"at least {least}")
