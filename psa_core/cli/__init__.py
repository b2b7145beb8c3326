"""The command line: one file a command, found by :mod:`psa_core.registry`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from psa_core.cache import CacheWarning
from psa_core.errors import PsaError
from psa_core.registry import discover
from psa_core.stopping import EXIT_INTERRUPTED, SENTENCE

EXIT_BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage text before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns
    -------
    int
        Exit status: 0, 1 for a gate that failed, 2 for bad input, 130 when stopped (one sentence on standard error).
    """
    options = parser().parse_args(arguments)
    execute: Callable[[argparse.Namespace], int] = options.execute
    try:
        with _plain_warnings(options.command):
            return execute(options)
    except PsaError as error:
        print(f"psa_core {options.command}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print(f"psa_core {options.command}: {SENTENCE}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a listing has seen enough
        sys.stderr.close()
        return 0


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    whole = _Parser(prog="psa_core", description="Perturbation Sensitivity Analysis of text classifiers.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in discover("psa_core.cli", "COMMAND").values():
        sub = commands.add_parser(command.id, help=command.summary, description=command.summary)
        command.configure(sub)
        sub.set_defaults(execute=command.execute)
    return whole


@contextmanager
def _plain_warnings(command: str) -> Iterator[None]:
    """What the store of scores warns of is one sentence on standard error, without a line of code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", CacheWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, CacheWarning):
                print(f"psa_core {command}: {message}.", file=sys.stderr)
            else:
                others(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]
        yield
