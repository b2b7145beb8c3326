"""What is left when something is killed, filled up or damaged in the middle of a study: ``python -m research.kills``.

Each line of the table is one trial of a small study with a slow scorer, in folders of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from research import documents
from research.kills.cases import INSIDE, Row, inside, language_model, rows

DOCUMENT, SECTION = documents.DOCS / "kills.md", "kills"
HEADINGS = ("killed or damaged", "when", "what is read", "kept scores lost", "result equal bit for bit")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try everything; returns the exit code: 0, or 1 when a result differs or kept scores were lost."""
    parser = argparse.ArgumentParser(prog="python -m research.kills", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/kills.md")
    parser.add_argument("--language-model", action="store_true", help="only the audit of a language model")
    parser.add_argument("--inside", nargs=3, metavar=("CASE", "PLACE", "RESULT"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        name, place, reference = options.inside
        print(inside(name, Path(place), Path(reference)))
        return 0 if name in INSIDE else 2
    found = []
    with tempfile.TemporaryDirectory() as place:
        for row in [language_model(Path(place) / "audit")] if options.language_model else rows(Path(place)):
            found.append(row)
            print(_line(row), file=sys.stderr, flush=True)
    if options.write:
        here = documents.section(DOCUMENT.read_text("utf-8"), SECTION)
        documents.write(DOCUMENT, {SECTION: _renewed(here, found) if options.language_model else markdown(found)})
    else:
        print(markdown(found))
    return 0 if all(row.same and not row.again for row in found) else 1


def markdown(found: Sequence[Row]) -> str:
    """The table."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|", *map(_line, found)]
    return "\n".join(lines) + "\n"


def _renewed(table: str, found: Sequence[Row]) -> str:
    """A table with the lines of these trials in the place of their earlier ones, or at its end."""
    lines = [*table.splitlines(), *map(_line, found)]
    return "\n".join({tuple(line.split(" | ")[:2]): line for line in lines}.values()) + "\n"


def _line(row: Row) -> str:
    again = "–" if row.again is None else str(row.again)
    seen = row.seen.replace("|", "\\|").replace("\n", " ")
    return f"| {row.what} | {row.when} | {seen} | {again} | {'yes' if row.same else '**no**'} |"


if __name__ == "__main__":
    sys.exit(main())
