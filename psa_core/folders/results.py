"""Write and read a study's result folder."""

from __future__ import annotations

import io
import json
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import atomic, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import datapackage, file_tables, manifest
from psa_core.folders.writing import MANIFEST, atomic_directory
from psa_core.inputs import archives, bounded, spreadsheet
from psa_core.inputs.limits import COLUMNS, FILE, SCORES
from psa_core.inputs.spreadsheet import neutral, plain
from psa_core.study import StudySpec, perturbation_of

#: What reading a damaged file may raise: of Parquet, of a table, of what is made of them.
DAMAGES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    PsaError,
    RuntimeError,
    TypeError,
    ValueError,
)
TABLES = (MANIFEST, "sentences.csv", "names.csv")
REPORT = "report.html"
Report = Callable[[ScoreCube], str]


@dataclass(frozen=True)
class Extra:
    """What differs in the folder of an audit: the text of a cell ``(s, n)``, and further csv files by name."""

    text: Callable[[int, int], str]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def write(cube: ScoreCube, folder: Path, report: Report, extra: Extra | None = None) -> None:
    """Write every file of a result folder, or none.

    Parameters
    ----------
    cube : ScoreCube
        A finished study; its ``provenance`` becomes the manifest.
    folder : Path
        New, empty, or an earlier result folder, which is then replaced.
    report : callable
        Makes the text of ``report.html`` from the cube.
    extra : Extra, optional
        What an audit that is more than a study adds.

    Raises
    ------
    OptionError
        When the folder holds something else, or cannot be written.
    """
    extra = extra or Extra(perturbation_of(cube).text)
    csv_tables = {**file_tables.measured(cube, extra.text), **extra.tables}
    score_tables = file_tables.scores(cube)
    if note := file_tables.note_on_flips(cube, len(csv_tables["flips.csv"])):
        cube = replace(cube, provenance={**cube.provenance, "notes": [*cube.provenance.get("notes", ()), note]})
    with atomic_directory(folder) as aside:
        _put(cube, aside, csv_tables, score_tables)
        write_json(aside / "summary.json", tables.summary(cube))
        (aside / REPORT).write_text(report(cube), encoding="utf-8")
        safe = {name: table.rename(columns=neutral) for name, table in csv_tables.items()}
        write_json(aside / datapackage.FILE, datapackage.describe(aside, {**safe, **score_tables}))


def write_data(cube: ScoreCube, folder: Path) -> None:
    """Write what `read` needs and nothing that is measured; the rest can be made of it, and put there by `fill`.

    Raises
    ------
    OptionError
        As `write`.
    """
    with atomic_directory(folder) as aside:
        _put(cube, aside, file_tables.data(cube), file_tables.scores(cube))


def is_complete(folder: Path) -> bool:
    """Whether a result folder has what is measured, not only what `write_data` writes."""
    return (folder / REPORT).is_file()


def fill(folder: Path, whole: Path) -> None:
    """Move the files of a whole result folder into one of the same study that has only its data.

    The report comes last: where it is, everything is.
    """
    for file in sorted(whole.iterdir(), key=lambda file: file.name == REPORT):
        os.replace(file, folder / file.name)


def read(folder: Path) -> ScoreCube:
    """Open a result folder.

    Raises
    ------
    RunFolderError
        When a file is missing, damaged, or does not fit the others.
    """
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
        shape = len(frames[0]), len(frames[0].columns)
        sentences = _read_csv(folder / files[0], most=shape[0])
        names = _read_csv(folder / files[1], most=shape[1] * len(targets))
        cube = _cube(content, targets, frames, sentences, names.map(plain))
        perturbation_of(cube)  # raises where a span is none
        return cube
    except RunFolderError:
        raise
    except DAMAGES as error:
        got = f"a damaged file ({type(error).__name__}: {error})"
        raise RunFolderError("result folder", got=got[:200], expected="the files that a run writes") from error


def read_scores(path: Path) -> pd.DataFrame:
    """A table of scores from a parquet file, without what pandas wrote about it, which can say anything.

    Raises
    ------
    RunFolderError
        When it declares more scores than the limit.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        declared = file.metadata.num_rows * file.metadata.num_columns
        SCORES.check(declared, field="result folder", error=RunFolderError, of=f"in {path.name[:60]}")
        return file.read(use_threads=False).to_pandas(ignore_metadata=True)


def to_zip(folder: Path) -> bytes:
    """The files of a result folder, and of the folders in it, as the bytes of a zip; links are left out.

    Raises
    ------
    RunFolderError
        When it is deleted meanwhile, or cannot be read: there is no zip of a part of it.
    """
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in _files(folder):
                archive.write(path, path.relative_to(folder).as_posix())
            empty = not archive.filelist
    except OSError as error:
        raise _unreadable(error.strerror or type(error).__name__) from error
    if empty:
        raise _unreadable("no files")
    return buffer.getvalue()


def _files(folder: Path) -> list[Path]:
    """Every file in a folder and below; what is about to become one, and what is no file, is left out."""
    found = [path for path in sorted(folder.rglob("*")) if not path.name.startswith(atomic.UNFINISHED)]
    return [path for path in found if stat.S_ISREG(path.lstat().st_mode)]


def _unreadable(got: str) -> RunFolderError:
    fix = "Open its page again: the run may have been deleted."
    return RunFolderError("result folder", got=got, expected="the files that a run writes", fix=fix)


def read_zip(content: bytes) -> ScoreCube:
    """Open a zipped result folder; its paths are not trusted, only known file names are taken."""
    with tempfile.TemporaryDirectory() as place:
        return bounded.call(unpacked, content, Path(place), field="zip", error=RunFolderError)


def unpacked(content: bytes, path: Path) -> ScoreCube:
    """`read_zip` in this process, which has to be one with limits; `place` is an empty folder."""
    archives.unpack(content, path, lambda name: name in TABLES or name.startswith("scores."))
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
    frames: list[pd.DataFrame],
    sentences: pd.DataFrame,
    names: pd.DataFrame,
) -> ScoreCube:
    score_columns = [column for column in sentences.columns if column.startswith("original.")]
    sentences = spreadsheet.displace(sentences.drop(columns=score_columns))
    names = names[names["target"] == targets[0].name]
    given = content["name_columns"]
    names = pd.DataFrame({column: names[_heading(column, names, given)].tolist() for column in given})
    columns = [file_tables.score_heading(name) for name in names["name"]]
    for frame in frames:
        if frame["sentence_id"].astype(str).tolist() != sentences["sentence_id"].tolist():
            raise ValueError("scores and sentences.csv list different sentences")
    return ScoreCube(
        sentences=sentences,
        names=names.reset_index(drop=True),
        targets=targets,
        original=np.stack([frame["original"].to_numpy(np.float32) for frame in frames], axis=1),
        perturbed=np.stack([frame[columns].to_numpy(np.float32) for frame in frames], axis=2),
        provenance=content,
    )


def _put(
    cube: ScoreCube, path: Path, csv_tables: Mapping[str, pd.DataFrame], score_tables: Mapping[str, pd.DataFrame]
) -> None:
    write_json(path / MANIFEST, {**cube.provenance, "name_columns": cube.names.columns.tolist()})
    for name, table in csv_tables.items():
        spreadsheet.write(table, path / name)
    for name, table in score_tables.items():
        table.to_parquet(path / name, index=False)


def _heading(column: str, names: pd.DataFrame, given: list[str]) -> str:
    """Where a column of the name list stands in names.csv: one that is called like a measure has another heading."""
    heading = f"{column} (group)"
    return heading if heading in names.columns and heading not in given else column


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
