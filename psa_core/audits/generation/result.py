"""The result of a language model audit: its files, and opening them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from psa_core.audits.generation.cube import FULL_STOP, GenerationCube, cut
from psa_core.audits.generation.journal import CONTINUATIONS, Key
from psa_core.audits.generation.quality import imported_quality, occupation_counts
from psa_core.audits.generation.tables import Tables, tables
from psa_core.errors import RunFolderError
from psa_core.folders import manifest as manifests
from psa_core.folders.results import read_scores, targets_of
from psa_core.inputs import json_file
from psa_core.inputs.limits import FILE
from psa_core.inputs.spreadsheet import plain

SCORES = "scores.parquet"
PAIRS, MATRIX, VALUES, SUMMARY = "pairs.csv", "matrix.csv", "values.csv", "summary.json"
OCCUPATIONS = "occupations.csv"
MEASURES = ("individual_fairness", "group_fairness", "demographic_disparity")
#: Columns of numbers; any other is a group or a name.
NUMBERS = {
    "w1", "floor", "corrected", "p_value", "p_adjusted", "difference", "difference_low", "difference_high", "disparity",
    "mean", "low", "high", "share", "kept", "left_out", "mean_a", "mean_b",
}  # fmt: skip
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
AnyTables = TypeVar("AnyTables")


@dataclass(frozen=True, eq=False)
class WrittenResult(Generic[AnyTables]):
    """A result folder: the cube with its manifest, and the tables as they were written; nothing is measured again.

    `texts` is a `texts_table`; None in a folder that is opened to be looked at.
    """

    cube: GenerationCube
    tables: AnyTables
    texts: pd.DataFrame | None = None

    @property
    def manifest(self) -> dict[str, Any]:
        return {
            **self.cube.provenance,
            "value_columns": [str(column) for column in self.cube.values.columns],
            "value_table": self.cube.values.astype(str).to_dict("records"),
            "template_list": self.cube.templates["template"].tolist(),
            "targets": [vars(target) for target in self.cube.targets],
        }


GenerationResult = WrittenResult[Tables]


def texts_table(cube: GenerationCube, prompts: Sequence[str], sampled: Mapping[Key, str]) -> pd.DataFrame:
    """One row a continuation: its prompt (of M · A, values fastest), the text that counts, and the text as sampled.

    `sampled` has these by (template, prompt, k): what a later run need not generate again.
    """
    keys = keys_of(cube)
    asked = [prompt for prompt in prompts for _ in range(cube.shape[2])]
    known = [sampled.get(key) for key in zip(keys["template"], asked, keys["k"], strict=True)]
    return keys.assign(prompt=asked, continuation=cube.texts.ravel(), sampled=known)


def keys_of(cube: GenerationCube) -> pd.DataFrame:
    m, a, k = cube.shape
    return pd.DataFrame(
        {
            "template": np.repeat(cube.templates["template"].to_numpy(), a * k),
            "value": np.tile(np.repeat(cube.values["value"].to_numpy(), k), m),
            "k": np.tile(np.arange(k, dtype=np.int64), m * a),
        }
    )


def scores_table(cube: GenerationCube, measured: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """One row a continuation: a column for each measure (M, A, K)."""
    return keys_of(cube).assign(**{name: scores.ravel() for name, scores in measured.items()})


def files(result: GenerationResult) -> dict[str, Any]:
    """Texts, scores, and what is measured of them."""
    cube, found = result.cube, result.tables
    return {
        CONTINUATIONS: result.texts,
        SCORES: scores_table(cube, {scorer: cube.scored_by(scorer) for scorer in cube.scorers}),
        PAIRS: found.pairs,
        MATRIX: found.matrix,
        VALUES: found.values,
        OCCUPATIONS: occupation_counts(cube),
        SUMMARY: found.summary,
    }


def load(folder: Path, manifest: dict[str, Any]) -> GenerationResult:
    """The result of a folder; any damage may raise."""
    cube = cube_of(manifest, read_texts(folder), read_scores(folder / SCORES))
    summary = json_file.read(folder / SUMMARY)
    if not all(isinstance(summary[scorer][measure], dict) for scorer in cube.scorers for measure in MEASURES):
        raise ValueError("a summary without a measure")
    pairs, matrix, values = (table_of(folder / name, NUMBERS.__contains__) for name in (PAIRS, MATRIX, VALUES))
    values[["low", "high"]] = values[["low", "high"]].clip(0, 1)  # which earlier versions let leave the scores' range
    return GenerationResult(cube, Tables(pairs, matrix, values, summary))


def rebuild(result: GenerationResult, folder: Path) -> GenerationResult:
    """Measure again; numbers that need a model are taken over."""
    quality = imported_quality(result.cube, result.tables.summary.get("quality"))
    found = tables(result.cube, quality=quality)
    return GenerationResult(result.cube, found, rewritten_texts(result.cube, folder))


def rewritten_texts(cube: GenerationCube, folder: Path) -> pd.DataFrame:
    """The `texts_table` of a folder."""
    texts = read_texts(folder)
    texts.insert(4, "continuation", cube.texts.ravel())
    return texts


def read_texts(folder: Path) -> pd.DataFrame:
    """The continuations of a folder: template, value, k, prompt and text as sampled, None where there is none."""
    table = read_scores(folder / CONTINUATIONS)[["template", "value", "k", "prompt", "sampled"]]
    FILE.check(int(table["sampled"].str.len().sum()), field="result folder", error=RunFolderError, of="of texts")
    return table


def cube_of(manifest: dict[str, Any], texts: pd.DataFrame, scores: pd.DataFrame) -> GenerationCube:
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
    options = manifest.get("options")
    rule = str(options.get("cut", FULL_STOP)) if isinstance(options, dict) else FULL_STOP
    kept = [cut(text, rule) if isinstance(text, str) else "" for text in texts["sampled"]]
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


def table_of(path: Path, is_number: Callable[[str], bool]) -> pd.DataFrame:
    """A table as it was: texts plain again, numbers as numbers."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8").rename(columns=plain)
    for column in table.columns:
        table[column] = pd.to_numeric(table[column]) if is_number(column) else table[column].map(plain)
    return table
