"""The definition of a command, and options shared by commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from psa_core import anchors, options
from psa_core.options import option
from psa_core.plurals import counted
from psa_core.study import StudySpec
from psa_core.study.selection import NOT_BALANCED, Selection

MEGABYTE = 2**20
#: The options of a study about what is scored, and those about its sentences alone.
WITHOUT_MODEL = tuple(name for name in options.fields_of(StudySpec) if name != "model")
SENTENCES = tuple(name for name in WITHOUT_MODEL if name not in ("names", "name_column"))
#: Options of several commands: the result that one is about, and the folder of a worker process that does it.
FOLDER: Any = option(flag="folder", metavar="DIR", help="a result folder of `run`")
JOB: Any = option(None, help=argparse.SUPPRESS)


@dataclass(frozen=True)
class Command:
    """What each file in ``cli/`` defines as ``COMMAND``.

    Its options are the parameters of `execute`, which returns the exit status, and fields of a specification: `only`
    some of them, and those without a default `needed`. `execute` takes these first, by their names. `more` adds what
    cannot be declared.
    """

    id: str
    summary: str
    execute: Callable[..., int]
    spec: type | None = None
    only: Collection[str] | None = None
    needed: bool = True
    more: Callable[[argparse.ArgumentParser], None] = lambda parser: None

    def configure(self, parser: argparse.ArgumentParser) -> None:
        if self.spec:
            options.add_arguments(parser, self.spec, self.only, required=self.needed)
        options.add_arguments(parser, self.execute)
        self.more(parser)

    def run(self, parsed: argparse.Namespace) -> int:
        values = {name: value for name, value in vars(parsed).items() if name != "command"}
        own = options.fields_of(self.execute)
        values |= {name: item.checked(values[name]) for name, item in own.items()}
        if self.spec is None:
            return self.execute(**values)
        given = {name: values.pop(name) for name in options.fields_of(self.spec) if name in values}
        return self.execute(given, **values)


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


def tell_left_out(selection: Selection) -> None:
    """Say how many texts are left out and why, and how many by balancing: of a small file they are a large part."""
    reasons = [f"{count:,} {reason}" for reason, count in selection.skipped.items()]
    if reasons:
        advice = [anchors.REASONS[reason][1] for reason in selection.skipped if reason in anchors.REASONS]
        if any(reason in anchors.CHOOSABLE for reason in selection.skipped):
            advice.append("`psa sentences --out FILE.csv` lists whom each is about; edited, it goes to --subjects.")
        print(" ".join([f"Note: texts left out: {', '.join(reasons)}.", *advice]))
    left = selection.account.get(NOT_BALANCED, 0)
    if left:
        print(
            f"Note: {left:,} of {counted(selection.eligible, 'eligible sentence')} left out so that female and male "
            "anchors are equally common; --no-balance keeps them."
        )
