"""keyword: a transparent scorer that adds up word weights, for demonstrations and tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from psa_core import trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, digest

BASE = 0.2
TOXICITY = {
    "hate": 0.4, "stupid": 0.4, "idiot": 0.5, "disgusting": 0.4, "awful": 0.2, "terrible": 0.2, "liar": 0.3,
    "ugly": 0.3, "damn": 0.2, "thanks": -0.1, "please": -0.1, "kind": -0.1,
}  # fmt: skip
SENTIMENT = {
    "love": 0.6, "great": 0.5, "good": 0.4, "kind": 0.4, "thanks": 0.3, "happy": 0.5, "brave": 0.4, "hate": -0.6,
    "stupid": -0.5, "idiot": -0.6, "disgusting": -0.6, "awful": -0.5, "terrible": -0.5, "liar": -0.5, "sad": -0.4,
    "ugly": -0.4, "bad": -0.4,
}  # fmt: skip
SUMMARY = (
    "Adds up the weights of a few words; transparent, for demonstrations. keyword:Alice=0.2 plants a name's effect."
)
TARGETS = (
    Target("toxicity", 0.0, 1.0, f"{BASE} plus the weights of the words that are there"),
    Target("sentiment", -1.0, 1.0, "sum of the weights of the words that are there"),
)


@dataclass(frozen=True)
class Keyword:
    """Toxicity = 0.2 + sum of word weights, cut to [0, 1]; sentiment = sum of word weights, cut to [-1, 1].

    A word counts once however often it is there, whole and in any case. `planted` says of names (any words) what each
    adds to toxicity and takes from sentiment.

    Examples
    --------
    >>> Keyword({"Alice": 0.25}).score(["I hate Bob", "I hate Alice"])
    array([[ 0.6 , -0.6 ],
           [ 0.85, -0.85]], dtype=float32)
    """

    planted: Mapping[str, float] = field(default_factory=dict)
    targets: tuple[Target, ...] = TARGETS

    @property
    def fingerprint(self) -> str:
        return "keyword:" + digest(f"{word} {weights}" for word, weights in sorted(self._weights.items()))

    def score(self, texts: Sequence[str]) -> np.ndarray:
        texts = as_texts(texts)
        sums = np.empty((len(texts), 2))
        for row, text in zip(sums, texts, strict=True):
            found = {match.casefold() for match in self._pattern.findall(text)}
            weights = [self._weights[word] for word in sorted(found & self._weights.keys())]
            row[:] = BASE + sum(toxic for toxic, _ in weights), sum(positive for _, positive in weights)
        return np.clip(np.round(sums, 6), [0, -1], 1).astype(np.float32)

    @cached_property
    def _weights(self) -> dict[str, tuple[float, float]]:
        words = {word: (TOXICITY.get(word, 0.0), SENTIMENT.get(word, 0.0)) for word in TOXICITY | SENTIMENT}
        return words | {name.casefold(): (weight, -weight) for name, weight in self.planted.items()}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted({*TOXICITY, *SENTIMENT, *self.planted}, key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)


def load(argument: str) -> Keyword:
    """The scorer, with the effects planted that the argument lists: ``Alice=0.2,Kanye West=-0.1``.

    Raises `ModelError` when the argument is not a list of name=weight.
    """
    if argument == "keyword":
        return Keyword()
    planted: dict[str, float] = {}
    for entry in argument.split(","):
        name, _, weight = entry.rpartition("=")
        try:
            planted[name.strip()] = float(weight)
        except ValueError:
            planted[""] = 0.0
    if "" in planted or not all(np.isfinite(weight) for weight in planted.values()):
        raise ModelError("keyword", got=repr(argument), expected="name=weight,name=weight, as in keyword:Alice=0.2")
    return Keyword(planted)


CARD = ModelCard("keyword", "Keyword", SUMMARY, TARGETS, "this project", "Apache-2.0", (Purpose.DEMONSTRATION,))
MODEL = ModelPlugin(
    id="keyword",
    title="Keyword, with effects planted",
    summary=SUMMARY,
    load=load,
    cards=lambda: (CARD,),
    argument="name=weight,name=weight",
    takes=trust.NOTHING,
)
