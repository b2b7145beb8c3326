"""``psa_core sentences``: which sentences a study takes, and why not the others."""

from __future__ import annotations

import argparse
from pathlib import Path

from psa_core.cli._base import Command, add_selection
from psa_core.errors import in_short
from psa_core.folders.writing import atomic_file
from psa_core.inputs import spreadsheet
from psa_core.plurals import counted
from psa_core.study import review
from psa_core.study.selection import SelectionOptions

OPTIONS = SelectionOptions.__dataclass_fields__.keys()
SHOWN = 80


def _configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser, names=False)
    parser.add_argument("--find", metavar="WORDS", help="only sentences with these words, or with this sentence_id")
    parser.add_argument("--out", metavar="FILE.csv", type=Path, help="write them to a file, with their full texts")


def _execute(options: argparse.Namespace) -> int:
    chosen = {name: value for name, value in vars(options).items() if name in OPTIONS}
    table = review(options.sentences, anchors=options.anchors, text_column=options.text_column, **chosen)
    taken = int(table["taken"].sum())
    total = counted(len(table), "sentence")
    if options.find:
        is_meant = table["text"].str.contains(options.find, case=False, regex=False)
        table = table[is_meant | (table["sentence_id"] == options.find)]
    if options.out:
        with atomic_file(options.out) as file:
            spreadsheet.write(table, file)
    else:
        for row in table.itertuples(index=False):
            outcome = "taken" if row.taken else f"not taken: {row.reason} {row.what_to_do}"
            print(f"{row.sentence_id}  {in_short(row.text, SHOWN)}\n    {outcome}")
    where = f" {counted(len(table), 'sentence')} in {options.out}." if options.out else ""
    print(f"{taken:,} of {total} taken.{where}")
    return 0


COMMAND = Command("sentences", "Show which sentences a study uses, and why not the others.", _configure, _execute)
