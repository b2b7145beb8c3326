"""Whether the names would come in one order again: how often what is said of that holds, over simulated studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import spearmanr

from psa_core.stats.reliability import order_agreement, order_reliability, top_stability
from research.documents import table
from research.statistics.checks import Check

SIZES = tuple(product((30, 100, 400), (20, 100)))
SENTENCES, NAMES = 60, 30
PROMISED = (0.93, 0.97)
#: Of chance, a fifth of what the pages take: it makes the bounds less steady, not less right.
DRAWS = 39


@dataclass(frozen=True)
class Held:
    """How often the interval of the order's reliability contains 0 if no name has an effect, by sentences and names."""

    scorer: str
    shares: Mapping[tuple[int, int], float]
    studies: int


def noise(scorer: str, random: np.random.Generator, sentences: int, names: int) -> np.ndarray:
    """The scores of one study of a scorer that is pure noise, (S, N)."""
    shape = (sentences, names)
    if scorer == "normal":
        return random.normal(size=shape)
    if scorer == "1 in 2 % of the cells, else 0":
        return (random.random(shape) < 0.02).astype(float)
    if scorer == "zero-inflated: nine cells in ten do not react":
        return (random.random(shape) < 0.1) * random.exponential(size=shape)
    if scorer == "heavy tails (t with 2 degrees of freedom)":
        return random.standard_t(2, size=shape)
    if scorer == "names of different noise":
        return random.normal(size=shape) * np.exp(0.5 * random.normal(size=names))
    together = random.normal(size=(sentences, 3))[:, random.integers(0, 3, names)]
    return together + 0.3 * random.normal(size=shape)


SCORERS = (
    "normal",
    "1 in 2 % of the cells, else 0",
    "zero-inflated: nine cells in ten do not react",
    "heavy tails (t with 2 degrees of freedom)",
    "names of different noise",
    "three groups of names that move together",
)


def noise_rows(repetitions: int, *, seed: int = 0, sizes: Sequence[tuple[int, int]] = SIZES) -> Iterator[Held]:
    """For each scorer, how often the interval contains 0 in studies of each size."""
    for scorer in SCORERS:
        shares = {}
        for sentences, names in sizes:
            random = np.random.default_rng([seed, sentences, names, *scorer.encode()])
            found = [
                order_reliability(noise(scorer, random, sentences, names), draws=DRAWS, seed=repetition)
                for repetition in range(repetitions)
            ]
            shares[sentences, names] = float(np.mean([low <= 0 <= high for _, low, high in found]))
        yield Held(scorer, shares, repetitions)


def other_checks(repetitions: int, *, seed: int = 0) -> Iterator[Check]:
    """Agreement of two studies of noise, and reliabilities other than 0."""
    random = np.random.default_rng([seed, 1])
    held = []
    for _ in range(repetitions):
        first, second = random.normal(size=(2, NAMES))
        agreement = order_agreement(first, second)
        held.append(agreement.low <= 0 <= agreement.high)
    yield _check("Agreement of two studies of pure noise contains 0", held, high=PROMISED[1])
    effects = random.normal(size=NAMES)
    for spread in (8.0, 3.0):
        truth = _repeats(random, effects, spread)
        held = []
        for repetition in range(repetitions // 2):
            scores = effects + spread * random.normal(size=(SENTENCES, NAMES))
            _, low, high = order_reliability(scores, seed=repetition)
            held.append(low <= truth <= high)
        # Names are taken as drawn from many, which makes the interval wide for the names at hand.
        yield _check(f"The interval of the reliability contains the true one, {truth:.2f}", held, high=1.0)


def _check(claim: str, held: list[bool], *, high: float) -> Check:
    setting = f"{SENTENCES} sentences × {NAMES} names"
    return Check(claim, setting, float(np.mean(held)), PROMISED[0], high, len(held))


def _repeats(random: np.random.Generator, effects: np.ndarray, spread: float) -> float:
    """Mean rank correlation of two studies' orders."""
    error = spread / np.sqrt(SENTENCES)
    pairs = effects + error * random.normal(size=(400, 2, len(effects)))
    return float(np.mean([spearmanr(one, two)[0] for one, two in pairs]))


def top_rows(repetitions: int, *, seed: int = 0) -> Iterator[tuple[int, float, float, float]]:
    """Sentences of the study, then the median and the quartiles of what it says that a stable top ten takes."""
    random = np.random.default_rng([seed, 2])
    effects = random.standard_t(4, size=60)
    for sentences in (100, 400, 1600):
        found = [
            top_stability(effects + 8 * random.normal(size=(sentences, 60)), seed=repetition).sentences
            for repetition in range(max(4, repetitions))
        ]
        low, middle, high = np.quantile(found, [0.25, 0.5, 0.75], method="inverted_cdf")
        yield sentences, float(middle), float(low), float(high)
    yield 0, _truly_stable(random, effects, 8.0), np.nan, np.nan


def _truly_stable(random: np.random.Generator, effects: np.ndarray, spread: float) -> float:
    """From how many sentences on two studies' top tens share nine names, by drawing them."""
    for sentences in np.unique(np.round(np.geomspace(50, 50_000, 120)).astype(int)):
        drawn = effects + spread / np.sqrt(sentences) * random.normal(size=(600, len(effects)))
        far = np.argsort(-np.abs(drawn - np.median(drawn, axis=1, keepdims=True)), axis=1)[:, :10]
        shared = [len(set(one) & set(two)) / 10 for one, two in zip(far[::2], far[1::2], strict=True)]
        if np.mean(shared) >= 0.9:
            return float(sentences)
    return np.inf


def noise_markdown(rows: Sequence[Held]) -> str:
    """How often 0 is held, a row a scorer, a column a size."""
    sizes = list(rows[0].shares)
    error = Check("", "", 0.95, *PROMISED, rows[0].studies).error
    return (
        table(
            ("pure noise", *(f"{sentences} × {names}" for sentences, names in sizes)),
            [(row.scorer, *(_share(row.shares[size]) for size in sizes)) for row in rows],
        )
        + f"\n\nPercent of {rows[0].studies} studies each (sentences × names) in which the interval contains 0, "
        + f"each ± {200 * error:.1f} (twice the count's own error); bold outside of 93 to 97."
    )


def _share(share: float) -> str:
    text = f"{100 * share:.1f}"
    return text if PROMISED[0] <= share <= PROMISED[1] else f"**{text}**"


def top_markdown(rows: Sequence[tuple[int, float, float, float]]) -> str:
    """What studies say that a stable top ten takes, beside what it does take."""
    truth = next(middle for sentences, middle, *_ in rows if not sentences)
    return table(
        ("a study of", f"says that nine in ten of the top ten take (truly {truth:,.0f})", "half of the studies"),
        [
            (f"{sentences:,} sentences", f"{middle:,.0f}", f"{low:,.0f} to {high:,.0f}")
            for sentences, middle, low, high in rows
            if sentences
        ],
    )
