"""``psa_core cache``: show the size of the score store, or shrink it."""

from __future__ import annotations

from psa_core.cache import ScoreCache
from psa_core.cli._base import MEGABYTE, Command, print_rows
from psa_core.options import option
from psa_core.plurals import counted


def _execute(
    action: str = option(flag="action", choices=("info", "clear", "prune"), help="show, empty, or shrink it"),
    megabytes: float | None = option(
        None, above=0, high=1e9, help="size to which prune shrinks it (default: its limit)"
    ),
) -> int:
    store = ScoreCache.open()
    if action == "clear":
        print(f"{counted(store.clear(), 'score')} dropped")
    elif action == "prune":
        bound = None if megabytes is None else int(megabytes * MEGABYTE)
        print(f"{counted(store.prune(bound), 'score')} dropped, oldest first")
    info = store.info()
    size = f"{info.bytes / MEGABYTE:.1f} MB of at most {info.bound / MEGABYTE:.0f} MB"
    print_rows([("file", str(info.path)), ("scores", f"{info.scores:,}"), ("size", size)])
    return 0


COMMAND = Command("cache", "Show, empty or shrink the score cache.", _execute)
