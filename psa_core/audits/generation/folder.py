"""Write and read the result folder of a language model audit."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.cutting import cut
from psa_core.audits.generation.planning import AUDIT
from psa_core.audits.generation.quality import occupation_counts
from psa_core.audits.generation.tables import Tables
from psa_core.audits.zipped import unzip
from psa_core.errors import RunFolderError
from psa_core.folders import manifest as manifests
from psa_core.folders.results import DAMAGES, read_scores, targets_of, write_json
from psa_core.folders.writing import MANIFEST, whole_folder
from psa_core.inputs import archives, bounded, json_file, spreadsheet
from psa_core.inputs.limits import FILE
from psa_core.inputs.spreadsheet import plain

CONTINUATIONS, SCORES = "continuations.parquet", "scores.parquet"
PAIRS, MATRIX, VALUES, SUMMARY, REPORT = "pairs.csv", "matrix.csv", "values.csv", "summary.json", "report.html"
OCCUPATIONS = "occupations.csv"
MEASURES = ("individual_fairness", "group_fairness", "demographic_disparity")
EXPECTED = "the files that `python -m psa_core generate` writes"
#: The fields of a manifest that are read again, or shown.
KINDS: manifests.Kinds = {
    "continuations": ("a count", manifests.is_count),
    "setting": ("a text", manifests.is_text),
    "generator": ("a table", manifests.is_table_of(lambda value: isinstance(value, str | bool))),
    "prompts": ("a table of texts", manifests.is_table_of(manifests.is_text)),
    "template_list": ("a list of texts", manifests.is_list_of(manifests.is_text)),
    "value_columns": ("a list of headers", manifests.is_list_of(manifests.is_text)),
    "value_table": ("a list of tables of texts", manifests.is_list_of(manifests.is_table_of(manifests.is_text))),
}
Key = tuple[str, str, int]
Report = Callable[[GenerationCube, Tables], str]


@dataclass(frozen=True, eq=False)
class GenerationResult:
    """A result folder.

    Attributes
    ----------
    cube : GenerationCube
        Its provenance is the manifest.
    tables : Tables
        As they were written; nothing is measured again.
    """

    cube: GenerationCube
    tables: Tables

    @property
    def manifest(self) -> dict[str, Any]:
        """What the run was."""
        return dict(self.cube.provenance)


def write(
    cube: GenerationCube, tables: Tables, folder: Path, *, sampled: Mapping[Key, str], prompts: list[list[str]],
    report: Report,
) -> None:  # fmt: skip
    """Write every file of the folder, or none.

    Parameters
    ----------
    cube : GenerationCube
    tables : Tables
    folder : Path
        New, empty, or an earlier result.
    sampled : mapping
        Texts as sampled, by (template, prompt, k): what a later run need not generate again.
    prompts : M lists of A prompts
    report : callable
        Makes the text of ``report.html``.
    """
    m, a, k = cube.shape
    cells = [(t, v, n) for t in range(m) for v in range(a) for n in range(k)]
    templates, values = cube.templates["template"].tolist(), cube.values["value"].tolist()
    keys = pd.DataFrame(
        {
            "template": [templates[t] for t, _, _ in cells],
            "value": [values[v] for _, v, _ in cells],
            "k": np.array([n for _, _, n in cells], np.int64),
        }
    )
    texts = keys.assign(
        prompt=[prompts[t][v] for t, v, _ in cells],
        continuation=cube.texts.ravel(),
        sampled=[sampled.get((templates[t], prompts[t][v], n)) for t, v, n in cells],
    )
    scores = pd.concat([keys, pd.DataFrame(cube.scores.reshape(m * a * k, -1), columns=cube.scorers)], axis=1)
    manifest = {
        **cube.provenance,
        "value_columns": [str(column) for column in cube.values.columns],
        "value_table": cube.values.astype(str).to_dict("records"),
        "template_list": templates,
        "targets": [vars(target) for target in cube.targets],
    }
    with whole_folder(folder) as place:
        write_json(place / MANIFEST, manifest)
        texts.to_parquet(place / CONTINUATIONS, index=False)
        scores.to_parquet(place / SCORES, index=False)
        spreadsheet.write(tables.pairs, place / PAIRS)
        spreadsheet.write(tables.matrix, place / MATRIX)
        spreadsheet.write(tables.values, place / VALUES)
        spreadsheet.write(occupation_counts(cube), place / OCCUPATIONS)
        write_json(place / SUMMARY, tables.summary)
        (place / REPORT).write_text(report(cube, tables), encoding="utf-8")


def is_generation(folder: Path) -> bool:
    """Whether a folder's manifest says that it is one of these."""
    try:
        return json_file.read(folder / MANIFEST).get("audit") == AUDIT
    except (OSError, ValueError):
        return False


def read(folder: Path) -> GenerationResult:
    """Open such a folder; raises `RunFolderError` when it is another one, or a file is missing or damaged."""
    folder = Path(folder)
    if not is_generation(folder):
        raise RunFolderError("result folder", got="another folder", expected="an audit of a language model")
    manifest = manifests.read(folder / MANIFEST, KINDS)
    try:
        cube = _cube(manifest, read_texts(folder), read_scores(folder / SCORES))
        summary = json_file.read(folder / SUMMARY)
        if not all(isinstance(summary[scorer][measure], dict) for scorer in cube.scorers for measure in MEASURES):
            raise ValueError("a summary without a measure")
        pairs, matrix, values = (_frame(folder / name) for name in (PAIRS, MATRIX, VALUES))
        return GenerationResult(cube, Tables(pairs, matrix, values, summary))
    except RunFolderError:
        raise
    except (*DAMAGES, *archives.FAULTS) as error:
        got = f"a file missing or damaged ({type(error).__name__}: {error})"[:300]
        raise RunFolderError("result folder", got=got, expected=EXPECTED) from error


def read_texts(folder: Path) -> pd.DataFrame:
    """The continuations of a folder: template, value, k, prompt and text as sampled, None where there is none.

    Raises
    ------
    RunFolderError
        When they are more than the limit.
    """
    table = read_scores(folder / CONTINUATIONS)[["template", "value", "k", "prompt", "sampled"]]
    FILE.check(int(table["sampled"].str.len().sum()), field="result folder", error=RunFolderError, of="of texts")
    return table


def read_zip(content: bytes) -> GenerationResult:
    """Open a zipped result folder."""
    with tempfile.TemporaryDirectory() as place:
        return bounded.call(_read_zip, content, Path(place), field="zip", error=RunFolderError)


def _read_zip(content: bytes, place: Path) -> GenerationResult:
    unzip(content, place)
    return read(place)


def _cube(manifest: dict[str, Any], texts: pd.DataFrame, scores: pd.DataFrame) -> GenerationCube:
    values = pd.DataFrame(manifest["value_table"], columns=manifest["value_columns"], dtype=str)
    templates = [str(template) for template in manifest["template_list"]]
    targets = targets_of(manifest["targets"])
    shape = (len(templates), len(values), int(manifest["continuations"]))
    for table in (texts, scores):
        if len(table) != shape[0] * shape[1] * shape[2]:
            raise ValueError(f"{len(table)} rows, not {shape[0]} x {shape[1]} x {shape[2]}")
        order = zip(table["template"], table["value"], strict=True)
        if list(dict.fromkeys(order)) != [(t, v) for t in templates for v in values["value"]]:
            raise ValueError("templates and values in another order than the manifest's")
    kept = [cut(text) if isinstance(text, str) else "" for text in texts["sampled"]]
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        numbers = scores[[target.name for target in targets]].to_numpy(np.float32)
    return GenerationCube(
        pd.DataFrame({"template": templates}),
        values,
        targets,
        np.array(kept, object).reshape(shape),
        numbers.reshape(*shape, len(targets)),
        manifest,
    )


def _frame(path: Path) -> pd.DataFrame:
    """A table as it was: texts plain again, numbers as numbers."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8").rename(columns=plain)
    texts = {"scorer", "template", "value", "value_a", "value_b"}
    measures = {
        "w1", "floor", "corrected", "p_value", "p_adjusted", "difference", "disparity", "mean", "low", "high", "share",
        "kept", "left_out", "mean_a", "mean_b",
    }  # fmt: skip
    for column in table.columns:
        numeric = column in measures and column not in texts
        table[column] = pd.to_numeric(table[column]) if numeric else table[column].map(plain)
    return table
