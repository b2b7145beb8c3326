"""``psa_core cache``: show the size of the score store, or shrink it."""

from __future__ import annotations

import argparse

from psa_core.cache import ScoreCache
from psa_core.cli._base import MEGABYTE, Command, print_rows
from psa_core.errors import OptionError
from psa_core.plurals import counted

MAX_MEGABYTES = 1e9


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("info", "clear", "prune"), help="show, empty, or shrink it")
    parser.add_argument("--megabytes", type=float, help="size to which prune shrinks it (default: its limit)")


def _execute(options: argparse.Namespace) -> int:
    if options.megabytes is not None and not 0 < options.megabytes < MAX_MEGABYTES:
        raise OptionError(
            "--megabytes", got=str(options.megabytes), expected=f"a number above 0, below {MAX_MEGABYTES:g}"
        )
    store = ScoreCache.open()
    if options.action == "clear":
        print(f"{counted(store.clear(), 'score')} dropped")
    elif options.action == "prune":
        bound = None if options.megabytes is None else int(options.megabytes * MEGABYTE)
        print(f"{counted(store.prune(bound), 'score')} dropped, oldest first")
    info = store.info()
    size = f"{info.bytes / MEGABYTE:.1f} MB of at most {info.bound / MEGABYTE:.0f} MB"
    print_rows([("file", str(info.path)), ("scores", f"{info.scores:,}"), ("size", size)])
    return 0


COMMAND = Command("cache", "Show, empty or shrink the score cache.", _configure, _execute)
