"""A study's result folder: written all or nothing, opened again as the same cube."""

from __future__ import annotations

import io
import json
import lzma
import math
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import tables
from psa_core.cube import SENTENCE_COLUMNS, ScoreCube, Target
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import json_file
from psa_core.folders.writing import MANIFEST, whole_folder
from psa_core.inputs import spreadsheet
from psa_core.inputs.spreadsheet import neutral, plain
from psa_core.study import StudySpec, perturbation_of

MAX_ZIP_BYTES = 2 * 2**30
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, ValueError, RuntimeError, EOFError)
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
#: Entries of a manifest that pages and reports look into.
_KINDS = {"study": dict, "inputs": dict, "account": dict, "versions": dict, "notes": list, "name_columns": list}
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
    with whole_folder(folder) as aside:
        write_json(aside / MANIFEST, {**cube.provenance, "name_columns": cube.names.columns.tolist()})
        write_csv(aside / "sentences.csv", _sentences(cube))
        write_csv(aside / "names.csv", _per_target(cube, tables.name_table, last=("effect_size",)))
        write_csv(aside / "label_dist.csv", _per_target(cube, tables.label_dist_table, last=("low", "high")))
        write_csv(aside / "flips.csv", pd.concat([_flips(cube, target.name, extra.text) for target in cube.targets]))
        write_json(aside / "summary.json", tables.summary(cube))
        for target in cube.targets:
            scores(cube, target.name).to_parquet(aside / f"scores.{target.name}.parquet", index=False)
        (aside / "report.html").write_text(report(cube), encoding="utf-8")
        for name, table in extra.tables.items():
            write_csv(aside / name, table)


def read(folder: Path) -> ScoreCube:
    """Open a result folder.

    Raises
    ------
    RunFolderError
        When a file is missing, damaged, or does not fit the others.
    """
    try:
        manifest = _manifest(folder / MANIFEST)
        targets = _targets(manifest["targets"])
        files = ["sentences.csv", "names.csv", *(f"scores.{target.name}.parquet" for target in targets)]
        missing = [name for name in files if not (folder / name).is_file()]
        if missing:
            raise RunFolderError("result folder", got=f"no {missing[0]}", expected="the files that a run writes")
        frames = [pd.read_parquet(folder / name) for name in files[2:]]
        sentences, names = _read_csv(folder / files[0]), _read_csv(folder / files[1])
        cube = _cube(manifest, targets, frames, sentences, names.map(plain))
        if "mentions" in cube.sentences:
            perturbation_of(cube)  # raises where a span is none
        return cube
    except FileNotFoundError as error:
        raise RunFolderError("result folder", got=f"no {MANIFEST}", expected="the files that a run writes") from error
    except RunFolderError:
        raise
    except DAMAGES as error:
        got = f"a damaged file ({type(error).__name__}: {error})"
        raise RunFolderError("result folder", got=got[:200], expected="the files that a run writes") from error


def to_zip(folder: Path) -> bytes:
    """The files of a result folder as the bytes of a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return buffer.getvalue()


def read_zip(content: bytes) -> ScoreCube:
    """Open a zipped result folder; its paths are not trusted, only known file names are taken."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, tempfile.TemporaryDirectory() as place:
            if sum(item.file_size for item in archive.infolist()) > MAX_ZIP_BYTES:
                raise RunFolderError("zip", got="more than 2 GB unpacked", expected="a result folder")
            for item in archive.infolist():
                name = Path(item.filename).name
                if name in (MANIFEST, "sentences.csv", "names.csv") or name.startswith("scores."):
                    (Path(place) / name).write_bytes(archive.read(item))
            return read(Path(place))
    except ZIP_FAULTS as error:
        raise RunFolderError(
            "zip", got="a file that is no zip, or a damaged one", expected="the zip that a report page saved"
        ) from error


def scores(cube: ScoreCube, target: str) -> pd.DataFrame:
    """One target's scores: a row a sentence with ``sentence_id``, ``original`` and one float32 column a name."""
    original, perturbed = cube.of(target)
    keys = pd.DataFrame({"sentence_id": cube.sentences["sentence_id"].to_numpy(), "original": original})
    return pd.concat([keys, pd.DataFrame(perturbed, columns=cube.names["name"].tolist())], axis=1)


def _manifest(path: Path) -> dict[str, Any]:
    """A manifest whose entries are of the kinds that the rest of the program relies on; else raises `ValueError`."""
    manifest = json_file.read(path)
    for name, kind in _KINDS.items():
        if not isinstance(manifest.get(name, kind()), kind):
            raise ValueError(f"{name} in {MANIFEST} is no {kind.__name__}")
    counts, sources = manifest.get("account", {}).values(), manifest.get("inputs", {}).values()
    if not all(type(count) is int for count in counts) or not all(isinstance(source, dict) for source in sources):
        raise ValueError(f"a wrong value in {MANIFEST}")
    if "study" in manifest:
        StudySpec.from_mapping(manifest["study"])
    return manifest


def _targets(rows: list[dict[str, Any]]) -> tuple[Target, ...]:
    """The targets of a manifest; raises `ValueError` when they are none, or have no range."""
    targets = tuple(Target(**row) for row in rows)
    for target in targets:
        if not -np.inf < float(target.low) < float(target.high) < np.inf or not np.isfinite(target.default_threshold):
            raise ValueError(f"no range of {target.name}")
    if not targets or len({target.name for target in targets}) < len(targets):
        raise ValueError("no targets, or one twice")
    return targets


def _cube(
    manifest: dict[str, Any],
    targets: tuple[Target, ...],
    frames: list[pd.DataFrame],
    sentences: pd.DataFrame,
    names: pd.DataFrame,
) -> ScoreCube:
    score_columns = [column for column in sentences.columns if column.startswith("original.")]
    sentences = spreadsheet.displace(sentences.drop(columns=score_columns))
    names = names[names["target"] == targets[0].name]
    names = pd.DataFrame({column: _group(names, column) for column in manifest["name_columns"]})
    columns = names["name"].tolist()
    for frame in frames:
        if frame["sentence_id"].astype(str).tolist() != sentences["sentence_id"].tolist():
            raise ValueError("scores and sentences.csv list different sentences")
    return ScoreCube(
        sentences=sentences,
        names=names.reset_index(drop=True),
        targets=targets,
        original=np.stack([frame["original"].to_numpy(np.float32) for frame in frames], axis=1),
        perturbed=np.stack([frame[columns].to_numpy(np.float32) for frame in frames], axis=2),
        provenance=manifest,
    )


def _sentences(cube: ScoreCube) -> pd.DataFrame:
    originals = {f"original.{target.name}": cube.original[:, t] for t, target in enumerate(cube.targets)}
    groups = [column for column in cube.sentences.columns if column not in SENTENCE_COLUMNS]
    table = cube.sentences[[*SENTENCE_COLUMNS, *groups]].assign(**originals)
    return spreadsheet.place(table)


def _group(names: pd.DataFrame, column: str) -> list[str]:
    """A column of the name list; one that is called like a measure stands under another heading."""
    heading = f"{column} (group)"
    return names[heading if heading in names.columns else column].tolist()


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
    flips = tables.flip_table(cube, target)
    spreadsheet = zip(flips["sentence_position"].tolist(), flips["name_position"].tolist(), strict=True)
    kept = flips.drop(columns=["sentence_position", "name_position"])
    return kept.assign(text=[text(sentence, name) for sentence, name in spreadsheet])


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table as UTF-8 CSV, its texts made harmless to spreadsheets."""
    text_columns = [name for name in table.columns if not pd.api.types.is_numeric_dtype(table[name])]
    safe = table.assign(**{name: table[name].map(neutral) for name in text_columns})
    safe.rename(columns=neutral).to_csv(path, index=False, encoding="utf-8")


def _read_csv(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8").rename(columns=plain)


def read_json(path: Path) -> Any:
    """Read JSON as `write_json` writes it; raises `ValueError` for numbers that JSON does not know."""
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number of JSON")
    return number


def write_json(path: Path, content: Any) -> None:
    """Write indented JSON; a number that JSON does not know (NaN, infinity) is an error here, not a surprise there."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
