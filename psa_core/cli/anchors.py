"""``psa_core anchors``."""

from __future__ import annotations

import argparse

from psa_core import anchors
from psa_core.anchors import AnchorPlugin
from psa_core.cli._base import Command, no_options, print_rows


def _execute(_: argparse.Namespace) -> int:
    print_rows((_specification(kind), kind.summary) for kind in anchors.plugins().values())
    return 0


def _specification(kind: AnchorPlugin) -> str:
    argument = ": ".join(filter(None, [kind.argument, ", ".join(kind.choices)]))
    return f"{kind.id}:<{argument}>" if argument else kind.id


COMMAND = Command("anchors", "List the kinds of anchors.", no_options, _execute)
