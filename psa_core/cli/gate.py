"""``psa gate``: stop a build when a model reacts to names more than it did."""

from __future__ import annotations

import argparse
from pathlib import Path

from psa_core import tables
from psa_core.cache import ScoreCache
from psa_core.cli import _from_manifest as from_manifest
from psa_core.cli._base import Command
from psa_core.errors import OptionError
from psa_core.folders import results, writing
from psa_core.report import change_summary


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        type=Path,
        help="the result folder of `run` to test (default: the baseline's study is run again)",
    )
    parser.add_argument("--baseline", metavar="DIR", type=Path, required=True, help="the earlier result folder")
    parser.add_argument("--model", metavar="ID", help="run the study with this model")
    parser.add_argument("--sentences", metavar="FILE", help="where the baseline's sentences are now")
    parser.add_argument("--names", metavar="LIST", help="where its names are now")
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="load the baseline's model even if that runs a program, contacts an address or reads a file",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="keep the result of the run")
    parser.add_argument(
        "--fail-above",
        type=float,
        metavar="X",
        required=True,
        help="exit 1 if a name's effect is significantly further from 0 than in the baseline, by more than X",
    )
    parser.add_argument(
        "--name-effect",
        choices=("original", "names"),
        nargs="?",
        const="names",
        help="what a name's effect is measured against: the original sentence, or the other names (default: as usual "
        "for the study; without a value: the names)",
    )
    parser.add_argument("--target", action="append", metavar="NAME", help="test only this target; may be repeated")
    parser.add_argument(
        "--summary", metavar="FILE.md", type=Path, help="write the summary as Markdown, for example for a pull request"
    )
    parser.add_argument("--junit", metavar="FILE.xml", type=Path, help="write JUnit XML, one test per name")


def _execute(options: argparse.Namespace) -> int:
    limit = options.fail_above
    if not 0 <= limit < float("inf"):
        raise OptionError("--fail-above", got=str(limit), expected="a number, 0 or more")
    before = results.read(options.baseline)
    if options.folder:
        now = results.read(options.folder)
    else:  # the baseline's study with the model as it is now, or another one
        options.from_manifest = options.baseline / writing.MANIFEST
        _, now = from_manifest.score(options, from_manifest.spec_of(options), cache=ScoreCache.open())
    pair = tables.paired(now, before)
    targets = options.target or [target.name for target in pair.now.targets]
    baseline = options.name_effect or tables.default_baseline(pair.now)
    changes = {
        target: tables.change_table(pair, target, limit=limit, baseline=baseline, tests=len(targets))
        for target in targets
    }
    summary = change_summary.markdown(pair, changes, limit=limit)
    print(summary, end="")
    for file, text in ((options.summary, summary), (options.junit, change_summary.junit(changes, limit=limit))):
        if file:
            with writing.atomic_file(file) as aside:
                aside.write_text(text, encoding="utf-8")
    return int(any(table["above"].any() for table in changes.values()))


COMMAND = Command("gate", "Fail when names move the score more than in an earlier result.", _configure, _execute)
