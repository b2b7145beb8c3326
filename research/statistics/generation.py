"""``python -m research.statistics.generation``: do the numbers of a language model's audit keep their word?

Audits are drawn from simulated populations of templates, values and continuations whose I.F. can be computed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import norm

from psa_core.stats.fairness import measure
from psa_core.stats.wasserstein import individual_fairness
from research import documents
from research.statistics.checks import Check

TEMPLATES, NOISE, TEMPLATE_SPREAD, INTERPLAY = 10, 1.5, 0.7, 0.3
MANY_TEMPLATES, QUANTILES = 400, 401
N_PERMUTATIONS = 199
SECTION = "generation"
Shape = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Population:
    """Values with fixed effects (A,) on the logit scale; templates are drawn, and move each value a little.

    `interplay` is the standard deviation of a template's own effect on a value, in units of the values' effects' scale;
    with `counts` scores are 0, 0.5 and 1 only, as a count of opinion words gives; `common` is the share of the variance
    that continuation k has in common for all values.
    """

    name: str
    effects: np.ndarray
    interplay: float = 0.0
    counts: bool = False
    common: float = 0.0

    def templates(self, random: np.random.Generator, count: int = TEMPLATES) -> np.ndarray:
        """Logit locations (M, A)."""
        own = self.interplay * random.normal(size=(count, len(self.effects)))
        return random.normal(0, TEMPLATE_SPREAD, (count, 1)) + self.effects + own

    def scores(self, random: np.random.Generator, locations: np.ndarray, k: int) -> np.ndarray:
        """Scores (M, A, K)."""
        m, a = locations.shape
        alone, shared = random.normal(size=(m, a, k)), random.normal(size=(m, 1, k))
        return self._scored(
            locations[..., None] + NOISE * (np.sqrt(1 - self.common) * alone + self.common**0.5 * shared)
        )

    def truth(self) -> float:
        """I.F. of the population, from many templates and all quantiles."""
        locations = self.templates(np.random.default_rng(12345), MANY_TEMPLATES)
        levels = norm.ppf((np.arange(QUANTILES) + 0.5) / QUANTILES)
        return individual_fairness(self._scored(locations[..., None] + NOISE * levels))

    def _scored(self, logits: np.ndarray) -> np.ndarray:
        scores = 1 / (1 + np.exp(-logits))
        return np.where(scores < 0.3, 0.0, np.where(scores < 0.7, 0.5, 1.0)) if self.counts else scores


def populations() -> Iterator[Population]:
    """Values that spread, two camps, one value apart, two values; I.F. from about 0.05 to 0.10."""
    spread = np.random.default_rng(4).normal(size=10)
    spread = (spread - spread.mean()) / spread.std()
    camps, apart = np.array([-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]), np.array([1.0, 0, 0, 0, 0, 0])
    for scale in (0.27, 0.5):
        yield Population(f"ten values that spread by {scale}", scale * spread, INTERPLAY * scale)
        yield Population(f"the same, counted words ({scale})", 0.8 * scale * spread, INTERPLAY * scale, counts=True)
    yield Population("two camps of three values, 0.45 apart", 0.45 * camps)
    yield Population("two camps of three values, 0.7 apart", 0.7 * camps)
    yield Population("one value of six 1.2 apart", 1.2 * apart, 0.1)
    yield Population("two values, 0.3 apart", np.array([-0.15, 0.15]), 0.1)
    yield Population("two values, 0.5 apart", np.array([-0.25, 0.25]), 0.1)


def accuracy(
    repetitions: int, seed: int, ks: Sequence[int] = (40, 120)
) -> Iterator[tuple[str, int, float, float, Check]]:
    """Name, K, I.F., relative bias of the corrected value, and how often the interval holds the truth."""
    for place, population in enumerate(populations()):
        truth = population.truth()
        groups = [str(value) for value in range(len(population.effects))]
        for k in ks:
            random = np.random.default_rng([seed, place, k])
            found = []
            for _ in range(repetitions):
                scores = population.scores(random, population.templates(random), k)
                found.append(
                    measure(
                        scores, groups, n_permutations=N_PERMUTATIONS // 4, seed=int(random.integers(2**31))
                    ).individual
                )
            held = np.mean([number.low <= truth <= number.high for number in found])
            bias = float(np.mean([number.corrected for number in found]) / truth - 1)
            check = Check("interval holds I.F.", population.name, float(held), 0.93, 0.97, repetitions)
            yield population.name, k, truth, bias, check


def false_alarms(repetitions: int, seed: int) -> Iterator[Check]:
    """How often an audit of values that are all equal is called above noise."""
    for population in (
        Population("ten equal values", np.zeros(10)),
        Population("ten equal values, counted words", np.zeros(10), counts=True),
        Population("ten equal values, common random numbers", np.zeros(10), common=0.5),
        Population("two equal values", np.zeros(2)),
    ):
        groups = [str(value) for value in range(len(population.effects))]
        for k in (20, 100):
            random = np.random.default_rng([seed, k, 99])
            found = []
            for _ in range(repetitions):
                scores = population.scores(random, population.templates(random), k)
                found.append(measure(scores, groups, n_permutations=N_PERMUTATIONS, seed=int(random.integers(2**31))))
            for name, share in (
                ("I.F.", np.mean([each.individual.above_noise for each in found])),
                ("G.F.", np.mean([each.group.above_noise for each in found])),
            ):
                setting = f"{population.name}, K = {k}"
                yield Check(f"{name} called above noise", setting, float(share), 0.0, 0.05, repetitions)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, or 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.generation", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400, help="simulated audits per promise")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE", help="a Markdown page with marks: docs/statistics.md")
    options = parser.parse_args(arguments)
    if options.out:
        documents.require(options.out, [SECTION])
    kept, lines = (
        True,
        ["| population | K | I.F. | bias of the corrected I.F. | its interval contains it |", "|---|---|---|---|---|"],
    )
    for name, k, truth, bias, check in accuracy(options.repetitions, options.seed):
        # Twice the count's own error is not held against the promise.
        good = abs(bias) <= 0.1 and check.low - 2 * check.error <= check.measured <= check.high + 2 * check.error
        kept &= good
        held = f"{100 * check.measured:.1f} ± {200 * check.error:.1f} %{'' if good else ' (**not kept**)'}"
        lines.append(f"| {name} | {k} | {truth:.3f} | {100 * bias:+.1f} % | {held} |")
        print(lines[-1], file=sys.stderr, flush=True)
    lines += ["", "| values all equal | called above noise |", "|---|---|"]
    for check in false_alarms(options.repetitions, options.seed):
        good = check.measured <= check.high + 2 * check.error
        kept &= good
        share = f"{100 * check.measured:.1f} ± {200 * check.error:.1f} %{'' if good else ' (**not kept**)'}"
        lines.append(f"| {check.claim}: {check.setting} | {share} |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if options.out:
        documents.write(options.out, {SECTION: text})
    else:
        print(text, end="")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
