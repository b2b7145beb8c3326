"""The command line: one file a command, found by :mod:`psa_core.registry`; one for each audit, and the listings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psa_core import anchors, methods, models
from psa_core.cache import CacheWarning
from psa_core.cli import _audits
from psa_core.cli._base import Command, print_rows
from psa_core.inputs import names
from psa_core.inputs.limits import LIMITS
from psa_core.registry import discover
from psa_core.signals import SENTENCE, Parser, exit_status

Rows = Iterable[tuple[str, ...]]


def _anchors() -> Rows:
    for kind in anchors.plugins().values():
        argument = ": ".join(filter(None, [kind.argument, ", ".join(kind.choices)]))
        yield f"{kind.id}:<{argument}>" if argument else kind.id, kind.summary


def _models() -> Rows:
    yield from ((card.id, " ".join(target.name for target in card.targets), card.summary) for card in models.cards())
    loaded = (kind for kind in models.plugins().values() if kind.argument)
    yield from ((f"{kind.id}:<{kind.argument}>", "", kind.summary) for kind in loaded)


def _listing(name: str, summary: str, rows: Callable[[], Rows]) -> Command:
    return Command(name, summary, lambda: print_rows(rows()))


LISTINGS = (
    _listing("anchors", "List the kinds of anchors.", _anchors),
    _listing(
        "limits",
        "List the limits: environment variable, value, what it limits.",
        lambda: ((one.setting, one.words, one.what) for one in LIMITS),
    ),
    _listing(
        "methods",
        "List the metrics: id, what it is computed for, what it says.",
        lambda: ((one.id, f"per {one.axis}", one.summary) for one in methods.plugins().values()),
    ),
    _listing("models", "List the models: id, targets, what it is.", _models),
    _listing(
        "names",
        "List the packaged name lists: id, count, group columns, title.",
        lambda: ((one.id, str(one.count), ",".join(one.group_columns), one.title) for one in names.available()),
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0, 1 for a gate that failed, 2 for bad input, 130 when stopped."""
    options = parser().parse_args(arguments)
    command: Command = options.command
    named = f"psa {command.id}: "
    with _plain_warnings(named):
        return exit_status(lambda: command.run(options), named=named, stopped=SENTENCE)


def parser() -> Parser:
    """Every command with its options."""
    command_line = Parser(prog="psa", description="Perturbation Sensitivity Analysis of text classifiers.")
    commands = command_line.add_subparsers(required=True, metavar="COMMAND")
    every = [*discover("psa_core.cli", "COMMAND").values(), *LISTINGS, *_audits.commands().values()]
    for command in sorted(every, key=lambda each: each.id):
        sub = commands.add_parser(command.id, help=command.summary, description=command.summary)
        command.configure(sub)
        sub.set_defaults(command=command)
    return command_line


@contextmanager
def _plain_warnings(named: str) -> Iterator[None]:
    """What the store of scores warns of is one sentence on standard error, without a line of code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", CacheWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, CacheWarning):
                print(f"{named}{message}.", file=sys.stderr)
            else:
                others(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]
        yield
