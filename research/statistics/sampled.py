"""``python -m research.statistics.sampled``: writes the table in ``docs/judges.md`` from simulated judges.

A judge that says Yes or No by chance, alike for everybody, is called sensitive where any of ScoreRange, ScoreDev,
LabelDist and changed labels is above its repeat floor, or any name significant. Where one name is planted to differ as
the plan before a run says, it should be found in 95 of 100 studies.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from psa_core import stats
from research import documents

PAGE = Path(__file__).resolve().parents[2] / "docs" / "judges.md"
#: Texts, names, answers to each text.
SIZES = ((24, 16, 5), (24, 16, 20), (100, 20, 5), (100, 20, 20))


def shares(texts: int, names: int, answers: int, studies: int) -> tuple[float, float, float]:
    """Of null studies the shares with a statistic above its floor and with a name; of planted names the share found."""
    above = named = found = 0
    planted = stats.resolvable(answers, texts, names)
    for number in range(studies):
        random = np.random.default_rng([texts, answers, number])
        null = random.binomial(answers, 0.5, (texts, 1 + names)) / answers
        floors = stats.repeat_floors(
            null[:, 0], null[:, 1:], samples=answers, ends=(0, 1), thresholds=[0.5], seed=number
        )
        above += any(floor.is_above for floor, *_ in floors.values())
        named += bool(_significant(null[:, 1:], number).any())
        chance = np.full(names, 0.5 - planted / 2)
        chance[0] = 0.5 + planted / 2
        other = random.binomial(answers, chance, (texts, names)) / answers
        found += bool(_significant(other, number)[0])
    return above / studies, named / studies, found / studies


def _significant(scores: np.ndarray, seed: int) -> np.ndarray:
    """Which names differ significantly, after Holm's correction: bool (N,)."""
    return stats.adjust(stats.name_effects(scores, seed=seed).p_value, "holm") < stats.SIGNIFICANT


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.sampled", description=__doc__)
    parser.add_argument("--studies", type=int, default=500, help="a row (default: %(default)s)")
    options = parser.parse_args()
    rows = []
    for size in SIZES:
        above, named, found = shares(*size, options.studies)
        planted = f"{100 * stats.resolvable(size[2], size[0], size[1]):.1f} points"
        rows.append((*map(str, size), f"{100 * above:.1f} %", f"{100 * named:.1f} %", planted, f"{100 * found:.1f} %"))
        print(rows[-1], flush=True)
    head = ("texts", "names", "answers", "null: above its floor", "null: a name", "planted in one name", "found")
    documents.write(PAGE, {"sampled": documents.table(head, rows)})


if __name__ == "__main__":
    main()
