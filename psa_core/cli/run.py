"""``psa_core run``: run a study and write its result folder."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from psa_core import models, report, study, tables
from psa_core.cache import ScoreCache
from psa_core.cli import _from_manifest as from_manifest
from psa_core.cli._base import Command, add_selection, study_spec, tell_left_out
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import results, writing
from psa_core.jobs import worker
from psa_core.options import add_arguments
from psa_core.plurals import counted
from psa_core.scoring import Progress, ScoringOptions
from psa_core.study import StudySpec

NEEDED = ("sentences", "names", "model", "out")


def _configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser, required=False)
    add_arguments(parser, StudySpec, ("model",), required=False)
    parser.add_argument("--out", metavar="DIR", type=Path, help="result folder, new or empty")
    from_manifest.add_options(parser)
    parser.add_argument("--no-cache", action="store_true", help="score every text, remember none")
    parser.add_argument("--precision", choices=("exact", "fast"), default="exact", help="fast: shorter GPU formats")
    parser.add_argument("--executor", default="local", help="local, ray, or ray:<address>")
    parser.add_argument("--until-precision", type=float, metavar="W", help="stop when every interval is narrower")
    parser.add_argument(
        "--fail-above", type=float, metavar="X", help="exit 1 when a name's |ScoreSens| is shown to exceed X"
    )
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(options: argparse.Namespace) -> int:
    if options.job:
        return worker.work(options.job)
    if options.fail_above is not None and not 0 <= options.fail_above < float("inf"):
        raise OptionError("--fail-above", got=str(options.fail_above), expected="a number, 0 or more")
    spec = _spec(options)
    scoring = ScoringOptions(
        seed=spec.seed,
        use_cache=not options.no_cache,
        precision=options.precision,
        executor=options.executor,
        until_precision=options.until_precision,
    )
    writing.check_target(options.out)
    planned = study.plan(spec)
    if options.from_manifest:
        from_manifest.check_inputs(options, planned)
    scorer = models.load(spec.model, origin=from_manifest.origin_of_model(options))
    cache = ScoreCache.open()
    cube = study.execute(planned, scorer, options=scoring, cache=cache, on_window=_Progress().show)
    results.write(cube, options.out, report.render)
    print(f"{counted(cube.shape[0], 'sentence')} × {counted(cube.shape[1], 'name')}: results in {options.out}")
    tell_left_out(planned.selection)
    for note in cube.provenance["notes"]:
        if note != cache.note:  # which was told when it was news
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


def _spec(options: argparse.Namespace) -> StudySpec:
    needed = ("out",) if options.from_manifest else NEEDED
    missing = [f"--{name}" for name in needed if getattr(options, name) is None]
    if missing:
        raise OptionError(missing[0], got="nothing", expected="a value", fix="See psa run --help.")
    if options.from_manifest is None:
        return study_spec(options)
    return from_manifest.spec_of(options)


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
