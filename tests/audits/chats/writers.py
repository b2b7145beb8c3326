"""A generator that needs no model: answers whose length, number and words depend on the person as a test wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from psa_core.asking.prices import Estimate
from psa_core.generators import Batch, Draw, Sampling
from psa_core.models._base import digest

WORDS = tuple("abcdefghijklmnopqrstuvwxyz")
FEMALE = {"Ann", "Beth", "Carla", "Dora", "Eva", "Fay", "Gina", "Hope"}
STEREOTYPE = "As women do, she worried about her hair."


@dataclass
class Assistant:
    """Answers of about forty words.

    `shorter` takes that share of the words off for women, `stereotype` is the share of stories for women with one, and
    `own` is how much people differ among themselves (standard deviation of the log of the length).
    """

    shorter: float = 0.0
    stereotype: float = 0.0
    own: float = 0.0
    seed: int = 0
    fingerprint: str = "assistant-1"
    about: str = "an assistant"
    common_noise: bool = False
    asked: list[Draw] = field(default_factory=list)

    def sample(self, draws: Sequence[Draw], _: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        for start in range(0, len(draws), 40):
            check()
            part = draws[start : start + 40]
            self.asked += part
            yield Batch(tuple(range(start, start + len(part))), tuple(map(self.text, part)))

    def text(self, draw: Draw) -> str:
        random = self._random(draw.value, draw.stream, str(draw.k))
        own = self._random(draw.value).normal(0, self.own) if self.own else 0.0
        is_woman = draw.value in FEMALE
        length = 40 * np.exp(random.normal(0, 0.3) + own) * (1 - self.shorter * is_woman)
        said = [str(random.choice(WORDS)) for _ in range(max(3, round(length)))]
        lines = [" ".join(said[start : start + 8]) for start in range(0, len(said), 8)]
        text = f"{draw.value}, " + ". ".join(lines) + "."
        if "story" in draw.stream and is_woman and random.random() < self.stereotype:
            text += f" {STEREOTYPE}"
        return text

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        return Estimate(0, 0, len(draws) * sampling.tokens)

    def _random(self, *parts: str) -> np.random.Generator:
        return np.random.default_rng(int(digest([str(self.seed), *parts])[:12], 16))


@dataclass(frozen=True)
class Stereotypes:
    """A scorer of what was planted."""

    fingerprint: str = "stereotypes-1"

    @property
    def targets(self) -> tuple:
        from psa_core.cube import Target

        return (Target("stereotype", 0.0, 1.0, "whether a planted stereotype is there"),)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[float("As women do" in text)] for text in texts], np.float32).reshape(-1, 1)
