"""``python -m research.statistics.crossed``: false claims of crossed groups and selection rates; interactions found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube, Target
from psa_core.tables import crossing_table, selection_table
from psa_core.tables.groups import INTERACTION
from research import documents
from research.statistics.claims import SIGNIFICANT
from research.statistics.scorers import SCORERS

SECTION, COLUMNS = "crossed", "gender*race"
GENDERS, RACES = ("female", "male"), ("white", "black", "hispanic", "asian")
#: Sentences, and names of each of the eight crossed groups.
SIZES = ((12, 3), (60, 10))
#: How names differ whatever their group is: not at all; each by its own amount; a few by much.
SPREADS = {
    "names alike": lambda random, count: np.zeros(count),
    "each name its own effect": lambda random, count: random.normal(0, 0.05, count),
    "a few names far out": lambda random, count: 0.03 * random.standard_t(2, count),
}
HEADINGS = (
    "scorer", "sentences × names", "any group", "against one group", "interaction", "the same, columns differ",
    "selected at a threshold", "selected: top quarter",
)  # fmt: skip
PLANTED, FOUND_AT, OWN = 0.05, (60, 10), 0.02
SMOOTH = ("normal", "classifier", "heavy", "spread")
KINDS = ("normal", "classifier", "rare10", "binary", "zeros", "grid", "heavy", "jump", "spread", "mixture", "huge")


def people(per_cell: int) -> pd.DataFrame:
    """Names with a gender and a race, so many of each."""
    rows = [(gender, race) for gender in GENDERS for race in RACES for _ in range(per_cell)]
    table = pd.DataFrame(rows, columns=["gender", "race"])
    table.insert(0, "name", [f"n{number}" for number in range(len(table))])
    return table


def cube(scores: np.ndarray, names: pd.DataFrame) -> ScoreCube:
    """A study of these scores (S, N)."""
    sentences = pd.DataFrame({"sentence_id": [f"s{number}" for number in range(len(scores))], "text": "He"})
    sentences = sentences.assign(anchor="He", start=0, end=2, role="subject")
    held = scores.astype(np.float32)
    return ScoreCube(sentences, names, (Target("score"),), held.mean(axis=1, keepdims=True), held[:, :, None])


def false_claims(key: str, sentences: int, per_cell: int, repetitions: int, seed: int = 0) -> np.ndarray:
    """Shares of studies without any difference between groups in which one is claimed: float64 (6,), as `HEADINGS`.

    Studies take turns in how names differ: each of `SPREADS` has a third of them.
    """
    random = np.random.default_rng([seed, sentences, *key.encode()])
    names, counted = people(per_cell), np.zeros(6)
    women, black = ((names[column] == group).to_numpy() for column, group in (("gender", "female"), ("race", "black")))
    for repetition in range(repetitions):
        spread = list(SPREADS.values())[repetition % len(SPREADS)]
        scores = SCORERS[key].study(random, sentences, len(names)).perturbed
        # Which names are whose is drawn: a scorer's few odd names are of any group.
        scores = scores[:, random.permutation(len(names))] + spread(random, len(names))
        study = cube(scores, names)
        table = crossing_table(study, "score", COLUMNS)
        differ = crossing_table(cube(scores + 0.1 * women - 0.1 * black, names), "score", COLUMNS)
        one = crossing_table(study, "score", COLUMNS, reference="male*white")
        middle = float(np.quantile(scores, 0.6))
        top = f"top:{len(names) // 4}"
        counted += [
            _any(table[table["part"] != INTERACTION]),
            _any(one[one["part"] != INTERACTION]),
            _any(table[table["part"] == INTERACTION]),
            _any(differ[differ["part"] == INTERACTION]),
            selection_table(study, "score", COLUMNS, threshold=middle)["is_lower"].any(),
            selection_table(study, "score", COLUMNS, select=top)["is_lower"].any(),
        ]
    return counted / repetitions


def found_interactions(key: str, repetitions: int, seed: int = 0) -> float:
    """Share of studies in which an interaction of `PLANTED` is claimed, beside effects of both columns."""
    sentences, per_cell = FOUND_AT
    random, names, found = np.random.default_rng([seed, *key.encode()]), people(per_cell), 0
    women, black = ((names[column] == group).to_numpy() for column, group in (("gender", "female"), ("race", "black")))
    for _ in range(repetitions):
        scores = SCORERS[key].study(random, sentences, len(names)).perturbed + random.normal(0, OWN, len(names))
        moved = scores + 0.05 * women - 0.05 * black + PLANTED * (women & black)
        table = crossing_table(cube(moved, names), "score", COLUMNS)
        row = table[(table["part"] == INTERACTION) & (table["group"] == "female*black")].iloc[0]
        found += bool(row["above_noise"] and row["p_adjusted"] < SIGNIFICANT and row["difference"] > 0)
    return found / repetitions


def _any(table: pd.DataFrame) -> bool:
    return bool((table["above_noise"] & (table["p_adjusted"] < SIGNIFICANT)).any())


def markdown(repetitions: int, seed: int = 0) -> tuple[str, bool]:
    """Both tables in percent, and whether nothing false is claimed in more than 5 %, within the count's own error."""
    rows = {}
    for key in KINDS:
        for sentences, per_cell in SIZES:
            rows[SCORERS[key].title, f"{sentences} × {8 * per_cell}"] = shares = false_claims(
                key, sentences, per_cell, repetitions, seed
            )
            print(f"{key:12} {sentences:4}  {np.round(100 * shares, 1)}", file=sys.stderr)
    power = {SCORERS[key].title: found_interactions(key, repetitions, seed) for key in SMOOTH}
    lines = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
    lines += [f"| {' | '.join(cells)} | {' | '.join(f'{100 * s:.1f}' for s in row)} |" for cells, row in rows.items()]
    lines += ["", "| scorer | interactions found |", "|---|---|"]
    lines += [f"| {title} | {100 * share:.0f} % |" for title, share in power.items()]
    edge = SIGNIFICANT + 2.6 * (SIGNIFICANT * (1 - SIGNIFICANT) / repetitions) ** 0.5
    worst = max(float(row.max()) for row in rows.values())
    mean = np.mean(list(rows.values()), axis=0)
    lines += ["", f"In percent of {repetitions} studies a cell; on average over the rows "]
    lines[-1] += f"{', '.join(f'{100 * share:.1f}' for share in mean)}; at most {100 * worst:.1f}."
    return "\n".join(lines) + "\n", worst <= edge and min(power.values()) >= 0.8


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, or 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.crossed", description=__doc__)
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
