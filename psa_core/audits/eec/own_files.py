"""What a user brings in the place of the paper's: parts of the design, and how well systems do their task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.errors import CorpusError
from psa_core.inputs import limits, tables
from psa_core.inputs.checks import bytes_of
from psa_core.inputs.tables import TableSchema

PARTS = tuple(corpus.COLUMNS)
TASK_COLUMNS = ("system", "score")


def own_design(spelling: str, files: dict[str, str]) -> corpus.Design:
    """The published design with some parts from csv files; their columns are checked by `corpus.Design`."""
    own = {part: read_part(part, Path(path)) for part, path in files.items() if path}
    return replace(corpus.published_design(spelling), **own)


def read_part(part: str, path: Path) -> pd.DataFrame:
    """One part of a design from a csv file; every cell is a string."""
    return parse_part(part, _content(f"EEC {part}", path))


def parse_part(part: str, content: bytes) -> pd.DataFrame:
    """The same from the bytes of the file."""
    return _table(f"EEC {part}", corpus.COLUMNS[part], content)


def read_task_scores(path: Path) -> dict[str, float]:
    """How well each system does its task, from a csv file with the columns ``system`` and ``score``."""
    return parse_task_scores(_content("task scores", path))


def parse_task_scores(content: bytes) -> dict[str, float]:
    """The same from the bytes of the file."""
    table = _table("task scores", TASK_COLUMNS, content)
    missing = [column for column in TASK_COLUMNS if column not in table.columns]
    if missing:
        raise CorpusError("task scores", got=f"no column {missing[0]}", expected="columns system, score")
    return {system: finite(system, score) for system, score in zip(table["system"], table["score"], strict=True)}


def finite(system: str, score: object) -> float:
    """A task score as a number; raises `CorpusError` where it is none."""
    try:
        number = float(str(score))
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise CorpusError("task scores", got=f"{str(score)[:40]!r} for {system[:40]}", expected="a finite number")
    return number


def _content(field: str, path: Path) -> bytes:
    try:
        return bytes_of(path, limits.NAMES_FILE, field=field, error=CorpusError)
    except (OSError, ValueError) as error:
        raise CorpusError(field, got=f"no file at {str(path)!r}", expected="a csv file") from error


def _table(field: str, columns: tuple[str, ...], content: bytes) -> pd.DataFrame:
    wanted = TableSchema(
        field,
        CorpusError,
        ("csv",),
        row=f"a csv file with columns {', '.join(columns)}",
        headers=frozenset(columns),
        rows=limits.NAMES,
        columns=limits.NAME_COLUMNS,
        file=limits.NAMES_FILE,
    )
    return tables.read(f"{field.replace(' ', '-')}.csv", content, wanted).frame
