"""``psa_core texts``: the texts of a study, to be scored elsewhere and read back as ``predictions:FILE``."""

from __future__ import annotations

import argparse
from pathlib import Path

from psa_core.cli._base import Command, add_selection, study_spec, tell_left_out
from psa_core.folders.writing import atomic_file
from psa_core.study import plan, preview


def _configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser)
    parser.add_argument("--out", metavar="FILE.csv", required=True, type=Path, help="where the texts go")


def _execute(options: argparse.Namespace) -> int:
    planned = plan(study_spec(options, model="none"))
    with atomic_file(options.out) as file, file.open("w", encoding="utf-8", newline="") as stream:
        preview.write(planned, stream)
    for note in planned.corpus.notes:
        print(f"Note: {note}")
    tell_left_out(planned.selection)
    print(f"{planned.cells + len(planned.selection.sentences)} texts in {options.out}")
    return 0


COMMAND = Command("texts", "Write the texts of a study to a CSV, to score them elsewhere.", _configure, _execute)
