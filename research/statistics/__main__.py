"""``python -m research.statistics``: measure whether the statistics keep their word."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from psa_core.errors import OptionError, PsaError
from research import documents
from research.statistics import page, power_table, run_checks, run_claims, unseen_jumps


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, 1 when a promise is not kept, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics", description=__doc__)
    parser.add_argument(
        "--repetitions",
        type=int,
        default=1000,
        help="simulated studies per promise (1000: about half an hour of one core)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="a Markdown page with marks, such as docs/statistics.md"
    )
    options = parser.parse_args(arguments)
    try:
        return _measure(options)
    except PsaError as error:
        print(error, file=sys.stderr)
        return 2


def _measure(options: argparse.Namespace) -> int:
    if options.repetitions < 2:
        raise OptionError("--repetitions", got=str(options.repetitions), expected="at least 2")
    if options.out:
        documents.require(options.out, [page.SECTION])
    checks = []
    for check in run_checks(options.repetitions, seed=options.seed):
        checks.append(check)
        print(f"{check.measured:7.2%}  {check.claim}, {check.setting}", file=sys.stderr)
    claims = []
    for row in run_claims(max(2, options.repetitions // 5), seed=options.seed):
        claims.append(row)
        print(f"{'holds' if row.holds else 'BROKEN':7}  {row.scorer}, {row.sentences:,} sentences", file=sys.stderr)
    jumps = {size: unseen_jumps(size, 10 * options.repetitions) for size in (12, 30, 100, 300, 1000)}
    power = power_table(max(2, options.repetitions // 10), seed=options.seed)
    tables = page.markdown(checks, power, claims, jumps)
    if options.out:
        documents.write(options.out, {page.SECTION: tables})
    else:
        print(tables, end="")
    return 0 if all(kept.holds for kept in [*checks, *claims]) else 1


if __name__ == "__main__":
    sys.exit(main())
