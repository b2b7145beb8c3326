"""Print the table."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module

PARTS = ("throughput", "families", "language", "cells", "page", "judges", "distances", "generation")


def main(parts: list[str]) -> None:
    """Measure the named parts, or all of them, and print each row as soon as it is known."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    from benchmarks.speed.table import machine, render

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PSA_CACHE_DIR"] = folder  # nothing that an earlier run remembered counts
        for part in parts or PARTS:
            for row in import_module(f"benchmarks.speed.{part}").rows():
                print(f"… {row.measure}: {row.got}", file=sys.stderr, flush=True)
                rows.append(row)
    print(f"{machine()}\n\n{render(rows)}")


if __name__ == "__main__":
    main(sys.argv[1:])
