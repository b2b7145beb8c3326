"""Write and read a study's result folder."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import atomic, tables
from psa_core.asking.journal import Journal
from psa_core.cube import SENTENCE_COLUMNS, ScoreCube, Target
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import datapackage, manifest, view
from psa_core.folders.writing import MANIFEST, atomic_directory
from psa_core.inputs import archives, spreadsheet
from psa_core.inputs.limits import COLUMNS, FILE, FLIPS, SCORES, within
from psa_core.inputs.spreadsheet import neutral, plain
from psa_core.study import StudySpec, perturbation_of

#: What reading a damaged file may raise: of Parquet, of a table, of what is made of them.
DAMAGES = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, PsaError, RuntimeError, TypeError,
           ValueError)  # fmt: skip
TABLES = (MANIFEST, "sentences.csv", "names.csv")
REPORT = "report.html"
#: What names.csv has beyond its first columns: how large ScoreSens is, and all about the other baseline.
EFFECT_COLUMNS = ("score_sens_size", "effect", "effect_low", "effect_high", "effect_p_adjusted", "effect_size")
Report = Callable[[ScoreCube], str]


def write(cube: ScoreCube, folder: Path, report: Report, answers: Journal | None = None) -> None:
    """Write every file of a result folder, or none; an earlier result there is replaced.

    The cube's ``provenance`` becomes the manifest; it is measured as `view.shown` has it. `report` makes the text of
    ``report.html``, and the `answers` of language models are kept beside the results.
    Raises `OptionError` when the folder holds something else, or cannot be written.
    """
    if answers and answers.purse.requests:
        cube = replace(cube, provenance={**cube.provenance, **answers.account}).noted(answers.purse.words)
    # What a reader left out counts in nothing that is measured; the data holds it, so that it may be taken back in.
    counted = view.shown(cube)
    csv_tables = measured(counted) | {"sentences.csv": _sentences(cube)}
    score_tables = score_files(cube) | _edit_scores(cube)
    listed, flips = len(csv_tables["flips.csv"]), sum(len(tables.find_flips(counted, t.name)) for t in cube.targets)
    if listed < flips:
        note = f"flips.csv has the largest {listed:,} of {flips:,} flips: its texts may have {FLIPS.words}."
        cube, counted = cube.noted(note), counted.noted(note)
    with atomic_directory(folder) as aside:
        _put(cube, aside, csv_tables, score_tables)
        if answers:
            answers.copy_to(aside)
        write_json(aside / "summary.json", tables.summary(counted))
        (aside / REPORT).write_text(report(counted), encoding="utf-8")
        safe = {name: table.rename(columns=neutral) for name, table in csv_tables.items()}
        write_json(aside / datapackage.FILE, datapackage.describe(aside, {**safe, **score_tables}))
    if answers:
        answers.discard()


def write_data(cube: ScoreCube, folder: Path) -> None:
    """Write what `read` needs and nothing that is measured; the rest can be made of it, and put there by `fill`."""
    names = cube.names.rename(columns={"target": "target (group)"})
    names.insert(0, "target", cube.targets[0].name)
    with atomic_directory(folder) as aside:
        csv_tables = {"sentences.csv": _sentences(cube), "names.csv": names}
        _put(cube, aside, csv_tables, score_files(cube) | _edit_scores(cube))


def is_complete(folder: Path) -> bool:
    """Whether a result folder has what is measured, not only what `write_data` writes."""
    return (folder / REPORT).is_file()


def fill(folder: Path, complete: Path) -> None:
    """Move the files of a complete result folder into one of the same study that has only its data."""
    for file in sorted(complete.iterdir(), key=lambda file: file.name == REPORT):  # where it is, everything is
        os.replace(file, folder / file.name)


def read(folder: Path) -> ScoreCube:
    """Open a result folder; raises `RunFolderError` when a file is missing, damaged, or does not fit the others."""
    content = manifest.read(folder / MANIFEST)
    try:
        if "study" in content:
            StudySpec.from_mapping(content["study"])
        targets = targets_of(content["targets"])
        files = ["sentences.csv", "names.csv", *(f"scores.{target.name}.parquet" for target in targets)]
        missing = [name for name in files if not (folder / name).is_file()]
        if missing:
            raise RunFolderError("result folder", got=f"no {missing[0]}", expected="the files that a run writes")
        frames = [read_scores(folder / name) for name in files[2:]]
        edits = [folder / f"controls.{target.name}.parquet" for target in targets]
        edited = [read_scores(path) for path in edits] if all(map(Path.is_file, edits)) else []
        shape = len(frames[0]), len(frames[0].columns)
        sentences = _read_csv(folder / files[0], most=shape[0])
        names = _read_csv(folder / files[1], most=shape[1] * len(targets))
        cube = _cube(content, targets, (frames, edited), sentences, names.map(plain))
        perturbation_of(cube)  # raises where a span is none
        return cube
    except RunFolderError:
        raise
    except DAMAGES as error:
        got = f"a damaged file ({type(error).__name__}: {error})"
        raise RunFolderError("result folder", got=got[:200], expected="the files that a run writes") from error


def read_scores(path: Path) -> pd.DataFrame:
    """A table of scores from a parquet file; raises `RunFolderError` when it declares more scores than the limit."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        declared = file.metadata.num_rows * file.metadata.num_columns
        SCORES.check(declared, field="result folder", error=RunFolderError, of=f"in {path.name[:60]}")
        return file.read(use_threads=False).to_pandas(ignore_metadata=True)  # which can say anything


def to_zip(folder: Path) -> bytes:
    """The files of a result folder, and of the folders in it, as the bytes of a zip; links are left out.

    Raises `RunFolderError` when it is deleted meanwhile, or cannot be read: there is no zip of a part of it.
    """
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if stat.S_ISREG(path.lstat().st_mode) and not path.name.startswith(atomic.UNFINISHED):
                    archive.write(path, path.relative_to(folder).as_posix())
            if not archive.filelist:
                raise FileNotFoundError(None, "no files")
    except OSError as error:
        fix = "Open its page again: the run may have been deleted."
        got = error.strerror or type(error).__name__
        raise RunFolderError("result folder", got=got, expected="the files that a run writes", fix=fix) from error
    return buffer.getvalue()


def unpacked(content: bytes, path: Path) -> ScoreCube:
    """Open a zipped result folder, of which only files with known names are taken.

    To be called in a process with limits; `path` is an empty folder.
    """
    archives.unpack(content, path, lambda name: name in TABLES or name.startswith(("scores.", "controls.")))
    return read(path)


def targets_of(rows: list[dict[str, Any]]) -> tuple[Target, ...]:
    """The targets of a manifest; raises `ValueError` when they are none, or have no range."""
    targets = tuple(Target(**row) for row in rows)
    for target in targets:
        if not -np.inf < float(target.low) < float(target.high) < np.inf:
            raise ValueError(f"no range of {target.name}")
        if not target.low <= target.default_threshold <= target.high:
            raise ValueError(f"a threshold of {target.name} that is outside of its range")
    if not targets or len({target.name for target in targets}) < len(targets):
        raise ValueError("no targets, or one twice")
    return targets


def _cube(
    content: dict[str, Any],
    targets: tuple[Target, ...],
    scores: tuple[list[pd.DataFrame], list[pd.DataFrame]],
    sentences: pd.DataFrame,
    names: pd.DataFrame,
) -> ScoreCube:
    """A cube of what was read; `scores` are of sentences with names, and of neutral edits. Raises `ValueError`."""
    frames, edited = scores
    score_columns = [column for column in sentences.columns if column.startswith("original.")]
    sentences = spreadsheet.displace(sentences.drop(columns=score_columns))
    names = names[names["target"] == targets[0].name]
    given = content["name_columns"]
    # A column of the name list that is called like a measure has another heading in names.csv.
    renamed = set(names.columns) - set(given)
    headings = [other if (other := f"{column} (group)") in renamed else column for column in given]
    names = names[headings].set_axis(given, axis=1)
    columns = [score_heading(name) for name in names["name"]]
    for frame in (*frames, *edited):
        if frame["sentence_id"].astype(str).tolist() != sentences["sentence_id"].tolist():
            raise ValueError("scores and sentences.csv list different sentences")
    return ScoreCube(
        sentences=sentences,
        names=names.reset_index(drop=True),
        targets=targets,
        original=np.stack([frame["original"].to_numpy(np.float32) for frame in frames], axis=1),
        perturbed=np.stack([frame[columns].to_numpy(np.float32) for frame in frames], axis=2),
        provenance=content,
        controls=np.stack([frame.drop(columns="sentence_id").to_numpy(np.float32) for frame in edited], axis=2)
        if edited
        else None,
    )


def _put(
    cube: ScoreCube, path: Path, csv_tables: Mapping[str, pd.DataFrame], score_tables: Mapping[str, pd.DataFrame]
) -> None:
    write_json(path / MANIFEST, {**cube.provenance, "name_columns": cube.names.columns.tolist()})
    for name, table in csv_tables.items():
        spreadsheet.write(table, path / name)
    for name, table in score_tables.items():
        table.to_parquet(path / name, index=False)


def _read_csv(path: Path, *, most: int) -> pd.DataFrame:
    """A table of text; of one with more rows than the scores have, one more, which says enough."""
    field, of = "result folder", f"in {path.name}"
    FILE.check(path.stat().st_size, field=field, error=RunFolderError, of=of)
    with path.open("rb") as file:
        COLUMNS.check(file.readline().count(b",") + 1, field=field, error=RunFolderError, of=of)
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8", nrows=most + 1)
    return table.rename(columns=plain)


def json_text(content: Any) -> str:
    """Indented JSON; a number that JSON does not know (NaN, infinity) is an error here, not a surprise there."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_json(path: Path, content: Any) -> None:
    """Write `json_text` to a file."""
    path.write_text(json_text(content), encoding="utf-8")


def measured(cube: ScoreCube, text: Callable[[int, int], str] | None = None) -> dict[str, pd.DataFrame]:
    """Every csv file of a study; `text` gives the text of a cell ``(s, n)`` where it is none of a study."""
    selection = {}
    if cube.asked.get("select"):
        selection["selection.csv"] = _per_target(cube, tables.selection_file_table, last=())
    return {
        "sentences.csv": _sentences(cube),
        "names.csv": _per_target(cube, _names, last=(*EFFECT_COLUMNS, "threshold")),
        "groups.csv": _per_target(cube, tables.group_file_table, last=()),
        **selection,
        "label_dist.csv": _per_target(cube, tables.label_dist_table, last=("low", "high")),
        "flips.csv": pd.concat(
            [_flips(cube, target.name, text or perturbation_of(cube, target.name).text) for target in cube.targets]
        ),
    }


def _names(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Both baselines and the threshold of the labels; a reader's column of that name has another heading."""
    table = tables.name_file_table(cube, target).rename(columns={"threshold": "threshold (group)"})
    return table.assign(threshold=cube.targets[cube.target_index(target)].default_threshold)


def score_files(cube: ScoreCube) -> dict[str, pd.DataFrame]:
    """A Parquet file a target: a row a sentence, ``sentence_id``, ``original`` and one float32 column a name."""
    files = {}
    for target in cube.targets:
        original, perturbed = cube.scores(target.name)
        keys = pd.DataFrame({"sentence_id": cube.sentences["sentence_id"].to_numpy(), "original": original})
        headings = [score_heading(name) for name in cube.names["name"]]
        columns = pd.DataFrame(perturbed, columns=headings)
        files[f"scores.{target.name}.parquet"] = pd.concat([keys, columns], axis=1)
    return files


def _edit_scores(cube: ScoreCube) -> dict[str, pd.DataFrame]:
    """A Parquet file a target, where neutral edits were scored: ``sentence_id``, ``0`` (unedited), ``1`` …"""
    if cube.controls is None:
        return {}
    ids = pd.DataFrame({"sentence_id": cube.sentences["sentence_id"].to_numpy()})
    headings = [str(number) for number in range(cube.controls.shape[1])]
    return {
        f"controls.{target.name}.parquet": pd.concat(
            [ids, pd.DataFrame(cube.controls[:, :, index], columns=headings)], axis=1
        )
        for index, target in enumerate(cube.targets)
    }


def score_heading(name: str) -> str:
    """What a name's column of scores is called: a name such as *original* stands beside a column of the format."""
    return f"{name} (name)" if name in ("sentence_id", "original") else name


def _sentences(cube: ScoreCube) -> pd.DataFrame:
    """Each sentence with its anchor, its columns and its original scores."""
    originals = {f"original.{target.name}": cube.original[:, t] for t, target in enumerate(cube.targets)}
    groups = [column for column in cube.sentences.columns if column not in SENTENCE_COLUMNS]
    table = cube.sentences[[*SENTENCE_COLUMNS, *groups]].assign(**originals)
    return spreadsheet.place(table)


def _per_target(
    cube: ScoreCube, build: Callable[[ScoreCube, str], pd.DataFrame], *, last: tuple[str, ...]
) -> pd.DataFrame:
    """A table of every target in one; `last` are columns beyond the contract, which come after those in it."""
    frames = [build(cube, target.name) for target in cube.targets]
    named = [frame.rename(columns={"target": "target (group)"}) for frame in frames]
    for frame, target in zip(named, cube.targets, strict=True):
        frame.insert(0, "target", target.name)
    table = pd.concat(named, ignore_index=True)
    return table[[*table.columns.difference([*last], sort=False), *last]]


def _flips(cube: ScoreCube, target: str, text: Callable[[int, int], str]) -> pd.DataFrame:
    flips = tables.find_flips(cube, target).frame()
    cells = zip(flips["sentence_position"].tolist(), flips["name_position"].tolist(), strict=True)
    texts = list(within((text(s, n) for s, n in cells), FLIPS.value // len(cube.targets)))
    kept = flips.drop(columns=["sentence_position", "name_position"]).head(len(texts))
    return kept.assign(text=pd.Series(texts, dtype=str))
