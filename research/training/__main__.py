"""``python -m research.training``; see :mod:`research.training.command`."""

from __future__ import annotations

from psa_core import signals


def _main() -> int:
    from research.training.command import main

    return main()


if __name__ == "__main__":
    signals.run(_main)
