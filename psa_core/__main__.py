"""``python -m psa_core``: see :mod:`psa_core.cli`; a run's worker is told by its environment what to do."""

import os

from psa_core import stopping


def _main() -> int:
    from psa_core.cli import main

    if "PSA_JOB" not in os.environ:
        return main()
    from psa_core.jobs import worker

    with worker.process() as arguments:
        return main(arguments)


stopping.run(_main)
