"""Read user tables: csv, tsv, txt, jsonl or parquet, gzipped or not.

Sentences, names and predictions differ in their `TableSchema`, not in how a file is read. Sizes are checked as a file
declares them and as they come (see `limits`); what could take more than it shows is read in a process of its own (see
`bounded`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pandas as pd

from psa_core import trust
from psa_core.errors import PsaError
from psa_core.inputs import bounded
from psa_core.inputs._columns import PART, Columns, ListSchema, TableSchema
from psa_core.inputs._delimited import has_header, read_separated
from psa_core.inputs.decoding import GZIP, MIXED, SAVE_AS_CSV, Text, unpacked
from psa_core.inputs.limits import CELLS, UPLOADS_EACH

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SMALL", "ListSchema", "Table", "TableSchema", "check_ending", "has_header", "kind_of", "read"]

#: A plain file of at most so many bytes is read in place: what it can cost is known.
SMALL = 4 * 2**20
#: How old programs end a text.
END_OF_FILE = b"\x1a"
#: How the names of encodings begin that a file is known to have.
CERTAIN = ("utf", "binary")
#: Endings of what spreadsheet programs write; such a file is never opened.
WORKBOOKS = ("xlsx", "xlsm", "xlsb", "xls", "ods", "numbers")
INDEX = "__index_level_"  # what pandas calls a row label without a name
ONE_A_LINE = "Write each row as {…} on a line of its own, without brackets around them or commas between."


@dataclass(frozen=True, eq=False)
class Table:
    """A file's rows, at least one: strings, empty where a value is missing; headers distinct and without blanks around
    them.

    `headers` are of every column of the file, those too that were not asked for; `notes` say what was left out.
    """

    frame: pd.DataFrame
    encoding: str
    headers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def kind_of(name: str) -> str:
    """The format that a file's name tells: the ending in front of ``.gz``.

    >>> kind_of("Comments.CSV.gz"), kind_of("names")
    ('csv', '')
    """
    return name.lower().removesuffix(".gz").rpartition(".")[2] if "." in name else ""


def check_ending(name: str, formats: Sequence[str], *, field: str, error: type[PsaError]) -> None:
    """Raise `error` for a file whose ending is none of the formats; for a workbook it says how to export it."""
    kind = kind_of(name)
    if kind in formats:
        return
    is_workbook = kind in WORKBOOKS
    got = f"a workbook, {name[:60]}" if is_workbook else f"a file named {name[:60]!r}"
    raise error(field, got=got, expected=f"one of .{', .'.join(formats)}", fix=SAVE_AS_CSV if is_workbook else "")


def read(
    name: str, content: bytes, schema: TableSchema, only: Collection[str] | None = None, *, kind: str | None = None
) -> Table:
    """Read a table from the bytes of a file; its name tells the format, unless `kind` does.

    `only` are the columns to keep, all of them when not given. Raises `schema.error` when the file is empty, malformed,
    or larger than a limit; a visitor's file holds at most as much text as one session may upload, since pages keep it.
    """
    if not content or content.isspace():
        raise schema.problem(f"an empty file ({name[:60]})")
    if kind is None or kind_of(name) in WORKBOOKS:
        check_ending(name, schema.formats, field=schema.field, error=schema.error)
    kind = kind or kind_of(name)
    schema.check(schema.file, len(content), f"in {name[:60]}")
    packed = name.lower().endswith(".gz") or content.startswith(GZIP)
    body = unpacked(content, schema.file, field=schema.field, error=schema.error, most=SMALL + 1) if packed else content
    if kind == "parquet" or len(body) > SMALL:
        given = (kind, content, schema, only, packed, trust.current() >= trust.Origin.VISITOR)
        table = bounded.call(_read, *given, field=schema.field, error=schema.error)
    else:
        table = _read(kind, body, schema, only)
    if table.frame.empty:
        raise schema.problem(f"no rows in {name[:60]}")
    return table


def _read(
    kind: str,
    body: bytes,
    schema: TableSchema,
    only: Collection[str] | None,
    packed: bool = False,
    is_visitors: bool = False,
) -> Table:
    if packed:
        body = unpacked(body, schema.file, field=schema.field, error=schema.error)
    columns, encoding = Columns(schema, only), "binary"
    if kind == "parquet":
        _read_parquet(body, columns)
    else:
        text = Text(body.removesuffix(END_OF_FILE), field=schema.field, error=schema.error)
        encoding = text.encoding
        if kind == "jsonl":
            _read_jsonl(text, columns)
        elif kind == "txt":
            _read_lines(text, columns)
        else:
            columns = read_separated(kind, text, schema, only)
    if is_visitors:
        schema.check(UPLOADS_EACH, columns.text_bytes, "of text, unpacked")
    notes = []
    if not encoding.startswith(CERTAIN):
        share = "not all UTF-8" if encoding == MIXED else "not UTF-8"
        notes.append(f"The {schema.field} are {share}: read as {re.sub('^cp(?=125)', 'Windows-', encoding)}.")
    if blank := columns.headers.count(""):
        several = f"{blank:,} columns without a header left out: they are no groups."
        notes.append(several if blank > 1 else "Column without a header left out: it is no group.")
    elif not columns.has_header:
        row = f"The file has no row of headers, so its first row is read as a {schema.line} like the others."
        notes.append(f"{row} If it is a header, rename it to {schema.line}.")
    return Table(columns.frame(), encoding, tuple(filter(None, columns.headers)), tuple(notes))


def _read_lines(text: Text, columns: Columns) -> None:
    """A row a line, of one column; blank lines are none."""
    (header,) = columns.head([columns.schema.line])
    rows = (line.rstrip("\r\n") for line in text.lines() if not line.isspace())
    while part := list(islice(rows, PART)):
        columns.add({header: part}, len(part))


def _read_jsonl(text: Text, columns: Columns) -> None:
    """An object a line, one column a key."""
    headers: dict[str, str] = {}
    rows = _json_rows(text, columns.schema)
    while part := list(islice(rows, PART)):
        spelled = dict.fromkeys([*headers, *(key for row in part for key in row)])
        if len(spelled) > len(headers):
            headers = dict(zip(spelled, columns.head([*spelled]), strict=True))
        kept = {key: header for key, header in headers.items() if columns.keeps(header)}
        columns.schema.check(CELLS, (columns.rows + len(part)) * len(kept))
        columns.add({header: [row.get(key, "") for row in part] for key, header in kept.items()}, len(part))


def _json_rows(text: Text, schema: TableSchema) -> Iterator[dict[str, str]]:
    for number, line in enumerate(text.lines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            cells = {_cell(key): _cell(value) for key, value in row.items()} if isinstance(row, dict) else None
        except (ValueError, RecursionError) as error:
            got = f"invalid JSON in line {number}"
            raise schema.problem(got, expected="an object a line", fix=ONE_A_LINE) from error
        if cells is None:
            got = f"{type(row).__name__} in line {number}"
            raise schema.problem(got, expected="an object a line", fix=ONE_A_LINE)
        yield cells


def _cell(value: Any) -> str:
    """A cell; half a character, which JSON can spell and no file can hold, becomes U+FFFD."""
    text = "" if value is None or value != value else str(value)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_parquet(content: bytes, columns: Columns) -> None:
    """Declared sizes are checked first, actual ones while reading; pandas' own metadata, which may lie, is not read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = columns.schema
    try:
        with pq.ParquetFile(pa.BufferReader(content)) as file:
            rows, names = file.metadata.num_rows, file.schema_arrow.names
            spelled = [name for name in names if not name.startswith(INDEX)]
            headed = zip(spelled, columns.head(spelled), strict=True)
            kept = {name: header for name, header in headed if columns.keeps(header)}
            schema.check(schema.rows, rows)
            schema.check(CELLS, rows * len(kept))
            for batch in file.iter_batches(PART, columns=[*kept], use_threads=False):
                columns.add({kept[name]: _strings(batch.column(name)) for name in kept}, batch.num_rows)
    except UnicodeDecodeError as error:
        raise schema.problem("a parquet column of bytes that are not text", expected="text") from error
    except OverflowError as error:
        raise schema.problem("a parquet column of dates in no calendar", expected="the years 1 to 9999") from error
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, MemoryError):
            raise
        raise schema.problem("a damaged parquet file", expected="a parquet table", fix="Save it again.") from error


def _strings(column: pa.Array) -> pa.Array:
    """A column as strings: numbers as Python writes them, and nothing for a missing value."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        column = column.cast(pa.large_string()) if kind is not column.type else column
        column.validate(full=True)  # a damaged file may hold bytes that are no UTF-8
        return column.cast(pa.large_string()).fill_null("")
    if pa.types.is_integer(kind):  # not by way of pandas, which makes 1 beside a missing value 1.0
        return column.cast(kind).cast(pa.large_string()).fill_null("")
    if pa.types.is_floating(kind):
        values = pd.Series(column.to_pandas())
        return pa.array(values.astype(str).mask(values.isna(), "").tolist(), pa.large_string())
    texts = (value.decode() if isinstance(value, bytes) else value for value in column.to_pylist())
    return pa.array(["" if text is None else str(text) for text in texts], pa.large_string())
