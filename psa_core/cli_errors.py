"""Errors of commands: whatever a user can fix is one sentence on standard error, and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from psa_core.errors import PsaError, in_short
from psa_core.signals import EXIT_INTERRUPTED

EXIT_BAD_INPUT = 2


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage text before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {in_short(message)}. See {self.prog} --help.\n")


def exit_status(work: Callable[[], int], *, named: str = "", stopped: str) -> int:
    """Do a command's work; returns its exit status, or that of what came between.

    Parameters
    ----------
    work : callable
        Returns 0, or 1 for a gate that failed.
    named : str
        What stands before each sentence: ``psa run: ``.
    stopped : str
        What is said after Ctrl-C.

    Returns
    -------
    int
        What `work` returns, 2 for bad input and for files that cannot be read or written, 130 when stopped.
    """
    try:
        status = work()
        print(end="", flush=True)  # there may be no standard output
        return status
    except PsaError as error:
        print(f"{named}{error.with_option}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{named}{stopped}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a listing has seen enough
        _let_go_of_output()
        return 0
    except OSError as error:
        _let_go_of_output()
        what = f"{os.fspath(error.filename)!r}" if error.filename else "a file"
        print(f"{named}{in_short(what)}: {error.strerror or type(error).__name__}.", file=sys.stderr)
    return EXIT_BAD_INPUT


def _let_go_of_output() -> None:
    """Discard what is still to be written to standard output, so that Python does not complain as it exits."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (AttributeError, OSError, ValueError):  # no stream, or one without a file, as a test has
        pass
