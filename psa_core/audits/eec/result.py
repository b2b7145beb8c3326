"""The result of an Equity Evaluation Corpus audit: its files, opening them again, and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits._running import plain_record
from psa_core.audits.eec import corpus, findings, significance, tables
from psa_core.audits.eec.own_files import PARTS, finite, read_part
from psa_core.cube import ScoreCube, Target
from psa_core.folders import results
from psa_core.plurals import counted
from psa_core.registry import in_short
from psa_core.report.frame import Report
from psa_core.report.markup import Html, element, join, table
from psa_core.tables.formatting import Finding

LIMITS = (
    "This is perturbation sensitivity: what a score does when the person in a sentence changes. Whether a difference "
    "is a defect, a person has to judge.",
    "The sentences are made from few templates and say little about other kinds of text.",
)


@dataclass(frozen=True, eq=False)
class EquityResult:
    """The scores of an audit.

    Attributes
    ----------
    design : Design
    systems : mapping
        Model id to its scores.
    respelled : mapping
        The same where *disappointed* is written in the other way; without models that cannot tell, such as a file of
        predictions, and empty when the design does not have the word.
    manifest : mapping
        ``spelling``, ``task_scores``, and in ``models`` what each model's scoring took.
    """

    design: corpus.Design
    systems: dict[str, ScoreCube]
    respelled: dict[str, ScoreCube]
    manifest: dict[str, Any]

    @property
    def task_scores(self) -> dict[str, float]:
        """How well each system does its task, larger = better; empty where nobody said."""
        return dict(self.manifest.get("task_scores", {}))

    @property
    def spelling(self) -> str:
        """How the audit wrote *disappointed*."""
        return str(self.manifest["spelling"])

    @property
    def cells(self) -> int:
        """Sentences times systems."""
        return sum(cube.shape[0] * cube.shape[1] for cube in self.systems.values())

    @cached_property
    def assessed(self) -> dict[str, dict[str, Any]]:
        """Every comparison of every target, see `significance.assess`."""
        return significance.assess(self.systems)

    @cached_property
    def spelling_table(self) -> pd.DataFrame:
        """What the other spelling changes; empty where nothing was scored in it."""
        return significance.spelling_table(self.systems, self.respelled) if self.respelled else pd.DataFrame()


def of_design(
    design: corpus.Design,
    systems: dict[str, ScoreCube],
    respelled: dict[str, ScoreCube],
    manifest: Mapping[str, Any],
) -> EquityResult:
    """A result whose manifest says what the folder holds, beside what `manifest` says of the run."""
    own = {
        "sentences": len(design.rows) * len(design.people),
        "systems": list(systems),
        "targets": {name: [asdict(target) for target in cube.targets] for name, cube in systems.items()},
    }
    return EquityResult(design, systems, respelled, {**manifest, **own})


def files(result: EquityResult) -> dict[str, Any]:
    """The sentences, ``eec.json``, the design and every system's scores.

    ``scores.<number>.parquet`` holds one system's scores: a row a sentence, a column a target;
    ``respelled.<number>.parquet`` the same for the other spelling, and ``spelling.csv`` what that changes.
    """
    found: dict[str, Any] = {"eec_sentences.csv": corpus.every_sentence(result.design), "eec.json": result.assessed}
    found |= {f"{part}.csv": getattr(result.design, part) for part in PARTS}
    if result.respelled:
        found["spelling.csv"] = result.spelling_table
    for number, name in enumerate(result.systems):
        found[f"scores.{number}.parquet"] = _flat(result.systems[name])
        if name in result.respelled:
            found[f"respelled.{number}.parquet"] = _flat(result.respelled[name])
    return found


def load(folder: Path, manifest: dict[str, Any]) -> EquityResult:
    """The result of a folder; any damage may raise."""
    other = next(spelling for spelling in corpus.SPELLINGS if spelling != manifest["spelling"])
    if manifest["spelling"] not in corpus.SPELLINGS:
        raise ValueError(f"no spelling {manifest['spelling']!r}")
    design = corpus.Design(**{part: read_part(part, folder / f"{part}.csv").map(results.plain) for part in PARTS})
    systems, respelled = {}, {}
    for number, name in enumerate(manifest["systems"]):
        targets = results.targets_of(manifest["targets"][name])
        systems[name] = _cube(design, targets, folder / f"scores.{number}.parquet")
        if (folder / f"respelled.{number}.parquet").is_file():
            respelled[name] = _cube(corpus.spelled(design, other), targets, folder / f"respelled.{number}.parquet")
    known = {name: finite(name, score) for name, score in manifest.get("task_scores", {}).items()}
    return EquityResult(design, systems, respelled, manifest | {"task_scores": known})


def rebuild(result: EquityResult, _: Path) -> EquityResult:
    """The same with nothing of a stranger's manifest but what is known to be plain."""
    given = result.manifest.get("models")
    records = {name: plain_record(given.get(name) if isinstance(given, dict) else None) for name in result.systems}
    scores = {name: score for name, score in result.task_scores.items() if name in result.systems}
    kept = {"spelling": result.spelling, "models": records, "task_scores": scores}
    return of_design(result.design, result.systems, result.respelled, kept)


def report(result: EquityResult) -> Report:
    """``report.html``: the verdicts by gender and by race."""
    kinds = {kind: tables.system_table(result.assessed, kind, tables.ALL) for kind in result.design.comparisons}
    said = [Finding(findings.finding(table, kind), findings.correction(table)) for kind, table in kinds.items()]
    if result.respelled:
        said.append(Finding(findings.spelling_line(result.spelling_table, result.spelling)))
    rows, people = len(result.design.rows), len(result.design.people)
    return Report(
        title=f"Equity Evaluation Corpus: {', '.join(map(in_short, result.systems))}",
        findings=said,
        method=[
            f"{counted(rows, 'template')} with a word each × {people:,} people, spelled as "
            f"{result.spelling} (Kiritchenko and Mohammad 2018).",
            "Paired t-tests of the difference between two sentences that differ in the person alone.",
        ],
        body=[_verdicts(kind, table) for kind, table in kinds.items()],
        limits=LIMITS,
    )


def _verdicts(kind: str, systems: pd.DataFrame) -> Html:
    header = ("System", "Score", "Verdict", "Mean Δ, % of the range", "Δ-spread, %", "p, corrected")
    rows = [
        (in_short(row.system), row.target, row.verdict, f"{100 * row.mean_difference:+.2f}".replace("-", "−"),
         f"{100 * row.spread:.2f}", f"{row.p_adjusted:.2g}")
        for row in systems.itertuples()
    ]  # fmt: skip
    return join([element("h2", f"By {kind}"), table(header, rows)])


def _flat(cube: ScoreCube) -> pd.DataFrame:
    scores = cube.perturbed.reshape(-1, len(cube.targets))
    return pd.DataFrame(scores, columns=[target.name for target in cube.targets])


def _cube(design: corpus.Design, targets: tuple[Target, ...], path: Path) -> ScoreCube:
    table = results.read_scores(path)[[target.name for target in targets]]
    shape = (len(design.rows), len(design.people), len(targets))
    return corpus.cube(design, targets, table.to_numpy(np.float32).reshape(shape))
