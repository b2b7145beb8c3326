"""``python -m tests.mutation --count 120 --seed 0``: do the tests notice when a number or a sentence is wrong?"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mutation.operators import Mutant, mutants
from tests.mutation.running import Mutations, Outcome
from tests.test_doctests import FILES, module_of

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("stats", "tables", "claims", "audits", "metrics", "mitigate", "report", "folders", "study", "api")
#: Fast tests of the rooms, and of those next to them that rest on what the rooms say.
TESTS = (*ROOMS, "methods")
MARKED = "not slow and not gpu and not network and not browser"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
#: Share of the mutants that a test must notice.
MIN_SHARE = 0.9


def main() -> int:
    """Run the tests against a sample of mutants and print what they did not notice; 1 below the least share."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=120, help="mutants to draw, for each word; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="WORD", nargs="+", default=[""], help="files with a word in their path")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    started = time.time()
    every, chosen, listed = [], [], _equivalent()
    for word in options.only:
        found = [mutant for file in _files() if word in str(file) for mutant in mutants(file, ROOT)]
        candidates = [mutant for mutant in found if mutant.key not in listed]
        count = min(options.count or len(candidates), len(candidates))
        every, chosen = every + found, chosen + random.Random(options.seed).sample(candidates, count)
        print(f"{len(found)} mutants, {len(found) - len(candidates)} listed as equivalent, {count} drawn", flush=True)
    run = Mutations(ROOT, chosen, options.jobs, _tell)
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"TMPDIR": place, "OMP_NUM_THREADS": "1"}
        tempfile.tempdir = place
        options_of_pytest = ["-qq", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=mutation"]
        pytest.main([*options_of_pytest, "-m", MARKED, *_tests(_rooms(chosen, options.only))], plugins=[run])
    for test in run.broken:
        print(f"fails without a mutant, so it counts for nothing: {test}")
    return _summary(run.outcomes, {mutant.key for mutant in every}, listed, options.only, time.time() - started)


def _files() -> list[Path]:
    rooms = [ROOT / "psa_core" / room for room in ROOMS]
    return sorted(
        path for room in rooms for path in (room.rglob("*.py") if room.is_dir() else [room.with_suffix(".py")])
    )


def _rooms(chosen: Sequence[Mutant], only: Sequence[str]) -> Sequence[str]:
    """Rooms whose tests are run: of some files, those of these files alone, since a first run of all takes longest."""
    if not any(only):
        return TESTS
    return sorted({Path(mutant.file).parts[1].removesuffix(".py") for mutant in chosen})


def _tests(rooms: Sequence[str]) -> list[str]:
    """The tests of some rooms, and the examples in their docstrings."""
    places = [place for name in rooms for place in (ROOT / "tests" / name, ROOT / "tests" / f"test_{name}.py")]
    modules = [module_of(file) for file in FILES if file.relative_to(ROOT).with_suffix("").parts[1] in rooms]
    examples = [f"{ROOT / 'tests' / 'test_doctests.py'}::test_examples_are_true[{module}]" for module in modules]
    return [*(str(place) for place in places if place.exists()), *examples]


def _equivalent() -> dict[tuple[str, str, str, str], str]:
    """Mutants that no test can notice, each with the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return {(entry["file"], entry["function"], entry["before"], entry["after"]): entry["reason"] for entry in entries}


def _tell(outcome: Outcome) -> None:
    mutant = outcome.mutant
    if not outcome.killed_by:
        why = f"{outcome.tests} tests" if outcome.tests else "no test comes here"
        print(f"{mutant.file}:{mutant.line} {mutant.function}: {mutant.kind}, {why}")
        print(f"  - {mutant.before}\n  + {mutant.after}", flush=True)


def _summary(
    outcomes: list[Outcome], known: set[tuple[str, str, str, str]], listed: dict, only: list[str], seconds: float
) -> int:
    killed, total = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for outcome in outcomes:
        room = outcome.mutant.file.split("/")[1].removesuffix(".py")
        for group in (("room", room), ("change", outcome.mutant.kind), ("", "all")):
            total[group] += 1
            killed[group] += bool(outcome.killed_by)
    print("\n|        | of                  | mutants | noticed |      |\n|---|---|---|---|---|")
    for group in sorted(total, reverse=True):
        share = f"{killed[group] / total[group]:.0%}"
        print(f"| {group[0]:6} | {group[1]:19} | {total[group]:7} | {killed[group]:7} | {share:>4} |")
    for file, function, before, after in listed.keys() - known:
        if any(word in file for word in only):
            print(f"no longer there, take it out of {EQUIVALENT.name}: {file} {function}\n  - {before}\n  + {after}")
    print(f"{seconds:.0f} s")
    return int(killed["", "all"] < MIN_SHARE * total["", "all"])


if __name__ == "__main__":
    raise SystemExit(main())
