"""``psa gate``: stop a build when a model reacts to names more than it did."""

from __future__ import annotations

from pathlib import Path

from psa_core import tables
from psa_core.cache import ScoreCache
from psa_core.cli._base import Command
from psa_core.cli._from_manifest import Asked
from psa_core.errors import OptionError
from psa_core.folders import results, writing
from psa_core.options import option
from psa_core.report import change_summary
from psa_core.stats import Baseline


def _execute(
    folder: Path | None = option(
        None,
        flag="folder",
        metavar="DIR",
        help="the result folder of `run` to test (default: the baseline's study is run again)",
    ),
    baseline: Path = option(metavar="DIR", help="the earlier result folder"),
    model: str | None = option(None, metavar="ID", help="run the study with this model"),
    sentences: str | None = option(None, metavar="FILE", help="where the baseline's sentences are now"),
    names: str | None = option(None, metavar="LIST", help="where its names are now"),
    allow_code: bool = option(
        False, help="load the baseline's model even if that runs a program, contacts an address or reads a file"
    ),
    out: Path | None = option(None, metavar="DIR", help="keep the result of the run"),
    fail_above: float = option(
        low=0,
        metavar="X",
        help="exit 1 if a name's effect is significantly further from 0 than in the baseline, by more than X",
    ),
    name_effect: Baseline | None = option(
        None,
        alone="names",
        help="what a name's effect is measured against: the original sentence, or the other names (default: as usual "
        "for the study; without a value: the names)",
    ),
    target: tuple[str, ...] = option((), many=True, metavar="NAME", help="test only this target; may be repeated"),
    summary: Path | None = option(
        None, metavar="FILE.md", help="write the summary as Markdown, for example for a pull request"
    ),
    junit: Path | None = option(None, metavar="FILE.xml", help="write JUnit XML, one test per name"),
) -> int:
    before = results.read(baseline)
    found = {"model": model, "sentences": sentences, "names": names}
    typed = {option: value for option, value in found.items() if value is not None}
    if folder and typed:  # which would say nothing about the folder
        raise OptionError(f"--{next(iter(typed))}", got=f"it beside the result {folder}", expected="one of the two")
    if folder:
        now = results.read(folder)
    else:  # the baseline's study with the model as it is now, or another one
        asked = Asked(typed, baseline / writing.MANIFEST, allow_code)
        _, now = asked.score(asked.spec(), out, cache=ScoreCache.open())
    pair = tables.paired(now, before)
    targets = target or [one.name for one in pair.first.targets]
    against = name_effect or tables.default_baseline(pair.first)
    changes = {
        name: tables.change_table(pair, name, limit=fail_above, baseline=against, tests=len(targets))
        for name in targets
    }
    words = change_summary.markdown(pair, changes, limit=fail_above)
    print(words, end="")
    for file, text in ((summary, words), (junit, change_summary.junit(changes, limit=fail_above))):
        if file:
            with writing.atomic_file(file) as aside:
                aside.write_text(text, encoding="utf-8")
    return int(any(table["above"].any() for table in changes.values()))


COMMAND = Command("gate", "Fail when names move the score more than in an earlier result.", _execute)
