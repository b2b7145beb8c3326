"""``python -m research.statistics.families``: false claims where families of sentences react to names differently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from psa_core import stats
from psa_core.stats import Families
from psa_core.stats.reliability import order_reliability
from research import documents
from research.statistics.claims import EFFECTS, GROUPS, MARGIN, SHARES, SIGNIFICANT, sure, sure_groups
from research.statistics.scorers import SCORERS, Drawn

SECTION = "families"
HEADINGS = (
    "original", "names", "not by families: names", "groups", "gate", "run --fail-above 0", "order again", "equivalent",
    "correlation", "ScoreDev outside", "found: original", "found: names",
)  # fmt: skip
NAMES, PLANTED, SPLIT_DRAWS = len(GROUPS), 3, 59
#: Scorers of every kind: smooth, rare, binary, tied, heavy-tailed, skewed.
KINDS = ("normal", "rare10", "binary", "grid", "heavy", "zeros")
OWN = 0.1  # of a sentence's answers that are its own, not its family's


@dataclass(frozen=True)
class Design:
    """Which sentences of a study are of one family: `sizes` goes from ``random`` to the sizes of the families."""

    title: str
    sizes: Callable[[np.random.Generator], np.ndarray]


def _copies(share: float, sentences: int, families: int) -> Callable[[np.random.Generator], np.ndarray]:
    """A share of the sentences in so many families of unequal size, the others alone."""

    def sizes(random: np.random.Generator) -> np.ndarray:
        copied = _unequal(round(share * sentences), families, random)
        return np.concatenate([copied, np.ones(sentences - int(copied.sum()), int)])

    return sizes


def _only(sentences: int, families: int) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda random: _unequal(sentences, families, random)


def _unequal(sentences: int, families: int, random: np.random.Generator) -> np.ndarray:
    """Sizes of at least one that differ as an exponential distribution does: int array."""
    shares = random.dirichlet(np.ones(families))
    return 1 + random.multinomial(sentences - families, shares)


DESIGNS: Mapping[str, Design] = {
    **{f"copies{share}": Design(f"{share} % near-copies in 9 families", _copies(share / 100, 120, 9))
       for share in (10, 20, 50, 80)},
    **{f"only{count}": Design(f"{count} families of unequal size", _only(120, count))
       for count in (2, 4, 8, 12, 20, 40)},
}  # fmt: skip


@dataclass(frozen=True)
class FamilyClaims:
    """Shares of simulated studies of one design in which something false is claimed; `found_…`: of planted names.

    `original`, `names`, `groups`: any name moves the score from the original, from the typical name; any group differs.
    `before`: as `names`, where sentences are taken as independent. `gate`: a gate fails between two such studies of the
    same sentences. `limit`: ``run --fail-above 0`` fails. `order`: "the order would be found again". `equivalent`:
    names at the margin that are called equivalent. `correlation`: sensitivity goes with the original score. `spread`:
    ScoreDev is outside of its 95 % interval, where there is one.
    """

    design: str
    scorer: str
    original: float
    names: float
    before: float
    groups: float
    gate: float
    limit: float
    order: float
    equivalent: float
    correlation: float
    spread: float
    found_original: float
    found_names: float
    repetitions: int

    @property
    def worst(self) -> float:
        """The largest share of false claims among those that are promised."""
        return max(
            self.original, self.names, self.groups, self.gate, self.limit, self.order, self.equivalent, self.correlation
        )

    @property
    def holds(self) -> bool:
        """Whether no false claim is made in more than 6 % of the studies, within the count's own error."""
        return self.worst <= 0.06 + 2 * (0.06 * 0.94 / self.repetitions) ** 0.5


def run_families(repetitions: int, *, seed: int = 0) -> Iterator[FamilyClaims]:
    """Count the claims for every design and kind of scores."""
    for design in DESIGNS:
        for scorer in KINDS:
            yield claims_of(design, scorer, repetitions, seed)


def claims_of(design: str, scorer: str, repetitions: int, seed: int = 0) -> FamilyClaims:
    """Count the claims of studies drawn from one design and kind of scores."""
    random = np.random.default_rng([seed, *design.encode(), *scorer.encode()])
    alone = (_study(random, scorer, np.ones(400, int))[0] for _ in range(10))
    truth = float(np.mean([study.perturbed.std(axis=1).mean() for study in alone]))
    counted = np.array([_counts(random, scorer, DESIGNS[design], truth, repeated) for repeated in range(repetitions)])
    means = _known_means(counted)
    return FamilyClaims(DESIGNS[design].title, SCORERS[scorer].title, *means, repetitions)


def _known_means(counted: np.ndarray) -> list[float]:
    """Means of columns over the rows in which they are known; NaN where they never are."""
    known = np.isfinite(counted)
    total, empty = np.where(known, counted, 0).sum(axis=0), np.full(counted.shape[1], np.nan)
    return np.divide(total, known.sum(axis=0), out=empty, where=known.any(axis=0)).tolist()


def _study(
    random: np.random.Generator, scorer: str, sizes: np.ndarray, *, planted: int = 0, effect: float = 0.0
) -> tuple[Drawn, Families]:
    """A study in which a sentence answers as its family does, but for a tenth of its cells."""
    families = Families.of(np.repeat(np.arange(len(sizes)), sizes))
    one_each = SCORERS[scorer].study(random, len(sizes), NAMES, planted=planted, effect=effect)
    own = SCORERS[scorer].study(random, len(families.labels), NAMES, planted=planted, effect=effect)
    cells, alone = (np.column_stack([study.original, study.perturbed]) for study in (one_each, own))
    level = (cells.mean(axis=1)[families.labels] - alone.mean(axis=1))[:, None] * (scorer not in SHARES)
    is_own = random.random(alone.shape) < OWN
    answers = np.where(is_own, alone + level, cells[families.labels])
    return Drawn(answers[:, 0], answers[:, 1:]), families


def _counts(random: np.random.Generator, scorer: str, design: Design, truth: float, seed: int) -> list[float]:
    sizes = design.sizes(random)
    study, families = _study(random, scorer, sizes)
    later, _ = _study(random, scorer, sizes)
    original, perturbed = families.rows(study.original), families.rows(study.perturbed)
    differences = stats.baseline_differences(original, perturbed)
    change = stats.baseline_differences(families.rows(later.original), families.rows(later.perturbed))
    against = _corrected(differences)
    at_margin = stats.baseline_differences(original, perturbed) + MARGIN
    spread = stats.bootstrap_interval(study.perturbed.std(axis=1), n_resamples=499, families=families)
    moves = random.permutation(families.means(stats.sensitivities(study.original, study.perturbed)))[families.labels]
    moves = moves if families.count > 2 else np.zeros(len(moves))
    correlation = stats.sentence_correlation(
        moves, study.original, n_resamples=499, n_permutations=499, families=families
    )
    effect = EFFECTS[scorer] * (1 if scorer in SHARES else 1.5)
    moved, moved_families = _study(random, scorer, sizes, planted=PLANTED, effect=effect)
    shown = stats.baseline_differences(moved_families.rows(moved.original), moved_families.rows(moved.perturbed))
    limit = np.maximum(stats.increase_p(differences, 0 * differences, 0.0), against)
    equivalent = stats.equivalence_p(at_margin, MARGIN, score_range=families.largest_share)
    return [
        _any(against),
        _any(stats.adjust(stats.name_effects(perturbed).p_value, "holm")),
        _any(stats.adjust(stats.name_effects(study.perturbed).p_value, "holm")),
        float(_groups(perturbed)),
        _any(stats.increase_p(change, differences, 0.0)),
        _any(limit),
        float(order_reliability(perturbed, draws=SPLIT_DRAWS, seed=seed).low > 0),
        float((equivalent < SIGNIFICANT).mean()),
        float(correlation.p < SIGNIFICANT and (correlation.low > 0 or correlation.high < 0)),
        float(not spread.low <= truth <= spread.high) if np.isfinite(spread.low) else float("nan"),
        float((_corrected(shown)[-PLANTED:] < SIGNIFICANT).mean()),
        float(sure(stats.name_effects(moved_families.rows(moved.perturbed)).p_value)[-PLANTED:].mean()),
    ]


def _corrected(differences: np.ndarray) -> np.ndarray:
    """Corrected p-values against the original, as in the table of names."""
    units = len(differences)
    return np.maximum(stats.original_p(differences), 2.0 ** (1 - units) if units < 6 else 0.0)


def _any(p_values: np.ndarray) -> float:
    return float((p_values < SIGNIFICANT).any())


def _groups(perturbed: np.ndarray) -> bool:
    return bool(sure_groups(perturbed, GROUPS).any()) if len(perturbed) > 1 else False


def table(claims: Sequence[FamilyClaims]) -> str:
    """A row a design and kind of scores, in percent."""
    columns = [field.name for field in fields(FamilyClaims)[2:-1]]
    lines = [f"| sentences | scores | {' | '.join(HEADINGS)} | holds |", "|---" * (len(HEADINGS) + 3) + "|"]
    for row in claims:
        shares = (getattr(row, column) for column in columns)
        cells = " | ".join(f"{100 * share:.0f}" if np.isfinite(share) else "–" for share in shares)
        lines.append(f"| {row.design} | {row.scorer} | {cells} | {'yes' if row.holds else '**no**'} |")
    means = _known_means(np.array([[getattr(row, column) for column in columns] for row in claims]))
    lines.append(f"| mean | | {' | '.join(f'{100 * mean:.1f}' for mean in means)} | |")
    many = claims[0].repetitions
    lines += ["", f"In percent of {many} studies of 120 sentences × {NAMES} names a row; no interval is a dash."]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, or 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.families", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100, help="studies of each design and kind of scores")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE", help="a Markdown page with marks, as docs/statistics.md")
    options = parser.parse_args(arguments)
    if options.out:
        documents.require(options.out, [SECTION])
    claims = []
    for row in run_families(options.repetitions, seed=options.seed):
        claims.append(row)
        print(f"{'holds' if row.holds else 'BROKEN':7}  {row.design}, {row.scorer}", file=sys.stderr)
    if options.out:
        documents.write(options.out, {SECTION: table(claims)})
    else:
        print(table(claims), end="")
    return 0 if all(row.holds for row in claims) else 1


if __name__ == "__main__":
    sys.exit(main())
