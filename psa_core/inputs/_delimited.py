"""Read rows of a CSV or TSV file, including texts that begin with a quotation mark."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator
from itertools import dropwhile, islice
from statistics import median

from psa_core.inputs._columns import PART, Columns, TableSchema
from psa_core.inputs.decoding import Text
from psa_core.inputs.limits import TEXT

SEPARATORS = (",", ";", "\t", "|")
#: The line that Excel writes and reads above a header: it names the separator and is no row.
DECLARED = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
#: A number, a date or a time.
NUMBER = re.compile(r"(?=.*\d)[-+−\d.,:/%\sTZAPMapm]+")
#: So many words are a text and no header; so few may be either, and their length beside the others' decides.
MANY_WORDS, FEW_WORDS = 8, 3
#: Lines that tell what stands between cells, where no header does.
LOOKED_AT = 20
Row = list[str]
Part = list[Row]


def read_separated(kind: str, text: Text, wanted: TableSchema, only: Collection[str] | None = None) -> Columns:
    """The columns of a csv or tsv file; raises the table's error when it is malformed."""
    declared = DECLARED.fullmatch(next(text.lines(), ""))
    if declared:
        text = text.below_first_line()
    try:
        if kind == "csv" or declared:
            separator = declared[1] if declared else _separator(text, wanted)
            return _table(_quoted(text, separator, wanted), Columns(wanted, only))
        return _read_tsv(text, wanted, only)
    except csv.Error as error:
        if "field limit" in str(error):
            wanted.check(TEXT, TEXT.value + 1, "or more in one cell")
        fix = "Double a quotation mark inside a quoted text, and close each."
        raise wanted.problem(f"a malformed {kind} file ({error})", fix=fix) from error
    except _UnevenError as error:
        fix = "Put quotes around texts that contain the separator."
        raise wanted.problem(f"a malformed {kind} file ({error})", expected="one cell a column", fix=fix) from error


class _UnevenError(Exception):
    """A row has more cells than there are headers, or fewer where that matters."""


def _read_tsv(text: Text, wanted: TableSchema, only: Collection[str] | None) -> Columns:
    """A line is a row unless only quotation marks around line ends make the rows even: no text swallows what follows.

    Where a line is one cell, both readings are even; then a mark that would join lines is refused.
    """
    try:
        columns = _table(_unquoted(text), Columns(wanted, only), exact=True)
    except _UnevenError:
        try:
            return _table(_not_joined(_quoted(text, "\t", wanted)), Columns(wanted, only))
        except (csv.Error, _UnevenError):
            return _table(_unquoted(text), Columns(wanted, only))
    if len(columns.headers) == 1:
        joined = _first_joined(_quoted(text, "\t", wanted))
        if joined:
            got = f"quotation marks around several lines of a tsv file ({joined[:40]!r})"
            fix = "Save it as csv, or take out the quotation mark at the beginning of that line."
            raise wanted.problem(got, expected="one row a line", fix=fix)
    return columns


def _first_joined(parts: Iterator[Part]) -> str:
    try:
        return next((cell for part in parts for row in part for cell in row if "\n" in cell or "\r" in cell), "")
    except csv.Error:
        return ""


def _not_joined(parts: Iterator[Part]) -> Iterator[Part]:
    """The same rows; one with a tab and a line end inside a cell is several rows."""
    for part in parts:
        if any("\t" in cell and "\n" in cell for row in part for cell in row):
            raise _UnevenError
        yield part


def has_header(line: str, wanted: TableSchema) -> bool:
    """Whether a file's first line is a header that is looked for, whatever stands between its cells."""
    return bool(_marks(line, wanted))


def _separator(text: Text, wanted: TableSchema) -> str:
    """What stands between the cells: what gives a header that is looked for, else what makes the first rows even."""
    lines = list(islice((line for line in text.lines() if line.strip()), LOOKED_AT))
    header = lines[0] if lines else ""
    found = _marks(header, wanted)
    if found:
        return max(found, key=header.count)
    even = (mark for mark in SEPARATORS if _is_even(lines, mark))
    return next(even, None) or ("," if "," in header else max(SEPARATORS, key=header.count))


def _is_even(lines: list[str], mark: str) -> bool:
    """Whether rows have one number of cells, more than one; the last may go on below these lines."""
    try:
        return len(widths := {len(row) for row in csv.reader(lines, delimiter=mark)}) == 1 and widths != {1}
    except csv.Error:
        return False


def _marks(header: str, wanted: TableSchema) -> list[str]:
    return [mark for mark in SEPARATORS if wanted.headers & {_key(cell) for cell in header.split(mark)}]


def _key(cell: str) -> str:
    return cell.strip().strip('"').strip().casefold()


def _quoted(text: Text, separator: str, wanted: TableSchema) -> Iterator[Part]:
    """Rows by the rules of csv, in which a quotation mark inside a quoted text is doubled."""
    csv.field_size_limit(TEXT.value)
    reader = csv.reader(text.lines(), delimiter=separator, strict=True, skipinitialspace=not wanted.blanks)
    rows = filter(None, reader)
    try:
        while part := list(islice(rows, PART)):
            yield part
    except csv.Error as error:
        raise csv.Error(f"line {reader.line_num}: {error}") from error


def _unquoted(text: Text) -> Iterator[Part]:
    """One row a line; marks around a whole cell are taken off, and any other is a letter like others."""
    lines = filter(None, (line.rstrip("\r\n") for line in text.lines()))
    while part := [
        [*map(_bare, line.split("\t"))] if '"' in line else line.split("\t") for line in islice(lines, PART)
    ]:
        yield part


def _bare(cell: str) -> str:
    inside = cell[1:-1]
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"' or '"' in inside.replace('""', ""):
        return cell
    return inside.replace('""', '"')


def _table(parts: Iterator[Part], columns: Columns, *, exact: bool = False) -> Columns:
    """Rows below the first one that is not blank; its cells are the headers, unless it is a row like the others."""
    headers: list[str] = []
    for part in parts:
        if not headers:
            part = list(dropwhile(_is_blank, part))
            first = part[0] if part else []
            if columns.wanted.headerless and not _names_columns(first, part[1:], columns.wanted):
                headers = columns.number(len(first))
            else:
                headers, part = columns.head(first), part[1:]
        rows = _even(part, len(headers), columns.rows, exact)
        if rows:
            cells = zip(headers, zip(*rows, strict=True), strict=True)
            columns.add({header: cell for header, cell in cells if header}, len(rows))
    return columns


def _names_columns(first: Row, rest: Part, wanted: TableSchema) -> bool:
    """Whether a first row has the names of the columns, rather than a text: where in doubt, it has.

    It has where one of its cells is a header that is looked for or is blank, as above the numbers of rows, and where
    words stand above numbers.
    """
    if not all(map(str.strip, first)) or wanted.headers & set(map(_key, first)):
        return True
    below = [[row[at] for row in rest if at < len(row) and row[at].strip()] for at in range(len(first))]
    are_numbers = [bool(cells) and all(map(NUMBER.fullmatch, cells)) for cells in below]
    if any(numbers and not NUMBER.fullmatch(cell) for cell, numbers in zip(first, are_numbers, strict=True)):
        return True
    return not any(_is_text(cell, cells) for cell, cells in zip(first, below, strict=True))


def _is_text(cell: str, below: list[str]) -> bool:
    """Whether a cell reads like a sentence: by its full stop, its length, or its length beside the texts below it."""
    words = len(cell.split())
    if words >= MANY_WORDS or (words > 1 and cell.rstrip("\"'”’) ").endswith((".", "!", "?", "…"))):
        return True
    return words >= FEW_WORDS and bool(below) and 3 * len(cell) >= 2 * median(map(len, below))


def _is_blank(row: Row) -> bool:
    return not any(map(str.strip, row))


def _even(part: Part, width: int, above: int, exact: bool) -> Part:
    """Rows of so many cells: blank ones are added where some are missing, and surplus ones that are blank go."""
    if set(map(len, part)) <= {width}:
        return part
    for number, row in enumerate(part, start=above + 1):
        if len(row) != width and (exact or not _is_blank(row[width:])):
            raise _UnevenError(f"{len(row)} cells in row {number} ({' '.join(row)[:40]!r}) below {width} headers")
    return [(row + [""] * (width - len(row)))[:width] for row in part]
