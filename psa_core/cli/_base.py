"""The definition of a command, and options shared by commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

from psa_core import anchors
from psa_core.study import StudySpec


@dataclass(frozen=True)
class Command:
    """What each file in ``cli/`` defines as ``COMMAND``; `execute` returns the exit status."""

    id: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    execute: Callable[[argparse.Namespace], int]


def no_options(parser: argparse.ArgumentParser) -> None:
    """Configure a command that takes none."""


def print_rows(rows: Iterable[tuple[str, ...]]) -> None:
    """Print a table, one row a line, with columns aligned."""
    table = [tuple(" ".join(cell.split()) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def add_selection(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options that choose sentences, anchors and names."""
    parser.add_argument(
        "--sentences", metavar="FILE", required=required, help="csv, tsv, txt, jsonl, parquet or sample"
    )
    parser.add_argument("--text-column", metavar="COLUMN", help="column of the texts; found when not given")
    parser.add_argument(
        "--anchors", metavar="SPEC", default=anchors.default(), help="kind:argument, see `anchors`; %(default)s"
    )
    parser.add_argument("--names", metavar="LIST", required=required, help="an id from `names`, or a csv or text file")
    parser.add_argument("--name-column", metavar="COLUMN", help="column of the names; `name` when not given")
    parser.add_argument("--max-words", type=int, default=50, help="longest sentence taken (default 50)")
    parser.add_argument("--sample", type=int, default=1000, help="most sentences taken, drawn at random (default 1000)")
    parser.add_argument(
        "--balance",
        action=argparse.BooleanOptionalAction,
        help="as many female as male anchors (default: where every anchor has a gender and both occur)",
    )
    parser.add_argument(
        "--families",
        metavar="COLUMN",
        help="column of the sentences, such as author or thread, in which those that depend on each other are equal "
        "(default: near-copies are found)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of every random choice (default 0)")
    parser.add_argument("--mentions", choices=("first", "all"), default="first", help="which mentions are replaced")


def study_spec(options: argparse.Namespace, **overrides: str) -> StudySpec:
    """The spec that the options describe."""
    values = {item.name: getattr(options, item.name) for item in fields(StudySpec) if hasattr(options, item.name)}
    return StudySpec.from_mapping({**values, **overrides})
