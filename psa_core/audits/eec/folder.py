"""Write and read the result folder of an Equity Evaluation Corpus audit, and parse user-supplied designs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus as eec
from psa_core.audits.eec import significance
from psa_core.audits.eec.run import Audited
from psa_core.audits.run import plain_record
from psa_core.audits.zipped import unzip
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CorpusError, PsaError, RunFolderError
from psa_core.folders import manifest as manifests
from psa_core.folders import results, writing
from psa_core.inputs import archives, bounded, limits, spreadsheet, tables
from psa_core.inputs.checks import bytes_of
from psa_core.inputs.tables import Wanted

PARTS = ("templates", "people", "words")


@dataclass(frozen=True, eq=False)
class EquityResult:
    """A result folder: the design, each system's scores, and the same in the other spelling where they are known."""

    design: eec.Design
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


def own_design(spelling: str, templates: Path | None, people: Path | None, words: Path | None) -> eec.Design:
    """The published design with the parts that the user brings in its place."""
    given = dict(zip(PARTS, (templates, people, words), strict=True))
    own = {part: read_part(part, path) for part, path in given.items() if path}
    return replace(eec.published_design(spelling), **own)


def read_part(part: str, path: Path) -> pd.DataFrame:
    """One part of a design from a csv file; its columns are checked by `eec.Design`."""
    try:
        return parse_part(part, bytes_of(path, limits.NAMES_FILE, field=f"EEC {part}", error=CorpusError))
    except (OSError, ValueError) as error:
        raise CorpusError(f"EEC {part}", got=f"no file at {str(path)!r}", expected="a csv file") from error


def parse_part(part: str, content: bytes) -> pd.DataFrame:
    """One part of a design from the bytes of a csv file; every cell is a string."""
    columns = eec.COLUMNS[part]
    row = f"a csv file with columns {', '.join(columns)}"
    wanted = Wanted(
        f"EEC {part}",
        CorpusError,
        ("csv",),
        row=row,
        headers=frozenset(columns),
        rows=limits.NAMES,
        columns=limits.NAME_COLUMNS,
        file=limits.NAMES_FILE,
    )
    return tables.read(f"{part}.csv", content, wanted).frame


def read_task_scores(path: Path) -> dict[str, float]:
    """How well each system does its task, from a csv file with the columns ``system`` and ``score``."""
    try:
        return parse_task_scores(bytes_of(path, limits.NAMES_FILE, field="task scores", error=CorpusError))
    except (OSError, ValueError) as error:
        raise CorpusError("task scores", got=f"no file at {str(path)!r}", expected="a csv file") from error


def parse_task_scores(content: bytes) -> dict[str, float]:
    """The same from the bytes of the file."""
    wanted = Wanted(
        "task scores",
        CorpusError,
        ("csv",),
        row="a csv file with columns system, score",
        headers=frozenset({"system", "score"}),
        rows=limits.NAMES,
        columns=limits.NAME_COLUMNS,
        file=limits.NAMES_FILE,
    )
    table = tables.read("task-scores.csv", content, wanted).frame
    missing = [column for column in ("system", "score") if column not in table.columns]
    if missing:
        raise CorpusError("task scores", got=f"no column {missing[0]}", expected="columns system, score")
    return {system: _finite(system, score) for system, score in zip(table["system"], table["score"], strict=True)}


def _finite(system: str, score: object) -> float:
    try:
        number = float(str(score))
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise CorpusError("task scores", got=f"{str(score)[:40]!r} for {system[:40]}", expected="a finite number")
    return number


def write(
    design: eec.Design,
    audited: Audited,
    spelling: str,
    folder: Path,
    *,
    task_scores: Mapping[str, float] = MappingProxyType({}),
) -> None:
    """Write ``eec_sentences.csv``, ``eec.json``, ``manifest.json``, the design and every system's scores, or nothing.

    ``scores.<number>.parquet`` holds one system's scores: a row a sentence, a column a target;
    ``respelled.<number>.parquet`` the same for the other spelling, and ``spelling.csv`` what that changes.
    """
    names = list(audited.systems)
    manifest = {
        "audit": "eec",
        "spelling": spelling,
        "sentences": len(design.rows) * len(design.people),
        "systems": names,
        "targets": {name: [asdict(target) for target in cube.targets] for name, cube in audited.systems.items()},
        "models": dict(audited.records),
        "task_scores": {name: task_scores[name] for name in names if name in task_scores},
    }
    with writing.whole_folder(folder) as aside:
        spreadsheet.write(eec.every_sentence(design), aside / "eec_sentences.csv")
        results.write_json(aside / "eec.json", significance.assess(audited.systems))
        results.write_json(aside / "manifest.json", manifest)
        for part in PARTS:
            spreadsheet.write(getattr(design, part), aside / f"{part}.csv")
        if audited.respelled:
            table = significance.spelling_table(audited.systems, audited.respelled)
            spreadsheet.write(table, aside / "spelling.csv")
        for number, name in enumerate(names):
            _flat(audited.systems[name]).to_parquet(aside / f"scores.{number}.parquet", index=False)
            if name in audited.respelled:
                _flat(audited.respelled[name]).to_parquet(aside / f"respelled.{number}.parquet", index=False)


def read(folder: Path) -> EquityResult:
    """Open such a folder again; raises `RunFolderError` when a file is missing or damaged."""
    try:
        manifest = manifests.read(folder / "manifest.json")
        if manifest["audit"] != "eec":
            raise RunFolderError("EEC folder", got=f"a {manifest['audit'][:40]} audit", expected="an EEC audit")
        if manifest["spelling"] not in eec.SPELLINGS:
            raise ValueError(f"no spelling {manifest['spelling']!r}")
        parts = {part: read_part(part, folder / f"{part}.csv").map(results.plain) for part in PARTS}
        design = eec.Design(**parts)
        other = eec.spelled(design, next(name for name in eec.SPELLINGS if name != manifest["spelling"]))
        systems, respelled = {}, {}
        for number, name in enumerate(manifest["systems"]):
            targets = results.targets_of(manifest["targets"][name])
            systems[name] = _cube(design, targets, folder / f"scores.{number}.parquet")
            if (folder / f"respelled.{number}.parquet").is_file():
                respelled[name] = _cube(other, targets, folder / f"respelled.{number}.parquet")
        known = {name: _finite(name, score) for name, score in manifest.get("task_scores", {}).items()}
        return EquityResult(design, systems, respelled, manifest | {"task_scores": known})
    except RunFolderError:
        raise
    except (*archives.FAULTS, TypeError, AttributeError, OverflowError, PsaError) as error:
        is_missing = isinstance(error, FileNotFoundError)
        got = "a file missing" if is_missing else f"a damaged file ({type(error).__name__}: {error})"[:200]
        raise RunFolderError("EEC folder", got=got, expected="the files that an EEC audit writes") from error


def rewrite(folder: Path, to: Path) -> None:
    """Open a folder that somebody brought, and write a new one from its data: none of its files is kept."""
    opened = read(folder)
    cells = sum(cube.shape[0] * cube.shape[1] for cube in opened.systems.values())
    limits.RUN_CELLS.check(cells, field="zip", error=RunFolderError)
    brought = opened.manifest.get("models")
    accounts = brought if isinstance(brought, dict) else {}
    known = {name: plain_record(accounts.get(name)) for name in opened.systems}
    audited = Audited(opened.systems, opened.respelled, known)
    write(opened.design, audited, opened.spelling, to, task_scores=opened.task_scores)


def read_zip(content: bytes) -> EquityResult:
    """Open a zipped result folder."""
    with tempfile.TemporaryDirectory() as place:
        return bounded.call(_read_zip, content, Path(place), field="zip", error=RunFolderError)


def _read_zip(content: bytes, place: Path) -> EquityResult:
    unzip(content, place)
    return read(place)


def _flat(cube: ScoreCube) -> pd.DataFrame:
    scores = cube.perturbed.reshape(-1, len(cube.targets))
    return pd.DataFrame(scores, columns=[target.name for target in cube.targets])


def _cube(design: eec.Design, targets: tuple[Target, ...], path: Path) -> ScoreCube:
    table = results.read_scores(path)[[target.name for target in targets]]
    shape = (len(design.rows), len(design.people), len(targets))
    return eec.cube(design, targets, table.to_numpy(np.float32).reshape(shape))
