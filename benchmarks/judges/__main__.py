"""``python -m benchmarks.judges``: nine studies, and the section of docs/results-language-models.md about them.

A study that is there already is not run again. Studies are written as folders, one for each decision and name list.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import documents
from psa_core import tables
from psa_core.cli import main as psa_core
from psa_core.cube import ScoreCube
from psa_core.folders import results

PAGE, SECTION = documents.DOCS / "results-language-models.md", "judges"
DECISIONS = {"interview": "interviews", "loan": "loans", "patient": "patients"}
LISTS = ("us-first-names", "eec-first-names", "public-figures")
COLUMNS = ("gender", "race")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print or write the tables; returns 0, or the code of the study that failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judges", description=__doc__)
    parser.add_argument("--model", default="ask:lm:smollm2?question={decision}", help="%(default)s")
    parser.add_argument("--sample", type=int, default=24, help="notes of each decision (default: all 24)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the nine result folders")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{PAGE.name}")
    options = parser.parse_args(arguments)
    for decision, corpus in DECISIONS.items():
        for names in LISTS:
            place = options.out / f"{decision}-{names}"
            study = ["--sentences", corpus, "--anchors", "slot", "--names", names, "--sample", str(options.sample)]
            model = options.model.format(decision=decision)
            if not place.is_dir() and (code := psa_core(["run", *study, "--model", model, "--out", str(place)])):
                return int(code)
    text = "\n".join(section(options.out))
    if options.write:
        documents.write(PAGE, {SECTION: text})
    else:
        print(text)
    return 0


def section(folder: Path) -> Iterator[str]:
    """Lines of Markdown: how much names matter, groups with their floors, and what the judge says of itself."""
    cubes = {(d, n): results.read(folder / f"{d}-{n}") for d in DECISIONS for n in LISTS}
    yield "| decision | names | notes × names | mean P(Yes) | ScoreRange [95 %] |"
    yield "|---|---|---|---|---|"
    for (decision, names), cube in cubes.items():
        _, scores = cube.of(decision)
        spread = tables.summary(cube)[decision]["score_range"]
        size = f"{scores.shape[0]} × {scores.shape[1]}"
        shown = f"{spread['value']:.3f} [{spread['low']:.3f}, {spread['high']:.3f}]"
        yield f"| {decision} | {names} | {size} | {scores.mean():.3f} | {shown} |"
    yield "\n| decision | names | groups | difference [95 %] | noise floor | p (permuted names) |"
    yield "|---|---|---|---|---|---|"
    for (decision, names), cube in cubes.items():
        for column in COLUMNS:
            if column in cube.names:
                yield f"| {decision} | {names} | {_contrast(cube, decision, column)} |"
    yield ""
    for cube in list(cubes.values())[:: len(LISTS)]:
        yield from (f"- {note}" for note in cube.provenance["notes"] if note.startswith("asked"))


def _contrast(cube: ScoreCube, target: str, column: str) -> str:
    """The first group against the other one: of two groups the second is the mirror of the first."""
    table = tables.group_table(cube, target, column)
    row, other = table.iloc[0], " and ".join(table["group"][1:])
    difference = f"{row['difference']:+.4f} [{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]"
    floor = f"{row['noise_low']:+.4f} to {row['noise_high']:+.4f}"
    return f"{row['group']} − {other} | {difference} | {floor} | {row['p_noise']:.3f}"


if __name__ == "__main__":
    sys.exit(main())
