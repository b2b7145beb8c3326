"""``python -m research.judges``: decisions of a language model, and their section of docs/results-language-models.md.

Nine studies, a result folder for each decision and name list, and one with its answers listed the other way round. A
study that is there already is not run again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from psa_core import stats, tables
from psa_core.cli import main as psa_core
from psa_core.cube import ScoreCube
from psa_core.folders import results
from research import documents

PAGE, SECTION = documents.DOCS / "results-language-models.md", "judges"
DECISIONS = {"interview": "interviews", "loan": "loans", "patient": "patients"}
LISTS = ("us-first-names", "eec-first-names", "public-figures")
COLUMNS = ("gender", "race")
#: Asked once more with its answers listed the other way round.
SWAPPED = ("loan", "us-first-names")


class Asked(NamedTuple):
    """One study: a decision about the people of a list, with the answers in the question's order or swapped."""

    decision: str
    names: str
    order: str = "given"

    @property
    def folder(self) -> str:
        """Name of its result folder."""
        return f"{self.decision}-{self.names}" + ("" if self.order == "given" else f"-{self.order}")

    @property
    def words(self) -> str:
        """What tables call the decision."""
        return self.decision + ("" if self.order == "given" else f", answers {self.order}")


STUDIES = (*(Asked(decision, names) for decision in DECISIONS for names in LISTS), Asked(*SWAPPED, "swapped"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print or write the tables; returns 0, or the code of the study that failed."""
    parser = argparse.ArgumentParser(prog="python -m research.judges", description=__doc__)
    parser.add_argument("--model", default="ask:lm:smollm2?question={decision}", help="%(default)s")
    parser.add_argument("--sample", type=int, default=24, help="notes of each decision (default: all 24)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the result folders")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{PAGE.name}")
    options = parser.parse_args(arguments)
    for study in STUDIES:
        place = options.out / study.folder
        what = ["--sentences", DECISIONS[study.decision], "--anchors", "slot", "--names", study.names]
        model = ["--model", options.model.format(decision=study.decision) + f"&order={study.order}"]
        size = ["--sample", str(options.sample), "--out", str(place)]
        if not place.is_dir() and (code := psa_core(["run", *what, *model, *size])):
            return int(code)
    text = "\n".join(section(options.out))
    if options.write:
        documents.write(PAGE, {SECTION: text})
    else:
        print(text)
    return 0


def section(folder: Path) -> Iterator[str]:
    """Lines of Markdown: how much names matter, groups with their floors, and what the judge says of itself."""
    cubes = {study: results.read(folder / study.folder) for study in STUDIES}
    yield "| decision | names | notes × names | mean P(Yes) | ScoreRange [95 %] |"
    yield "|---|---|---|---|---|"
    for study, cube in cubes.items():
        _, scores = cube.scores(study.decision)
        spread = tables.summary(cube)[study.decision]["score_range"]
        size = f"{scores.shape[0]} × {scores.shape[1]}"
        shown = f"{spread['value']:.3f} [{spread['low']:.3f}, {spread['high']:.3f}]"
        yield f"| {study.words} | {study.names} | {size} | {scores.mean():.3f} | {shown} |"
    yield "\n| decision | names | groups | difference [95 %] | noise floor | p (permuted names) | Holm |"
    yield "|---|---|---|---|---|---|---|"
    found = [
        (study, *_contrast(cube, study.decision, column))
        for study, cube in cubes.items()
        for column in COLUMNS
        if column in cube.names
    ]
    adjusted = stats.adjust([p for _, _, p in found], "holm")
    for (study, words, p), holm in zip(found, adjusted, strict=True):
        yield f"| {study.words} | {study.names} | {words} | {p:.3f} | {holm:.3f} |"
    yield "\n| names' mean P(Yes), one decision against another | names | correlation |"
    yield "|---|---|---|"
    for names in LISTS:
        means = {s.words: cube.scores(s.decision)[1].mean(axis=0) for s, cube in cubes.items() if s.names == names}
        for (one, first), (other, second) in combinations(means.items(), 2):
            yield f"| {one} · {other} | {names} | {np.corrcoef(first, second)[0, 1]:.2f} |"
    yield ""
    for study in (study for study in STUDIES if study.names == LISTS[0]):
        yield from (f"- {note}" for note in cubes[study].provenance["notes"] if note.startswith("asked"))


def _contrast(cube: ScoreCube, target: str, column: str) -> tuple[str, float]:
    """The first group against the other one, and its p: of two groups the second is the mirror of the first."""
    table = tables.group_table(cube, target, column)
    row, other = table.iloc[0], " and ".join(table["group"][1:])
    difference = f"{row['difference']:+.4f} [{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]"
    floor = f"{row['noise_low']:+.4f} to {row['noise_high']:+.4f}"
    return f"{row['group']} − {other} | {difference} | {floor}".replace("-0.", "−0."), float(row["p_noise"])


if __name__ == "__main__":
    sys.exit(main())
