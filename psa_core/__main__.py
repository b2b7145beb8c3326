"""Entry point of ``python -m psa_core``; see :mod:`psa_core.cli`."""

import os
import sys
from typing import NoReturn

from psa_core import signals


def _main() -> int:
    from psa_core.trust import sandbox

    sandbox.enter()
    from psa_core.cli import main

    if "PSA_JOB" not in os.environ:
        return main()
    from psa_core.jobs import worker

    with worker.process() as arguments:
        return main(arguments)


def program() -> NoReturn:
    """What ``python -m psa_core`` and the command ``psa`` are."""
    signals.run(_main)


def dashboard() -> NoReturn:
    """What ``uvx psa-dashboard`` starts: ``psa app``, with its options."""
    sys.argv.insert(1, "app")
    program()


if __name__ == "__main__":
    program()
