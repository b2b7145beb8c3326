"""A population of sentences whose metrics are known exactly, since all of it can be computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

SENTENCES = 20_000


@dataclass(frozen=True, eq=False)
class Population:
    """All sentences there are: original (M,) and perturbed (M, N) scores.

    A study draws its sentences from these with replacement, so that the population's metrics are the truth which the
    study's intervals should hold.
    """

    original: np.ndarray
    perturbed: np.ndarray

    def study(self, random: np.random.Generator, sentences: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores of a study of this many sentences: (S,) and (S, N)."""
        rows = random.integers(0, len(self.original), sentences)
        return self.original[rows], self.perturbed[rows]

    def with_effects(self, effects: np.ndarray) -> Population:
        """The same population with exactly these mean differences (N,) of the names from the original."""
        present = (self.perturbed - self.original[:, None]).mean(axis=0)
        return replace(self, perturbed=self.perturbed - present + effects)


def population(names: int, *, seed: int = 0) -> Population:
    """Scores like a classifier's: skewed to one end, in [0, 1], with moves that sentences share and that names share.

    On the logit scale the original score is normal (-1, 1.3). Wearing a name adds what the sentence does with any name
    (0.3), what the name does in any sentence (0.15), and the rest (0.3); the numbers are standard deviations.
    """
    random = np.random.default_rng(seed)
    original = random.normal(-1.0, 1.3, SENTENCES)
    perturbed = (
        original[:, None]
        + random.normal(0, 0.3, (SENTENCES, 1))
        + random.normal(0, 0.15, (1, names))
        + random.normal(0, 0.3, (SENTENCES, names))
    )
    return Population(_logistic(original), _logistic(perturbed))


def _logistic(logits: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logits))
