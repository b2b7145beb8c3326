"""``datapackage.json``: what the files of a result folder are, for programs that read Frictionless data packages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

FILE = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
ABOUT = {
    "sentences": "One row a sentence, with its anchor and its score as it stands.",
    "names": "One row a target and name: its mean effect with interval and tests, and what it does to the labels.",
    "groups": "Each group of names against the other names.",
    "selection": "How often texts with each group's names are selected, and the ratio to the highest rate.",
    "label_dist": "LabelDist and flips at every threshold.",
    "flips": "One row a flip: a cell whose label differs from its sentence's original label.",
}
CONTROLS = "Scores of one target with neutral edits: column 0 is the text unedited, with one name in it."
SCORES = "Scores of one target: one row a sentence, with its original score, then one column a name."
COLUMNS = {
    "sentence_id": "identifier of the sentence",
    "text": "the sentence; in flips, with the name in it",
    "anchor": "what the name replaces",
    "start": "where the anchor starts, in characters",
    "end": "where it ends",
    "role": "its grammatical role",
    "name": "the name",
    "target": "the output of the model",
    "threshold": "label = score >= threshold",
    "original": "score of the sentence as it is",
    "perturbed": "score of the sentence with the name",
    "direction": "up: 0 to 1; down: 1 to 0",
    "score_sens": "mean over sentences of perturbed - original (ScoreSens)",
    "ci_low": "lower end of its 95 % interval",
    "ci_high": "upper end of its 95 % interval",
    "p_value": "paired t-test over sentences",
    "p_adjusted": "corrected by Holm's method",
    "label_dist": "Jaccard distance between the labels before and after (LabelDist)",
    "score_sens_size": "score_sens in standard deviations of the differences over sentences (Cohen's d_z)",
    "effect": "mean difference from the typical name",
    "effect_size": "effect in standard deviations of the differences over sentences (Cohen's d_z)",
    "texts": "texts (sentence and name) with an answer",
    "selected": "texts selected; ties at the edge of a top count in part",
    "rate": "selected / texts",
    "impact_ratio": "rate over the highest rate of a group of two names or more",
    "flips_up": "labels that appear",
    "flips_down": "labels that disappear",
}


def describe(folder: Path, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """The description of tables by file name that were just written into a folder.

    A data package (version 2) with one resource a file: path, size, hash, columns with their types, keys.
    """
    return {
        "$schema": PROFILE,
        "name": "perturbation-sensitivity",
        "title": "Scores of sentences with exchanged names",
        "resources": [_resource(folder / name, table) for name, table in tables.items()],
    }


def _resource(path: Path, table: pd.DataFrame) -> dict[str, Any]:
    content = path.read_bytes()
    of_scores = CONTROLS if path.name.startswith("controls.") else SCORES
    about = of_scores if path.suffix == ".parquet" else "A table of this audit."
    csv = {"format": "csv", "mediatype": "text/csv", "encoding": "utf-8", "dialect": {"delimiter": ","}}
    parquet = {"format": "parquet", "mediatype": "application/vnd.apache.parquet"}
    schema: dict[str, Any] = {"fields": [_field(str(name), table[name]) for name in table], "missingValues": [""]}
    if path.name == "sentences.csv":
        schema |= {"primaryKey": ["sentence_id"]}
    elif "sentence_id" in table.columns:
        reference = {"resource": "sentences", "fields": ["sentence_id"]}
        schema |= {"foreignKeys": [{"fields": ["sentence_id"], "reference": reference}]}
    return {
        "name": re.sub(r"[^a-z0-9._-]", "-", path.name.removesuffix(path.suffix).lower()),  # as packages want it
        "path": path.name,
        "description": ABOUT.get(path.stem, about),
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        **(parquet if path.suffix == ".parquet" else csv),
        "schema": schema,
    }


def _field(name: str, values: pd.Series) -> dict[str, Any]:
    kinds = pd.api.types
    kind = "string"
    if kinds.is_bool_dtype(values):
        kind = "boolean"
    elif kinds.is_integer_dtype(values):
        kind = "integer"
    elif kinds.is_numeric_dtype(values):
        kind = "number"
    known = {"description": COLUMNS[name]} if name in COLUMNS else {}
    return {"name": name, "type": kind, **known}
