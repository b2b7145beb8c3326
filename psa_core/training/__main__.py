"""``python -m psa_core.training``; see :mod:`psa_core.training.command`."""

from __future__ import annotations

from psa_core import stopping


def _main() -> int:
    from psa_core.training.command import main

    return main()


if __name__ == "__main__":
    stopping.run(_main)
