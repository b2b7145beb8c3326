"""``psa_core flips``: the flips of a result folder as labelled texts, to train on."""

from __future__ import annotations

import argparse
from pathlib import Path

from psa_core.cli._base import Command
from psa_core.folders import results, writing
from psa_core.inputs import spreadsheet
from psa_core.plurals import counted
from psa_core.report import flips_file


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder of `run`")
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="csv, or jsonl for JSON lines")
    parser.add_argument("--target", metavar="NAME", help="target whose flips are written (default: the first)")
    parser.add_argument(
        "--label-column",
        metavar="COLUMN",
        default="",
        help="column of the sentences with their true labels (default: the model's own label without the name)",
    )


def _execute(options: argparse.Namespace) -> int:
    cube = results.read(options.folder)
    target = options.target or cube.targets[0].name
    rows = flips_file.training_rows(cube, target, label_column=options.label_column)
    with writing.atomic_file(options.out) as aside:
        if options.out.suffix == ".jsonl":
            aside.write_bytes(flips_file.json_lines(rows))
        else:
            spreadsheet.write_exactly(rows, aside)
    sentences = counted(rows["sentence_id"].nunique(), "sentence")
    print(f"{counted(len(rows), 'labelled text')} of {sentences} in {options.out}")
    return 0


COMMAND = Command("flips", "Write the flips of a result folder as labelled texts to train on.", _configure, _execute)
