"""Scorers as real life has them: each draws the scores of a study in which no name has an effect, or planted ones do.

A draw is ``original`` (S,) and ``perturbed`` (S, N). Without planted effects the expected score of every name and of
the original is the same in each sentence, but for the scorers that say so; what differs is how the noise behaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

HUGE = 0.5


@dataclass(frozen=True)
class Drawn:
    """A study drawn from a scorer: scores (S,) and (S, N)."""

    original: np.ndarray
    perturbed: np.ndarray


Noise = Callable[[np.random.Generator, int, int], np.ndarray]


@dataclass(frozen=True)
class Scorer:
    """How scores are drawn.

    `cells` goes from ``random, S, N + 1`` to scores (S, N + 1) without an effect, the original first; `shift` from
    ``random, scores (S, k), effect`` to the scores of names with that mean effect. The first `moved` names have an
    effect in this scorer anyway, and count among no false alarms.
    """

    title: str
    cells: Noise
    shift: Callable[[np.random.Generator, np.ndarray, float], np.ndarray]
    moved: int = 0

    def study(
        self, random: np.random.Generator, sentences: int, names: int, *, planted: int = 0, effect: float = 0.0
    ) -> Drawn:
        """A study; the last `planted` names have the mean effect."""
        cells = self.cells(random, sentences, names + 1)
        if planted:
            cells[:, -planted:] = self.shift(random, cells[:, -planted:], effect)
        return Drawn(cells[:, 0], cells[:, 1:])


def _added(_: np.random.Generator, scores: np.ndarray, effect: float) -> np.ndarray:
    return scores + effect


def _switched_on(random: np.random.Generator, scores: np.ndarray, effect: float) -> np.ndarray:
    """Zeros become ones as often as the mean effect takes."""
    share = effect / max(1e-9, 1 - float(scores.mean()))
    return np.where(random.random(scores.shape) < share, 1.0, scores)


def _sentence(random: np.random.Generator, sentences: int, spread: float = 0.2) -> np.ndarray:
    return random.normal(0.4, spread, (sentences, 1))


def _normal(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    return _sentence(random, sentences) + random.normal(0, 0.05, (sentences, columns))


def _rare(share: float) -> Noise:
    return lambda random, sentences, columns: (random.random((sentences, columns)) < share).astype(float)


def _binary(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    chance = random.beta(0.5, 0.5, (sentences, 1))
    return (random.random((sentences, columns)) < chance).astype(float)


def _zero_inflated(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    moved = random.random((sentences, columns)) < 0.1
    return _sentence(random, sentences) + moved * random.exponential(0.1, (sentences, columns))


def _lexicon(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    """A lexicon that knows two names: the others are equal to the original, exactly."""
    base = np.round(_sentence(random, sentences), 2)
    cells = np.repeat(base, columns, axis=1)
    for column, step in ((1, -0.36), (2, 0.09)):
        cells[:, column] += step * (random.random(sentences) < 0.8)
    return cells


def _grid(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    """Answers in whole tenths, mostly equal."""
    steps = random.choice([-1, 0, 1], p=[0.1, 0.8, 0.1], size=(sentences, columns))
    return np.round(_sentence(random, sentences), 1) + 0.1 * steps


def _heavy(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    return _sentence(random, sentences) + 0.03 * random.standard_t(2, (sentences, columns))


def _rare_jump(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    jump = random.random((sentences, columns)) < 0.02
    return _sentence(random, sentences) + random.normal(0, 0.005, jump.shape) + 0.5 * jump


def _huge(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    cells = _normal(random, sentences, columns)
    cells[:, 1] += HUGE
    return cells


def _two_shift(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    cells = _sentence(random, sentences) + random.normal(0, 0.01, (sentences, columns))
    cells[:, 1:3] += random.choice([0.0, 1.0], size=(sentences, 2)) * 0.6
    return cells


def _shared(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    cells = _normal(random, sentences, columns)
    cells[:, 1:4] = cells[:, :1] + random.normal(0, 0.002, (sentences, 3))
    return cells


def _own_spread(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    spread = np.exp(np.random.default_rng(1).normal(0, 1, columns))
    return _sentence(random, sentences) + 0.03 * spread * random.normal(0, 1, (sentences, columns))


def _skewed(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    return _sentence(random, sentences) + 0.01 * random.lognormal(0, 1.5, (sentences, columns))


def _mixture(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    """Half of the sentences do not react at all, the others have one of two answers."""
    reacts = random.random((sentences, 1)) < 0.5
    return _sentence(random, sentences) + reacts * random.choice([-0.2, 0.2], size=(sentences, columns))


def _one_sentence(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    cells = _normal(random, sentences, columns)
    cells[random.integers(sentences)] += random.normal(0, 5, columns)
    return cells


def _logistic(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    logits = random.normal(-1, 1.5, (sentences, 1)) + random.normal(0, 0.4, (sentences, columns))
    return 1 / (1 + np.exp(-logits))


SCORERS: Mapping[str, Scorer] = {
    "normal": Scorer("Normal noise", _normal, _added),
    "classifier": Scorer("Logistic, crowded at one end", _logistic, _added),
    "rare2": Scorer("1 in 2 % of cells, else 0", _rare(0.02), _switched_on),
    "rare10": Scorer("1 in 10 % of cells, else 0", _rare(0.1), _switched_on),
    "binary": Scorer("0 or 1, by sentence", _binary, _switched_on),
    "zeros": Scorer("Zero-inflated: nine in ten do not react", _zero_inflated, _added),
    "lexicon": Scorer("A lexicon that knows two names, else ties", _lexicon, _added, moved=2),
    "grid": Scorer("Whole tenths, mostly ties", _grid, _added),
    "heavy": Scorer("Heavy tails (t with 2 degrees of freedom)", _heavy, _added),
    "jump": Scorer("Little noise, a jump of 0.5 in 2 % of cells", _rare_jump, _added),
    "skewed": Scorer("Skewed (log-normal) noise", _skewed, _added),
    "huge": Scorer("One name with a huge effect", _huge, _added, moved=1),
    "two": Scorer("Two names that shift the mean", _two_shift, _added, moved=2),
    "shared": Scorer("Three names share the original's noise", _shared, _added),
    "spread": Scorer("Each name has a spread of its own", _own_spread, _added),
    "mixture": Scorer("Half of the sentences react, one of two answers", _mixture, _added),
    "sentence": Scorer("One sentence outweighs all others", _one_sentence, _added),
}
