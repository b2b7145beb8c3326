"""``psa run``: run a study and write its result folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from psa_core import study, tables
from psa_core.cache import ScoreCache
from psa_core.claims.answers import unanswered_finding
from psa_core.claims.findings import floor_finding
from psa_core.cli._base import JOB, Command, tell_left_out
from psa_core.cli._from_manifest import Asked
from psa_core.cli._subjects import SUBJECTS, subjects_in
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.jobs import worker
from psa_core.options import option
from psa_core.plurals import counted
from psa_core.scoring import Precision, ScoringOptions
from psa_core.study import StudySpec, preview

NEEDED = ("sentences", "names", "model")


def _execute(
    given: dict[str, Any],
    *,
    out: Path | None = option(None, metavar="DIR", help="result folder, new or empty"),
    subjects: Path | None = SUBJECTS,
    from_manifest: Path | None = option(None, metavar="FILE", help="run the study of a manifest.json again"),
    allow_code: bool = option(
        False,
        help="with --from-manifest: load the manifest's model even if that runs a program, contacts an address "
        "or reads a file",
    ),
    no_cache: bool = option(False, help="score every text again, and keep no scores"),
    precision: Precision = option("exact", help="fast: bf16 or TF32, quicker and slightly less exact"),
    executor: str = option("local", help="local, ray, or ray:<address>"),
    until_precision: float | None = option(None, metavar="W", help="stop as soon as every interval is narrower than W"),
    fail_above: float | None = option(
        None, low=0, metavar="X", help="exit 1 if a name's |ScoreSens| is significantly above X"
    ),
    dry_run: bool = option(
        False, help="only print how many tokens a language model would read and write, and the price"
    ),
    most: float | None = option(
        None, above=0, metavar="DOLLARS", help="stop before the language model has cost more than this"
    ),
    job: Path | None = JOB,
) -> int:
    if job:
        return worker.work(job)
    missing = [] if from_manifest else [name for name in NEEDED if name not in given]
    if missing or not (out or dry_run):
        field = f"--{[*missing, 'out'][0]}"
        raise OptionError(field, got="nothing", expected="a value", fix="See psa run --help.")
    asked = Asked({**given, **subjects_in(subjects)}, from_manifest, allow_code)
    spec = asked.spec()
    if dry_run:
        planned = study.plan(spec)
        print(f"{counted(planned.cells, 'sentence–name pair')}. {preview.estimate(planned, spec.model).words}")
        return 0
    scoring = ScoringOptions(seed=spec.seed, precision=precision, executor=executor, until_precision=until_precision)
    cache = None if no_cache else ScoreCache.open()
    with study.sentence_bar(sys.stderr.isatty()) as on_window:
        planned, cube = asked.score(spec, out, most=most, options=scoring, cache=cache, on_window=on_window)
    print(f"{counted(cube.shape[0], cube.noun)} × {counted(cube.shape[1], 'name')}: results in {out}")
    for target in cube.targets:
        if found := unanswered_finding(cube, target.name):
            print(found)
        if (floor := floor_finding(cube, target.name)) is not None:
            print(f"{target.name}: {floor}")
    tell_left_out(planned.selection)
    for note in cube.provenance["notes"]:
        if cache is None or note != cache.note:  # which was printed when it came up
            print(f"Note: {note}")
    return 0 if fail_above is None else _gate(cube, fail_above)


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


COMMAND = Command("run", "Run a study and write its result folder.", _execute, StudySpec, needed=False)
