"""``psa_core limits``."""

from __future__ import annotations

import argparse

from psa_core.cli._base import Command, no_options, print_rows
from psa_core.inputs.limits import LIMITS


def _execute(_: argparse.Namespace) -> int:
    print_rows((limit.setting, limit.words, limit.what) for limit in LIMITS)
    return 0


COMMAND = Command(
    "limits", "List the limits: setting (an environment variable), value, what for.", no_options, _execute
)
