"""``datapackage.json``: what the files of a result folder are, for programs that read Frictionless data packages."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from psa_core.registry import ASSETS

FILE = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
#: What each file and column is, in words.
WORDS = ASSETS / "result_files.json"


def describe(folder: Path, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """The description of tables by file name that were just written into a folder.

    A data package (version 2) with one resource a file: path, size, hash, columns with their types, keys.
    """
    words = json.loads(WORDS.read_text(encoding="utf-8"))
    return {
        "$schema": PROFILE,
        "name": "perturbation-sensitivity",
        "title": "Scores of sentences with exchanged names",
        "resources": [_resource(folder / name, table, words) for name, table in tables.items()],
    }


def _resource(path: Path, table: pd.DataFrame, words: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    content = path.read_bytes()
    kind = re.sub(r"\..*", ".*", path.stem)  # one file a target
    csv = {"format": "csv", "mediatype": "text/csv", "encoding": "utf-8", "dialect": {"delimiter": ","}}
    parquet = {"format": "parquet", "mediatype": "application/vnd.apache.parquet"}
    fields = [_field(str(name), table[name], words["columns"]) for name in table]
    schema: dict[str, Any] = {"fields": fields, "missingValues": [""]}
    if path.name == "sentences.csv":
        schema |= {"primaryKey": ["sentence_id"]}
    elif "sentence_id" in table.columns:
        reference = {"resource": "sentences", "fields": ["sentence_id"]}
        schema |= {"foreignKeys": [{"fields": ["sentence_id"], "reference": reference}]}
    return {
        "name": re.sub(r"[^a-z0-9._-]", "-", path.name.removesuffix(path.suffix).lower()),  # as packages want it
        "path": path.name,
        "description": words["files"].get(kind, "A table of this audit."),
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        **(parquet if path.suffix == ".parquet" else csv),
        "schema": schema,
    }


def _field(name: str, values: pd.Series, words: Mapping[str, str]) -> dict[str, Any]:
    types = pd.api.types
    checks = {"boolean": types.is_bool_dtype, "integer": types.is_integer_dtype, "number": types.is_numeric_dtype}
    kind = next((kind for kind, check in checks.items() if check(values)), "string")
    known = {"description": words[name]} if name in words else {}
    return {"name": name, "type": kind, **known}
