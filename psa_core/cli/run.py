"""``psa run``: run a study and write its result folder."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from psa_core import study, tables
from psa_core.cache import ScoreCache
from psa_core.claims.answers import unanswered_finding
from psa_core.claims.findings import floor_finding
from psa_core.cli import _from_manifest as from_manifest
from psa_core.cli._base import Command, add_selection, study_spec, tell_left_out
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.jobs import worker
from psa_core.options import add_arguments
from psa_core.plurals import counted
from psa_core.scoring import Progress, ScoringOptions
from psa_core.study import StudySpec, preview

NEEDED = ("sentences", "names", "model", "out")


def _configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser, required=False)
    add_arguments(parser, StudySpec, ("model",), required=False)
    parser.add_argument("--out", metavar="DIR", type=Path, help="result folder, new or empty")
    from_manifest.add_options(parser)
    parser.add_argument("--no-cache", action="store_true", help="score every text again, and keep no scores")
    parser.add_argument(
        "--precision",
        choices=("exact", "fast"),
        default="exact",
        help="fast: bf16 or TF32, quicker and slightly less exact",
    )
    parser.add_argument("--executor", default="local", help="local, ray, or ray:<address>")
    parser.add_argument(
        "--until-precision", type=float, metavar="W", help="stop as soon as every interval is narrower than W"
    )
    parser.add_argument(
        "--fail-above", type=float, metavar="X", help="exit 1 if a name's |ScoreSens| is significantly above X"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only print how many tokens a language model would read and write, and the price",
    )
    parser.add_argument(
        "--most", type=float, metavar="DOLLARS", help="stop before the language model has cost more than this"
    )
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(options: argparse.Namespace) -> int:
    if options.job:
        return worker.work(options.job)
    if options.fail_above is not None and not 0 <= options.fail_above < float("inf"):
        raise OptionError("--fail-above", got=str(options.fail_above), expected="a number, 0 or more")
    if options.most is not None and not 0 < options.most < float("inf"):
        raise OptionError("--most", got=str(options.most), expected="a sum of money above 0")
    needed = ("out",) if options.from_manifest else NEEDED
    if missing := [f"--{name}" for name in needed if getattr(options, name, None) is None]:
        raise OptionError(missing[0], got="nothing", expected="a value", fix="See psa run --help.")
    spec = from_manifest.spec_of(options) if options.from_manifest else study_spec(options)
    if options.dry_run:
        planned = study.plan(spec)
        print(f"{counted(planned.cells, 'sentence–name pair')}. {preview.estimate(planned, spec.model).words}")
        return 0
    scoring = ScoringOptions(
        seed=spec.seed,
        use_cache=not options.no_cache,
        precision=options.precision,
        executor=options.executor,
        until_precision=options.until_precision,
    )
    cache = ScoreCache.open()
    planned, cube = from_manifest.score(
        options, spec, most=options.most, options=scoring, cache=cache, on_window=_Progress().show
    )
    print(f"{counted(cube.shape[0], cube.noun)} × {counted(cube.shape[1], 'name')}: results in {options.out}")
    for target in cube.targets:
        if found := unanswered_finding(cube, target.name):
            print(found)
        if (floor := floor_finding(cube, target.name)) is not None:
            print(f"{target.name}: {floor}")
    tell_left_out(planned.selection)
    for note in cube.provenance["notes"]:
        if note != cache.note:  # which was printed when it came up
            print(f"Note: {note}")
    return 0 if options.fail_above is None else _gate(cube, options.fail_above)


def _gate(cube: ScoreCube, limit: float) -> int:
    """1 when a name is shown to move the mean score by more than the limit, so that a build can stop on it."""
    status = 0
    for target in cube.targets:
        table = tables.limit_table(cube, target.name, limit=limit)
        above = int(table["above"].sum())
        worst = table.loc[(table[table["above"]] if above else table)["score_sens"].abs().idxmax()]
        verdict = f"{counted(above, 'name')} shown to be above" if above else "no name is shown to be above"
        print(f"{target.name}: {worst['name']} moves the mean score by {worst['score_sens']:+.4f}; {verdict} {limit:g}")
        status |= above > 0
    return status


class _Progress:
    """One line on standard error, at most twice a second, and only where somebody may be looking."""

    def __init__(self) -> None:
        self.shown = 0.0

    def show(self, progress: Progress) -> None:
        last = progress.sentences_done == progress.sentences_total
        if not sys.stderr.isatty() or (time.monotonic() - self.shown < 0.5 and not last):
            return
        self.shown = time.monotonic()
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        done = f"{progress.sentences_done} of {progress.sentences_total} sentences"
        print(f"\r{done}, {progress.texts_per_second:.0f} texts/s{left}   ", end="\n" if last else "", file=sys.stderr)


COMMAND = Command("run", "Run a study and write its result folder.", _configure, _execute)
