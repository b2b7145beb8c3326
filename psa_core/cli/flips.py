"""``psa_core flips``: the flips of a result folder as labelled texts, to train on."""

from __future__ import annotations

from pathlib import Path

from psa_core.cli._base import FOLDER, Command
from psa_core.folders import results, writing
from psa_core.inputs import spreadsheet
from psa_core.options import option
from psa_core.plurals import counted
from psa_core.report import flips_file


def _execute(
    folder: Path = FOLDER,
    out: Path = option(metavar="FILE", help="csv, or jsonl for JSON lines"),
    target: str | None = option(None, metavar="NAME", help="target whose flips are written (default: the first)"),
    label_column: str = option(
        "",
        metavar="COLUMN",
        help="column of the sentences with their true labels (default: the model's own label without the name)",
    ),
) -> int:
    cube = results.read(folder)
    target = target or cube.targets[0].name
    rows = flips_file.training_rows(cube, target, label_column=label_column)
    with writing.atomic_file(out) as aside:
        if out.suffix == ".jsonl":
            aside.write_bytes(flips_file.json_lines(rows))
        else:
            spreadsheet.write_exactly(rows, aside)
    sentences = counted(rows["sentence_id"].nunique(), "sentence")
    print(f"{counted(len(rows), 'labelled text')} of {sentences} in {out}")
    return 0


COMMAND = Command("flips", "Write the flips of a result folder as labelled texts to train on.", _execute)
