"""The definition of a command, and options shared by commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from psa_core import anchors, options
from psa_core.plurals import counted
from psa_core.study import StudySpec
from psa_core.study.selection import NOT_BALANCED, Selection

MEGABYTE = 2**20


@dataclass(frozen=True)
class Command:
    """What each file in ``cli/`` defines as ``COMMAND``; `execute` returns the exit status."""

    id: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    execute: Callable[[argparse.Namespace], int]


def tell(message: str) -> None:
    """Say what is being done, where somebody may be looking."""
    if sys.stderr.isatty():
        print(message, file=sys.stderr)


def print_rows(rows: Iterable[tuple[str, ...]]) -> int:
    """Print a table, one row a line, with columns aligned; returns the exit status."""
    table = [tuple(" ".join(cell.split()) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def add_selection(parser: argparse.ArgumentParser, *, required: bool = True, names: bool = True) -> None:
    """Add the options that choose sentences, anchors and, with `names`, the names."""
    left_out = {"model"} if names else {"model", "names", "name_column"}
    selection = [name for name in options.fields_of(StudySpec) if name not in left_out]
    options.add_arguments(parser, StudySpec, selection, required=required)


def study_spec(given: argparse.Namespace, **others: str) -> StudySpec:
    """The spec that the options describe; `others` are fields that are not among them."""
    return options.from_arguments(StudySpec, given, **others)


def tell_left_out(selection: Selection) -> None:
    """Say how many texts are left out and why, and how many by balancing: of a small file they are a large part."""
    reasons = [f"{count:,} {reason}" for reason, count in selection.skipped.items()]
    if reasons:
        advice = [anchors.REASONS[reason][1] for reason in selection.skipped if reason in anchors.REASONS]
        print(" ".join([f"Note: texts left out: {', '.join(reasons)}.", *advice]))
    left = selection.account.get(NOT_BALANCED, 0)
    if left:
        print(
            f"Note: {left:,} of {counted(selection.eligible, 'eligible sentence')} left out so that female and male "
            "anchors are equally common; --no-balance keeps them."
        )
