"""``python -m research.statistics.unusual``: the claims over scorers and shapes that no method was made for.

It writes two tables between marks of their own in ``docs/statistics.md``: false claims about names, groups and
equivalence, and false alarms of the comparison of two studies.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from psa_core import stats
from research import documents
from research.documents import table
from research.statistics.claims import GROUPS, MARGIN, SIGNIFICANT, sure, sure_groups
from research.statistics.scorers import Drawn, Noise

SHAPES = ((12, 30), (100, 30))
#: Few sentences of many names and many of few, for two of the scorers.
EXTREMES = ((12, 500), (1000, 3))
SENTENCES = (12, 30, 100)
COPIES = 5


def _level(random: np.random.Generator, sentences: int) -> np.ndarray:
    return random.normal(0.4, 0.2, (sentences, 1))


def _ordinal(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    answers = random.uniform(-0.4, 4.4, (sentences, 1)) + random.normal(0, 0.4, (sentences, columns))
    return np.clip(np.round(answers), 0, 4) / 4


def _saturated(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    logits = random.normal(0, 12, (sentences, 1)) + random.normal(0, 3, (sentences, columns))
    return (1 / (1 + np.exp(-logits))).astype(np.float32).astype(np.float64)


def _tenths(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    logits = random.normal(-1, 1.5, (sentences, 1)) + random.normal(0, 0.4, (sentences, columns))
    return np.round(1 / (1 + np.exp(-logits)), 1)


def _uneven(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    spread = 0.02 * np.exp(random.normal(0, 1.5, (sentences, 1)))
    return _level(random, sentences) + spread * random.normal(size=(sentences, columns))


def _aliases(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    cells = _level(random, sentences) + random.normal(0, 0.05, (sentences, columns))
    cells[:, 2], cells[:, 3] = cells[:, 1], cells[:, 0]
    return cells


def _topics(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    moves = np.random.default_rng(3).normal(0, 0.1, (4, columns))
    moves -= moves.mean(axis=0)
    noise = random.normal(0, 0.02, (sentences, columns))
    return _level(random, sentences) + moves[random.integers(0, 4, sentences)] + noise


def _shock(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    level = _level(random, sentences)
    skewed = 0.05 * (random.lognormal(0, 1, (sentences, 1)) - np.exp(0.5))
    return np.hstack([level, level + skewed + random.normal(0, 0.02, (sentences, columns - 1))])


def _skewed_moves(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    level = _level(random, sentences)
    return np.hstack([level, level + 0.02 * (random.lognormal(0, 1, (sentences, columns - 1)) - np.exp(0.5))])


def _very_skewed_moves(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    level = _level(random, sentences)
    return np.hstack([level, level + 0.05 * (random.gamma(0.25, 1, (sentences, columns - 1)) - 0.25)])


def _own_skews(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    fixed = np.random.default_rng(4)
    scale = 0.02 * fixed.choice([-1, 1], columns) * np.exp(fixed.normal(0, 0.7, columns))
    return _level(random, sentences) + scale * (random.lognormal(0, 1, (sentences, columns)) - np.exp(0.5))


def _near_copies(random: np.random.Generator, sentences: int, columns: int) -> np.ndarray:
    different = -(-sentences // COPIES)
    cells = _level(random, different) + random.normal(0, 0.05, (different, columns))
    return np.repeat(cells, COPIES, axis=0)[:sentences] + random.normal(0, 0.005, (sentences, columns))


#: Scores without any mean effect; the first column is the original.
SCORERS: Mapping[str, Noise] = {
    "the class of five that is likeliest": _ordinal,
    "saturated: nearly always 0 or 1": _saturated,
    "rounded to tenths": _tenths,
    "sentences of very different noise": _uneven,
    "two names alike to the last bit, one like the original": _aliases,
    "names that raise some topics and lower others": _topics,
    "every name changes a sentence alike, by a skewed amount": _shock,
    "each name's changes are skewed, the original's are not": _skewed_moves,
    "the same, so skewed that four in five changes are close to zero": _very_skewed_moves,
    "each name's changes are skewed in another way and by another size": _own_skews,
    "each sentence appears five times, hardly changed": _near_copies,
}
Differences = Callable[[np.random.Generator, int], np.ndarray]
#: Differences of two studies' sentences whose mean is 0.
PAIRS: Mapping[str, Differences] = {
    "normal": lambda random, count: random.normal(size=count),
    "skewed (gamma, shape ½)": lambda random, count: random.gamma(0.5, 1, count) - 0.5,
    "rare in both: 1 in one of ten sentences": lambda random, count: (
        (random.random(count) < 0.1).astype(float) - (random.random(count) < 0.1)
    ),
    "rare in one, even in the other: 1 in one of five": lambda random, count: (
        (random.random(count) < 0.2) - 0.2 + random.normal(0, 0.01, count)
    ),
}


@dataclass(frozen=True)
class Alarms:
    """Shares of simulated studies in which something is claimed, where nothing is true: one a column of the table."""

    label: str
    size: tuple[int, ...]
    shares: tuple[float, ...]
    repetitions: int

    @property
    def allowed(self) -> float:
        """5 % and twice the count's own error."""
        return SIGNIFICANT + 2 * float(np.sqrt(SIGNIFICANT * (1 - SIGNIFICANT) / self.repetitions))


def claim_rows(repetitions: int, *, seed: int = 0) -> Iterator[Alarms]:
    """False claims of every scorer and shape: original, names, groups, equivalence."""
    for label in SCORERS:
        for shape in SHAPES:
            yield claims_of(label, shape, repetitions, seed)
    for label in ("the class of five that is likeliest", "rounded to tenths"):
        for shape in EXTREMES:
            yield claims_of(label, shape, repetitions, seed)


def claims_of(label: str, shape: tuple[int, int], repetitions: int, seed: int) -> Alarms:
    """False claims of one scorer in studies of one shape, sentences and names."""
    sentences, names = shape
    random = np.random.default_rng([seed, sentences, names, *label.encode()])
    found = []
    for _ in range(repetitions):
        cells = SCORERS[label](random, sentences, names + 1)
        found.append(_claims(Drawn(cells[:, 0], cells[:, 1:])))
    return Alarms(label, shape, tuple(np.mean(found, axis=0).tolist()), repetitions)


def _claims(study: Drawn) -> list[float]:
    names = study.perturbed.shape[1]
    groups = GROUPS if names == len(GROUPS) else np.resize(["a", "a", "b", "c"], names)
    differences = stats.baseline_differences(study.original, study.perturbed)
    return [
        float((stats.original_p(differences) < SIGNIFICANT).any()),
        float(sure(stats.name_effects(study.perturbed).p_value).any()),
        float(sure_groups(study.perturbed, groups).any()),
        float((stats.equivalence_p(differences + MARGIN, MARGIN) < SIGNIFICANT).mean()),
    ]


def pair_rows(repetitions: int, *, seed: int = 0) -> Iterator[Alarms]:
    """False alarms of the paired t-test alone, and of what pages show, for which a bootstrap has to agree."""
    for label, draw in PAIRS.items():
        for sentences in SENTENCES:
            random = np.random.default_rng([seed, sentences, *label.encode()])
            found = []
            for repetition in range(repetitions):
                differences = draw(random, sentences)
                shown = stats.paired_difference(differences, np.zeros(sentences), n_resamples=999, seed=repetition)
                found.append([float(stats.paired_t_p(differences)) < SIGNIFICANT, shown.p < SIGNIFICANT])
            yield Alarms(label, (sentences,), tuple(np.mean(found, axis=0).tolist()), repetitions)


def claims_markdown(rows: Sequence[Alarms]) -> str:
    """False claims, a row a scorer and shape."""
    headings = ("scorer", "sentences × names", "against the original", "against the names", "groups", "equivalent")
    lines = [(row.label, " × ".join(f"{size:,}" for size in row.size), *_percents(row)) for row in rows]
    return f"{table(headings, lines)}\n\n{_legend(rows)}"


def pairs_markdown(rows: Sequence[Alarms]) -> str:
    """False alarms of comparisons, a row a kind of difference and number of sentences."""
    headings = ("differences, on average 0", "sentences", "t-test alone", "t-test and bootstrap (shown)")
    return f"{table(headings, [(row.label, row.size[0], *_percents(row)) for row in rows])}\n\n{_legend(rows)}"


def _percents(row: Alarms) -> list[str]:
    texts = [f"{100 * share:.1f}" for share in row.shares]
    return [f"**{text}**" if share > row.allowed else text for text, share in zip(texts, row.shares, strict=True)]


def _legend(rows: Sequence[Alarms]) -> str:
    count, allowed = rows[0].repetitions, rows[0].allowed
    return f"Percent of {count} studies each; bold above {100 * allowed:.1f} (5 and twice the count's own error)."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.unusual", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200, help="simulated studies per row")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE", help="docs/statistics.md")
    options = parser.parse_args(arguments)
    if options.out:
        documents.require(options.out, ["unusual claims", "unusual pairs"])
    pairs = list(pair_rows(options.repetitions, seed=options.seed))
    claims = []
    for row in claim_rows(options.repetitions, seed=options.seed):
        claims.append(row)
        print(row, file=sys.stderr, flush=True)
    parts = {"unusual claims": claims_markdown(claims), "unusual pairs": pairs_markdown(pairs)}
    if options.out:
        documents.write(options.out, parts)
    else:
        print("\n\n".join(parts.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
