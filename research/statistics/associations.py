"""``python -m research.statistics.associations``: false claims that one thing goes with another, where nothing does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from psa_core import stats
from psa_core.stats.associations import explain
from research import documents
from research.statistics.claims import SIGNIFICANT

SECTION, SIZES, NAMES = "associations", (12, 20, 60, 300), 50
Marginal = Callable[[np.random.Generator, int], np.ndarray]
Cells = Callable[[np.random.Generator, int], np.ndarray]
FACTORS = ("length", "length", "frequency", "word", "gender", "group")


def _vader(random: np.random.Generator, count: int) -> np.ndarray:
    return np.where(random.random(count) < 0.35, 0, np.clip(random.normal(0.1, 0.45, count), -1, 1))


def _sparse(random: np.random.Generator, count: int) -> np.ndarray:
    return np.where(random.random(count) < 0.7, 0, random.lognormal(-3, 1.2, count))


#: Sensitivity and score of a sentence, each as skewed as real ones are, without a correlation.
MARGINALS: Mapping[str, tuple[Marginal, Marginal]] = {
    "seven in ten do not react; a lexicon's scores": (_sparse, _vader),
    "log-normal; crowded at one end": (
        lambda random, count: random.lognormal(-3, 1.5, count),
        lambda random, count: 1 / (1 + np.exp(-random.normal(-3, 2, count))),
    ),
    "both exponential": (
        lambda random, count: random.exponential(1, count),
        lambda random, count: random.exponential(1, count),
    ),
    "both rare": (
        lambda random, count: (random.random(count) < 0.05) * random.random(count),
        lambda random, count: (random.random(count) < 0.1) * 1.0,
    ),
}
#: Scores of names that have no effect.
NULLS: Mapping[str, Cells] = {
    "1 in 2 % of cells": lambda random, count: (random.random((count, NAMES)) < 0.02) * 1.0,
    "a move in 0.5 % of cells": lambda random, count: (
        (random.random((count, NAMES)) < 0.005) * random.exponential(0.3, (count, NAMES))
    ),
    "heavy tails": lambda random, count: 0.03 * random.standard_t(2, (count, NAMES)),
    "normal": lambda random, count: random.normal(0, 0.1, (count, NAMES)),
    "each name has a spread of its own": lambda random, count: (
        random.normal(0, 0.1, (count, NAMES)) * np.exp(random.normal(0, 1, NAMES))
    ),
}


def false_correlations(kind: str, sentences: int, repetitions: int, seed: int = 0) -> float:
    """Share of studies in which sensitivity is said to go with the score."""
    random, (first, second) = np.random.default_rng([seed, sentences]), MARGINALS[kind]
    claimed = 0
    for repetition in range(repetitions):
        found = stats.sentence_correlation(
            first(random, sentences), second(random, sentences), n_resamples=499, n_permutations=499, seed=repetition
        )
        claimed += found.p < SIGNIFICANT
    return claimed / repetitions


def false_reasons(kind: str, sentences: int, repetitions: int, seed: int = 0) -> tuple[float, float, float]:
    """Shares of studies in which a factor is associated with effects, a name stands out, and by residuals alone."""
    random, counted = np.random.default_rng([seed, sentences]), np.zeros(3)
    for _ in range(repetitions):
        cells = NULLS[kind](random, sentences)
        means = cells.mean(axis=0)
        if not np.ptp(means):
            continue
        letters, subwords = random.integers(3, 15, NAMES), random.integers(1, 5, NAMES)
        groups = (random.random((3, NAMES)) < np.array([[0.12], [0.5], [0.15]])).astype(float)
        columns = np.column_stack([letters, subwords, np.maximum(0, random.normal(4, 2, NAMES)), *groups])
        found = explain(means, columns, FACTORS)
        over_sentences = stats.adjust(stats.name_effects(cells).p_value, "holm")
        p_values = stats.adjust(found.p_value, "holm"), np.maximum(found.unexplained, over_sentences), found.unexplained
        counted += [(each < SIGNIFICANT).any() for each in p_values]
    return tuple((counted / repetitions).tolist())  # type: ignore[return-value]


def markdown(repetitions: int, seed: int = 0) -> tuple[str, bool]:
    """Both tables in percent, and whether no promised share is above 6 %, within the count's own error."""
    correlations = {kind: [false_correlations(kind, size, repetitions, seed) for size in SIZES] for kind in MARGINALS}
    reasons = {(kind, size): false_reasons(kind, size, repetitions, seed) for kind in NULLS for size in (12, 60)}
    lines = [f"| sensitivity; score | {' | '.join(f'{size} sentences' for size in SIZES)} |", "|---" * 5 + "|"]
    lines += [f"| {kind} | {' | '.join(f'{100 * share:.1f}' for share in row)} |" for kind, row in correlations.items()]
    lines += ["", "| scores | sentences | a factor is associated | a name stands out | by residuals alone |"]
    lines += ["|---" * 5 + "|"]
    for (kind, size), row in reasons.items():
        lines.append(f"| {kind} | {size} | {' | '.join(f'{100 * share:.1f}' for share in row)} |")
    lines += ["", f"In percent of {repetitions} studies a cell; {NAMES} names in the second table."]
    promised = [
        *(share for row in correlations.values() for share in row),
        *(s for row in reasons.values() for s in row[:2]),
    ]
    return "\n".join(lines) + "\n", max(promised) <= 0.06 + 2 * (0.06 * 0.94 / repetitions) ** 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, or 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.associations", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200, help="studies a cell")
    parser.add_argument("--out", type=Path, metavar="FILE", help="a Markdown page with marks, as docs/statistics.md")
    options = parser.parse_args(arguments)
    if options.out:
        documents.require(options.out, [SECTION])
    tables, holds = markdown(options.repetitions)
    if options.out:
        documents.write(options.out, {SECTION: tables})
    else:
        print(tables, end="")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
