"""``psa_core names``."""

from __future__ import annotations

import argparse

from psa_core.cli._base import Command, no_options, print_rows
from psa_core.inputs import names


def _execute(_: argparse.Namespace) -> int:
    print_rows((item.id, str(item.count), ",".join(item.group_columns), item.title) for item in names.available())
    return 0


COMMAND = Command("names", "List the packaged name lists: id, count, group columns, title.", no_options, _execute)
