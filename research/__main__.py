"""How fast the scoring core is: ``python -m research``, or some parts only: ``python -m research cells page``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from importlib import import_module

PARTS = ("throughput", "families", "language", "cells", "page", "start", "judges", "distances", "generation")
#: What only some machines can measure: to be named.
ELSEWHERE = ("gpu",)
#: Of the page, where each part has its own table.
SECTIONS = {part: f"speed-{part}" for part in PARTS + ELSEWHERE}


def main() -> None:
    """Measure, print each row as soon as it is known, then a table a part; ``--write``: into docs/performance.md."""
    parser = argparse.ArgumentParser(prog="python -m research", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)} (default: all), or gpu")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    options = parser.parse_args()
    if unknown := sorted(set(options.parts) - set(SECTIONS)):
        parser.error(f"got {unknown[0]}, expected parts of {', '.join(SECTIONS)}")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    from research.documents import PERFORMANCE, write
    from research.speed.table import machine, render

    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PSA_CACHE_DIR"] = folder  # nothing that an earlier run remembered counts
        for part in options.parts or PARTS:
            rows = []
            for row in import_module(f"research.speed.{part}").rows():
                print(f"… {row.measure}: {row.got}", file=sys.stderr, flush=True)
                rows.append(row)
            tables[SECTIONS[part]] = f"{machine()}.\n\n{render(rows)}"
    print("\n\n".join(tables.values()))
    if options.write:
        write(PERFORMANCE, tables)


if __name__ == "__main__":
    main()
