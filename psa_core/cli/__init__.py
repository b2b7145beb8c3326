"""The command line: one file a command, found by :mod:`psa_core.registry`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psa_core import cli_errors
from psa_core.cache import CacheWarning
from psa_core.cli import _audits, _listings
from psa_core.registry import discover
from psa_core.signals import SENTENCE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0, 1 for a gate that failed, 2 for bad input, 130 when stopped."""
    options = parser().parse_args(arguments)
    execute: Callable[[argparse.Namespace], int] = options.execute
    named = f"psa {options.command}: "
    with _plain_warnings(named):
        return cli_errors.exit_status(lambda: execute(options), named=named, stopped=SENTENCE)


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    command_line = cli_errors.Parser(prog="psa", description="Perturbation Sensitivity Analysis of text classifiers.")
    commands = command_line.add_subparsers(dest="command", required=True, metavar="COMMAND")
    every = {**discover("psa_core.cli", "COMMAND"), **_listings.commands(), **_audits.commands()}
    for _, command in sorted(every.items()):
        sub = commands.add_parser(command.id, help=command.summary, description=command.summary)
        command.configure(sub)
        sub.set_defaults(execute=command.execute)
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
