"""``python -m research.results``: run the studies of ``docs/results.md`` and write its measured sections."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from psa_core.errors import PsaError
from research import documents
from research.results import studies
from research.results.page import measured

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "results.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    parser = argparse.ArgumentParser(prog="python -m research.results", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the corpora")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "results", help="folder for the studies' inputs")
    for part, default in asdict(studies.Size()).items():
        parser.add_argument(
            f"--{part}", type=int, default=default, help=f"sentences of these models (default {default})"
        )
    parser.add_argument("--write", action="store_true", help="write docs/results.md; else print the sections")
    options = parser.parse_args(arguments)
    try:
        found = []
        for one in studies.run(options.data, options.work, studies.Size(options.plain, options.adapters)):
            found.append(one)
            print(f"{one.model} on {one.source.id}: {one.cube.shape}", file=sys.stderr, flush=True)
        parts = measured(found, options.data)
        if options.write:
            documents.write(PAGE, parts)
    except (PsaError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    if not options.write:
        print("\n\n".join(f"## {name}\n\n{text}" for name, text in parts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
