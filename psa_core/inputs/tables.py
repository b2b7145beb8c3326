"""Read user tables: csv, tsv, txt, jsonl or parquet, gzipped or not.

Sentences, names and predictions differ in their `TableSchema`, not in how a file is read. Sizes are checked as a file
declares them and as they come (see `limits`); what could take more than it shows is read in a process of its own (see
`bounded`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import pandas as pd

from psa_core.errors import PsaError
from psa_core.inputs import bounded
from psa_core.inputs._columns import PART, Columns, TableSchema
from psa_core.inputs._delimited import has_header, read_separated
from psa_core.inputs._jsonl import read_jsonl
from psa_core.inputs._parquet import read_parquet
from psa_core.inputs.decoding import GZIP, MIXED, SAVE_AS_CSV, Text, unpacked

__all__ = ["SMALL", "Table", "TableSchema", "check_ending", "has_header", "kind_of", "read"]

#: A plain file of at most so many bytes is read in place: what it can cost is known.
SMALL = 4 * 2**20
#: How old programs end a text.
END_OF_FILE = b"\x1a"
#: How the names of encodings begin that a file is known to have.
CERTAIN = ("utf", "binary")
#: Endings of what spreadsheet programs write; such a file is never opened.
WORKBOOKS = ("xlsx", "xlsm", "xlsb", "xls", "ods", "numbers")
NO_HEADER = "Column without a header left out: it is no group."
NUMBERED = (
    "The file has no row of headers, so its first row is read as a text like the others. "
    "If it is a header, rename it to text."
)


@dataclass(frozen=True, eq=False)
class Table:
    """A file's rows.

    Attributes
    ----------
    frame : DataFrame
        At least one row; strings, empty where a value is missing; headers distinct and without blanks around them.
    encoding : str
        How the bytes were decoded.
    headers : tuple of str
        Of every column of the file, those too that were not asked for.
    notes : tuple of str
        What was left out, in sentences.
    """

    frame: pd.DataFrame
    encoding: str
    headers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def kind_of(name: str) -> str:
    """What a file's name says of its format: the ending in front of ``.gz``.

    Examples
    --------
    >>> kind_of("Comments.CSV.gz"), kind_of("names")
    ('csv', '')
    """
    return name.lower().removesuffix(".gz").rpartition(".")[2] if "." in name else ""


def check_ending(name: str, formats: Sequence[str], *, field: str, error: type[PsaError]) -> None:
    """Refuse a file by its ending; who has a workbook is told how to go on.

    Raises
    ------
    PsaError
        `error`, when the ending is none of the formats.
    """
    kind = kind_of(name)
    if kind in formats:
        return
    is_workbook = kind in WORKBOOKS
    got = f"a workbook, {name[:60]}" if is_workbook else f"a file named {name[:60]!r}"
    raise error(field, got=got, expected=f"one of .{', .'.join(formats)}", fix=SAVE_AS_CSV if is_workbook else "")


def read(
    name: str, content: bytes, wanted: TableSchema, only: Collection[str] | None = None, *, kind: str | None = None
) -> Table:
    """Read a table from the bytes of a file; its name tells the format.

    Parameters
    ----------
    name : str
    content : bytes
    wanted : Wanted
        What the table is, and how large it may be.
    only : collection of str, optional
        The columns to keep; all of them when not given.
    kind : str, optional
        The format, where the name need not tell it.

    Raises
    ------
    PsaError
        `wanted.error`, when the file is empty, malformed, or larger than a limit.
    """
    if not content or content.isspace():
        raise wanted.problem(f"an empty file ({name[:60]})")
    if kind is None or kind_of(name) in WORKBOOKS:
        check_ending(name, wanted.formats, field=wanted.field, error=wanted.error)
    kind = kind or kind_of(name)
    wanted.check(wanted.file, len(content), f"in {name[:60]}")
    is_packed = name.lower().endswith(".gz") or content.startswith(GZIP)
    body = _unpacked(content, wanted, SMALL + 1) if is_packed else content
    if kind == "parquet" or len(body) > SMALL:
        read_it = _read_packed if is_packed else _read
        table = bounded.call(read_it, kind, content, wanted, only, field=wanted.field, error=wanted.error)
    else:
        table = _read(kind, body, wanted, only)
    if table.frame.empty:
        raise wanted.problem(f"no rows in {name[:60]}")
    return table


def _unpacked(content: bytes, wanted: TableSchema, most: int | None = None) -> bytes:
    return unpacked(content, wanted.file, field=wanted.field, error=wanted.error, most=most)


def _read_packed(kind: str, content: bytes, wanted: TableSchema, only: Collection[str] | None) -> Table:
    return _read(kind, _unpacked(content, wanted), wanted, only)


def _read(kind: str, body: bytes, wanted: TableSchema, only: Collection[str] | None) -> Table:
    if kind == "parquet":
        return _as_table(read_parquet(body, wanted, only), "binary", wanted.field)
    text = Text(body.removesuffix(END_OF_FILE), field=wanted.field, error=wanted.error)
    return _as_table(TEXTS[kind](text, wanted, only), text.encoding, wanted.field)


def _as_table(columns: Columns, encoding: str, field: str) -> Table:
    blank = columns.headers.count("")
    several = f"{blank:,} columns without a header left out: they are no groups."
    left_out = (several if blank > 1 else NO_HEADER,) if blank else () if columns.has_header else (NUMBERED,)
    share = "not all UTF-8" if encoding == MIXED else "not UTF-8"
    guessed = () if encoding.startswith(CERTAIN) else (f"The {field} are {share}: read as {_in_words(encoding)}.",)
    return Table(columns.frame(), encoding, tuple(filter(None, columns.headers)), (*guessed, *left_out))


def _in_words(encoding: str) -> str:
    return re.sub("^cp(?=125)", "Windows-", encoding)


def _lines(text: Text, wanted: TableSchema, only: Collection[str] | None) -> Columns:
    """A row a line, of one column; blank lines are none."""
    columns = Columns(wanted, only)
    (header,) = columns.head([wanted.line])
    rows = (line.rstrip("\r\n") for line in text.lines() if not line.isspace())
    while part := list(islice(rows, PART)):
        columns.add({header: part}, len(part))
    return columns


TEXTS: dict[str, Callable[..., Columns]] = {
    "csv": partial(read_separated, "csv"),
    "tsv": partial(read_separated, "tsv"),
    "txt": _lines,
    "jsonl": read_jsonl,
}
