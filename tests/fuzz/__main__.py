"""``python -m tests.fuzz --cases 1000000 --seed 7``: the damaged inputs of the test suite, as many as you like."""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

from psa_core.inputs import bounded
from tests.fuzz.loaders import loaders
from tests.fuzz.running import run


def main() -> int:
    """Run the cases and print what became of them; 1 when one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="WORD", default="", help="readers with this word in their name")
    parser.add_argument("--apart", type=float, default=0.05, help="share that is read in processes with limits")
    options = parser.parse_args()
    failures: list[str] = []
    in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=in_memory) as place:
        os.environ |= {"PSA_RUNS_DIR": f"{place}/runs", "PSA_CACHE_DIR": f"{place}/cache", "HF_HUB_OFFLINE": "1"}
        for name, (share, _) in loaders(Path(place)).items():
            if options.only not in name:
                continue
            started = time.monotonic()
            outcome = run(name, options.cases * share // 100, options.seed, Path(place), options.apart)
            took = f"{time.monotonic() - started:.0f} s, slowest {outcome.slowest:.2f} s"
            print(f"{name:20} {dict(outcome.counts)}, {took}", flush=True)
            failures += outcome.failures
    print(_spent())
    print("\n".join(failures[:50]) or "Each was read, or refused in one sentence.")
    return int(bool(failures))


def _spent() -> str:
    """Processor time, and memory of the largest process, once the processes that read have ended."""
    bounded._end_all()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    return f"{seconds:.0f} s of processor time; largest process {max(one.ru_maxrss for one in used) / 1024:.0f} MB"


if __name__ == "__main__":
    raise SystemExit(main())
