"""Commands that list what is available, one row each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial

from psa_core import anchors, methods, models
from psa_core.cli._base import Command, print_rows
from psa_core.inputs import names
from psa_core.inputs.limits import LIMITS

Rows = Iterable[tuple[str, ...]]


def _anchors() -> Rows:
    for kind in anchors.plugins().values():
        argument = ": ".join(filter(None, [kind.argument, ", ".join(kind.choices)]))
        yield f"{kind.id}:<{argument}>" if argument else kind.id, kind.summary


def _models() -> Rows:
    yield from ((card.id, " ".join(target.name for target in card.targets), card.summary) for card in models.cards())
    loaded = (kind for kind in models.plugins().values() if kind.argument)
    yield from ((f"{kind.id}:<{kind.argument}>", "", kind.summary) for kind in loaded)


def _names() -> Rows:
    return ((item.id, str(item.count), ",".join(item.group_columns), item.title) for item in names.available())


LISTINGS: dict[str, tuple[str, Callable[[], Rows]]] = {
    "anchors": ("List the kinds of anchors.", _anchors),
    "limits": (
        "List the limits: environment variable, value, what it limits.",
        lambda: ((one.setting, one.words, one.what) for one in LIMITS),
    ),
    "methods": (
        "List the metrics: id, what it is computed for, what it says.",
        lambda: ((one.id, f"per {one.axis}", one.summary) for one in methods.plugins().values()),
    ),
    "models": ("List the models: id, targets, what it is.", _models),
    "names": ("List the packaged name lists: id, count, group columns, title.", _names),
}


def _execute(rows: Callable[[], Rows], _: argparse.Namespace) -> int:
    print_rows(rows())
    return 0


def commands() -> dict[str, Command]:
    """One command a listing."""
    return {
        name: Command(name, summary, lambda parser: None, partial(_execute, rows))
        for name, (summary, rows) in LISTINGS.items()
    }
