"""``python -m psa_core``: see :mod:`psa_core.cli`."""

from psa_core import stopping


def _main() -> int:
    from psa_core.cli import main

    return main()


stopping.run(_main)
