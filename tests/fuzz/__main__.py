"""``python -m tests.fuzz --cases 1000000 --seed 7``: the damaged inputs of the test suite, as many as you like."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from tests.fuzz.loaders import loaders
from tests.fuzz.running import run


def main() -> int:
    """Run the cases and print what became of them; 1 when one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="WORD", default="", help="readers with this word in their name")
    options = parser.parse_args()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"PSA_RUNS_DIR": f"{place}/runs", "PSA_CACHE_DIR": f"{place}/cache", "HF_HUB_OFFLINE": "1"}
        for name, (share, _) in loaders(Path(place)).items():
            if options.only not in name:
                continue
            started = time.perf_counter()
            outcome = run(name, options.cases * share // 100, options.seed, Path(place))
            seconds = time.perf_counter() - started
            print(f"{name:20} {dict(outcome.counts)}, {seconds:.0f} s, slowest {outcome.slowest:.2f} s", flush=True)
            failures += outcome.failures
    print("\n".join(failures[:50]) or "Each was read, or refused in one sentence.")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
