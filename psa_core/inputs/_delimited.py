"""Read rows of a CSV or TSV file, including texts that begin with a quotation mark."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator
from itertools import dropwhile, islice

from psa_core.inputs._columns import PART, Columns, TableSchema
from psa_core.inputs.decoding import Text
from psa_core.inputs.limits import TEXT

SEPARATORS = (",", ";", "\t", "|")
#: The line that Excel writes and reads above a header: it names the separator and is no row.
DECLARED = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
#: A number, a date or a time.
NUMBER = re.compile(r"(?=.*\d)[-+−\d.,:/%\sTZAPMapm]+")
#: Lines that tell what stands between cells, where no header does.
SAMPLE_LINES = 20
Row = list[str]
Part = list[Row]


def read_separated(kind: str, text: Text, schema: TableSchema, only: Collection[str] | None = None) -> Columns:
    """The columns of a csv or tsv file; raises the table's error when it is malformed."""
    declared = DECLARED.fullmatch(next(text.lines(), ""))
    if declared:
        text = text.below_first_line()
    try:
        if kind == "csv" or declared:
            separator = declared[1] if declared else _separator(text, schema)
            return _table(_quoted(text, separator, schema), Columns(schema, only))
        return _read_tsv(text, schema, only)
    except csv.Error as error:
        if "field limit" in str(error):
            schema.check(TEXT, TEXT.value + 1, "or more in one cell")
        fix = "Double a quotation mark inside a quoted text, and close each."
        raise schema.problem(f"a malformed {kind} file ({error})", fix=fix) from error
    except _UnevenError as error:
        fix = "Put quotes around texts that contain the separator."
        raise schema.problem(f"a malformed {kind} file ({error})", expected="one cell a column", fix=fix) from error


class _UnevenError(Exception):
    """A row has more cells than there are headers, or fewer where that matters."""


def _read_tsv(text: Text, schema: TableSchema, only: Collection[str] | None) -> Columns:
    """A line is a row unless only quotation marks around line ends make the rows even: no text swallows what follows.

    Where a line is one cell, both readings are even; then a mark that would join lines is refused.
    """
    try:
        columns = _table(_unquoted(text), Columns(schema, only), exact=True)
    except _UnevenError:
        try:
            return _table(_not_joined(_quoted(text, "\t", schema)), Columns(schema, only))
        except (csv.Error, _UnevenError):
            return _table(_unquoted(text), Columns(schema, only))
    if len(columns.headers) == 1:
        try:
            cells = (cell for part in _quoted(text, "\t", schema) for row in part for cell in row)
            joined = next((cell for cell in cells if "\n" in cell or "\r" in cell), "")
        except csv.Error:
            joined = ""
        if joined:
            got = f"quotation marks around several lines of a tsv file ({joined[:40]!r})"
            fix = "Save it as csv, or take out the quotation mark at the beginning of that line."
            raise schema.problem(got, expected="one row a line", fix=fix)
    return columns


def _not_joined(parts: Iterator[Part]) -> Iterator[Part]:
    """The same rows; one with a tab and a line end inside a cell is several rows."""
    for part in parts:
        if any("\t" in cell and "\n" in cell for row in part for cell in row):
            raise _UnevenError
        yield part


def has_header(line: str, schema: TableSchema) -> bool:
    """Whether a file's first line has one of the schema's headers, whatever stands between its cells."""
    return bool(_separators_of_header(line, schema))


def _separators_of_header(line: str, schema: TableSchema) -> list[str]:
    return [mark for mark in SEPARATORS if schema.headers & {_key(cell) for cell in line.split(mark)}]


def _key(cell: str) -> str:
    return cell.strip().strip('"').strip().casefold()


def _separator(text: Text, schema: TableSchema) -> str:
    """What stands between the cells: what gives one of the schema's headers, else what makes the first rows even."""
    lines = list(islice((line for line in text.lines() if line.strip()), SAMPLE_LINES))
    header = lines[0] if lines else ""
    if found := _separators_of_header(header, schema):
        return max(found, key=header.count)
    for mark in SEPARATORS:
        try:  # the last row may go on below these lines
            widths = {len(row) for row in csv.reader(lines, delimiter=mark)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths != {1}:
            return mark
    return "," if "," in header else max(SEPARATORS, key=header.count)


def _quoted(text: Text, separator: str, schema: TableSchema) -> Iterator[Part]:
    """Rows by the rules of csv, in which a quotation mark inside a quoted text is doubled."""
    csv.field_size_limit(TEXT.value)
    reader = csv.reader(text.lines(), delimiter=separator, strict=True, skipinitialspace=not schema.blanks)
    rows = filter(None, reader)
    try:
        while part := list(islice(rows, PART)):
            yield part
    except csv.Error as error:
        raise csv.Error(f"line {reader.line_num}: {error}") from error


def _unquoted(text: Text) -> Iterator[Part]:
    """One row a line; marks around a whole cell are taken off, and any other is a letter like others."""
    lines = filter(None, (line.rstrip("\r\n") for line in text.lines()))
    quoted = re.compile(r'"((?:[^"]|"")*)"')
    while part := [line.split("\t") for line in islice(lines, PART)]:
        yield [
            [match[1].replace('""', '"') if (match := quoted.fullmatch(cell)) else cell for cell in row]
            if any('"' in cell for cell in row)
            else row
            for row in part
        ]


def _is_blank(row: Row) -> bool:
    return not any(map(str.strip, row))


def _table(parts: Iterator[Part], columns: Columns, *, exact: bool = False) -> Columns:
    """Rows below the first one that is not blank; its cells are the headers, unless it is a row like the others."""
    headers: list[str] = []
    for part in parts:
        if not headers:
            part = list(dropwhile(_is_blank, part))
            first = part[0] if part else []
            if _is_data(first, part[1:], columns.schema):
                headers = columns.number(len(first))
            else:
                headers, part = columns.head(first), part[1:]
        rows = _even(part, len(headers), columns.rows, exact)
        if rows:
            cells = zip(headers, zip(*rows, strict=True), strict=True)
            columns.add({header: cell for header, cell in cells if header}, len(rows))
    return columns


def _is_data(first: Row, rest: Part, schema: TableSchema) -> bool:
    """Whether a first row reads like a row of data rather than of headers; when in doubt, it does not.

    It has headers where a cell is one that the schema knows, or is blank, and where words stand above numbers.
    """
    if schema.reads_as_data is None or not all(map(str.strip, first)) or schema.headers & set(map(_key, first)):
        return False
    below = [[row[at] for row in rest if at < len(row) and row[at].strip()] for at in range(len(first))]
    for cell, cells in zip(first, below, strict=True):
        if cells and all(map(NUMBER.fullmatch, cells)) and not NUMBER.fullmatch(cell):
            return False
    return schema.reads_as_data(first, below)


def _even(part: Part, width: int, above: int, exact: bool) -> Part:
    """Rows of so many cells: blank ones are added where some are missing, and surplus ones that are blank go."""
    if set(map(len, part)) <= {width}:
        return part
    for number, row in enumerate(part, start=above + 1):
        if len(row) != width and (exact or not _is_blank(row[width:])):
            raise _UnevenError(f"{len(row)} cells in row {number} ({' '.join(row)[:40]!r}) below {width} headers")
    return [(row + [""] * (width - len(row)))[:width] for row in part]
