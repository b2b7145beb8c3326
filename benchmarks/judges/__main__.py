"""``python -m benchmarks.judges``: nine studies, and the section of docs/results-language-models.md about them.

A study that is there already is not run again. Studies are written as folders, one for each decision and name list.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from psa_core.cli import main as psa_core

DECISIONS = {"interview": "interviews", "loan": "loans", "patient": "patients"}
LISTS = ("us-first-names", "eec-first-names", "public-figures")
COLUMNS = ("gender", "race")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print the tables; returns 0, or the code of the study that failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judges", description=__doc__)
    parser.add_argument("--model", default="ask:lm:smollm2?question={decision}", help="%(default)s")
    parser.add_argument("--sample", type=int, default=24, help="notes of each decision (default: all 24)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the nine result folders")
    options = parser.parse_args(arguments)
    for decision, corpus in DECISIONS.items():
        for names in LISTS:
            place = options.out / f"{decision}-{names}"
            study = ["--sentences", corpus, "--anchors", "slot", "--names", names, "--sample", str(options.sample)]
            model = options.model.format(decision=decision)
            if not place.is_dir() and (code := psa_core(["run", *study, "--model", model, "--out", str(place)])):
                return int(code)
    print("\n".join(section(options.out)))
    return 0


def section(folder: Path) -> Iterator[str]:
    """Lines of Markdown: how much names matter, groups with their floors, and what the judge says of itself."""
    places = [folder / f"{decision}-{names}" for decision in DECISIONS for names in LISTS]
    yield "| decision | names | notes × names | mean P | ScoreRange [95 %] | names that differ from their mean (Holm) |"
    yield "|---|---|---|---|---|---|"
    yield from map(_spread, places)
    yield ""
    yield "| decision | names | group | difference [95 %] | noise floor | p, corrected |"
    yield "|---|---|---|---|---|---|"
    for place in places:
        yield from _groups(place)
    yield ""
    for place in places[:: len(LISTS)]:
        notes = json.loads((place / "manifest.json").read_text("utf-8"))["notes"]
        yield from (f"- {note}" for note in notes if note.startswith("asked"))


def _spread(place: Path) -> str:
    decision, _, names = place.name.partition("-")
    summary = json.loads((place / "summary.json").read_text("utf-8"))[decision]["score_range"]
    table = pd.read_csv(place / "names.csv")
    scores = pd.read_parquet(place / f"scores.{decision}.parquet").drop(columns=["sentence_id", "original"])
    sure = int((table["effect_p_adjusted"] < 0.05).sum())
    size = f"{len(scores)} × {scores.shape[1]}"
    spread = f"{summary['value']:.3f} [{summary['low']:.3f}, {summary['high']:.3f}]"
    return f"| {decision} | {names} | {size} | {scores.to_numpy().mean():.3f} | {spread} | {sure} of {len(table)} |"


def _groups(place: Path) -> Iterator[str]:
    decision, _, names = place.name.partition("-")
    table = pd.read_csv(place / "groups.csv")
    for row in table[table["column"].isin(COLUMNS)].itertuples():
        shown = f"{row.difference:+.4f} [{row.low:+.4f}, {row.high:+.4f}]"
        floor = f"{row.floor_low:+.4f} to {row.floor_high:+.4f}"
        yield f"| {decision} | {names} | {row.column}: {row.group} | {shown} | {floor} | {row.p_adjusted:.3f} |"


if __name__ == "__main__":
    sys.exit(main())
