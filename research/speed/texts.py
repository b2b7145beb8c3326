"""Texts to measure on: written for this, about 26 tokens each, every sentence with every name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

_OPENINGS = ("Yesterday", "Last week", "As far as I know,", "To be honest,", "On the way home")
_VERBS = ("met", "phoned", "argued with", "was thanked by", "waited for")
_PLACES = ("at the station", "in a small bakery near the old bridge", "during the long meeting")
_ENDINGS = (
    "and nobody thought it was worth mentioning.",
    "which, if you ask me, was the best part of a rather dull day.",
    "so I went to bed early.",
    "but in the end we agreed that the train had simply been late again.",
)
_GIVEN = ("Amina", "Bjorn", "Carmen", "Dmitri", "Eleanor", "Farid", "Grace", "Hiroshi", "Ines", "Jamal")
_FAMILY = ("Okafor", "Lindqvist", "Moreno", "Petrov", "Whitfield", "Rahimi", "Osei", "Tanaka", "Duarte", "Brown", "Li")


@dataclass(frozen=True)
class Grid:
    """S sentences and N names, made as they are asked for."""

    sentences: int
    count: int

    @cached_property
    def names(self) -> tuple[str, ...]:
        """N distinct names of two or three words."""
        return tuple(self._name(i) for i in range(self.count))

    def originals(self) -> list[str]:
        """The S sentences with a pronoun."""
        return [self._sentence(i, "she") for i in range(self.sentences)]

    def row(self, sentence: int, /) -> list[str]:
        """One sentence with each name."""
        return [self._sentence(sentence, name) for name in self.names]

    @staticmethod
    def _name(i: int) -> str:
        number, given = divmod(i, len(_GIVEN))
        series, family = divmod(number, len(_FAMILY))
        return f"{_GIVEN[given]} {_FAMILY[family]}" + (f" {_GIVEN[series % 10]}{series}" if series else "")

    @staticmethod
    def _sentence(i: int, name: str) -> str:
        parts = (_OPENINGS[i % 5], name, _VERBS[i // 5 % 5], f"number {i}", _PLACES[i % 3], _ENDINGS[i % 4])
        return " ".join(parts)
