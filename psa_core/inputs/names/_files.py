"""Read names from a file or a text box."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import pandas as pd

from psa_core.errors import NameListError
from psa_core.inputs import limits, tables
from psa_core.inputs.names._base import NameList, from_table
from psa_core.inputs.tables import TableSchema
from psa_core.plurals import counted

MAX_BYTES = limits.NAMES_FILE.default * limits.MB
FORMATS = ("csv", "tsv", "txt", "jsonl", "parquet")
NAMES = TableSchema(
    "names",
    NameListError,
    FORMATS,
    row="one name a row",
    headers=frozenset({"name"}),
    line="name",
    blanks=False,
    rows=limits.NAMES,
    columns=limits.NAME_COLUMNS,
    file=limits.NAMES_FILE,
)


def read_names(filename: str, data: bytes, name_column: str | None = None) -> NameList:
    """Read the bytes of a file whose ending tells the format; any other ending is taken for text.

    Parameters
    ----------
    filename : str
        ``*.csv``, ``*.tsv``, ``*.jsonl`` and ``*.parquet`` have a ``name`` column and any group columns; text has one
        name a line. Each may be gzipped.
    data : bytes
        UTF-8, UTF-16 or UTF-32 with a mark, or what the letters look like; see `limits` for how many.
    name_column : str, optional
        Another column than ``name`` that the names are in.

    Raises
    ------
    NameListError
        When the bytes are too many, are no text or no table, there is no such column, or the names cannot be studied;
        see `from_table`.

    Examples
    --------
    >>> read_names("people.csv", b"name,gender\\nAnn, female\\nBob, male\\n").table["gender"].tolist()
    ['female', 'male']
    """
    frame, notes = _read(filename, data)
    if name_column is not None:
        frame = _with_names_from(frame, " ".join(name_column.split()))
    names = from_table(frame, PurePath(filename).name)
    return replace(names, id=filename, provenance=f"file {filename}", notes=(*notes, *names.notes))


def name_columns(filename: str, data: bytes) -> tuple[str, ...]:
    """The columns of a file that may hold the names, likeliest first.

    That is ``name``, then columns of words rather than numbers, of them those that are headed like one or have most
    different values.

    Raises
    ------
    NameListError
        When the bytes are too many, are no text or no table.

    Examples
    --------
    >>> name_columns("people.csv", b"no,who,team\\n1,Ann,A\\n2,Bob,A\\n")
    ('who', 'team', 'no')
    """
    frame, _ = _read(filename, data)

    def unlikely(column: str) -> tuple[bool, bool, bool, int]:
        words = frame[column].str.contains(r"[^\W\d_]").mean() > 0.5
        header = column.casefold()
        return header != "name", not words, "name" not in header, -frame[column].nunique()

    return tuple(sorted(map(str, frame.columns), key=unlikely))


def _read(filename: str, data: bytes) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows of a file, and what was left out of them."""
    kind = tables.kind_of(filename)
    table = tables.read(filename, data, NAMES, kind=kind if kind in FORMATS else "txt")
    if kind in FORMATS and kind != "txt":
        return table.frame[(table.frame != "").any(axis=1)], table.notes
    return _from_lines(table.frame["name"].tolist()), table.notes


def _with_names_from(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The frame with that column called ``name``; another one of that name makes room."""
    if column not in frame.columns:
        listed = ", ".join(str(other)[:40] for other in frame.columns[:12])
        raise NAMES.error("name column", got=repr(column[:80]), expected=f"one of {listed}", fix="Choose a column.")
    others = [other for other in frame.columns if other == column or str(other).casefold() != "name"]
    return frame[others].rename(columns={column: "name"})


def from_text(text: str, title: str = "Typed names") -> NameList:
    """Take typed names: one a line, or a single line with commas or semicolons between them.

    Raises
    ------
    NameListError
        See `from_table`.

    Examples
    --------
    >>> from_text("Ann, Bob").table["name"].tolist()
    ['Ann', 'Bob']
    """
    content = text.encode(errors="replace")
    NAMES.check(NAMES.file, len(content))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return replace(from_table(_from_lines([line for line in lines if line.strip()]), title), provenance="typed")


def from_memory(given: Any, name_column: str | None = None) -> NameList:
    """Names in memory: a data frame as `from_table` takes it, or a list of names.

    Raises
    ------
    NameListError
        When it is neither, one of the names is no string, or the names cannot be studied; see `from_table`.

    Examples
    --------
    >>> from_memory(["Ann", "Bob"]).title
    '2 names of a list'
    """
    frame = given.to_pandas() if hasattr(given, "to_pandas") else given
    if isinstance(frame, pd.DataFrame):
        title = f"{counted(len(frame), 'name')} of a data frame"
        headed = frame if name_column is None else _with_names_from(frame, " ".join(name_column.split()))
        return replace(from_table(headed, title), provenance="given in Python")
    if isinstance(frame, bytes | Mapping) or not isinstance(frame, Iterable):
        raise NAMES.error("names", got=repr(given)[:60], expected="an id, a file, a list of names or a data frame")
    listed = list(frame)
    for number, name in enumerate(listed, start=1):
        if not isinstance(name, str):
            raise NAMES.error("names", got=f"{name!r:.60} as name {number}", expected="a string")
    title = f"{counted(len(listed), 'name')} of a list"
    return replace(from_table(pd.DataFrame({"name": listed}, dtype=object), title), provenance="given in Python")


def _from_lines(lines: list[str]) -> pd.DataFrame:
    """Names one a line; a header ``name`` may stand above them, with group columns beside it."""
    if lines and tables.has_header(lines[0], NAMES):
        content = "\n".join(lines).encode(errors="replace")
        return tables.read("names.csv", content, NAMES).frame
    if len(lines) == 1:
        lines = lines[0].replace(";", ",").split(",")
    return pd.DataFrame({"name": lines}, dtype=object)
