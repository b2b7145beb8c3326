"""Names from the bytes of a file or from a text box."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

import pandas as pd

from psa_core.errors import NameListError
from psa_core.inputs.names._base import NameList, from_table

MAX_BYTES = 5 * 2**20
FORMATS = ("csv", "tsv", "txt", "parquet")
SEPARATORS = (",", ";", "\t", "|")
MARKED_ENCODINGS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def read_names(filename: str, data: bytes) -> NameList:
    """Read the bytes of a file whose ending tells the format; any other ending is taken for text.

    Parameters
    ----------
    filename : str
        ``*.csv``, ``*.tsv`` and ``*.parquet`` have a ``name`` column and any group columns; text has one name a line.
    data : bytes
        UTF-8, UTF-16 or UTF-32 with a mark, or what the letters look like; at most 5 MB.

    Raises
    ------
    NameListError
        When the bytes are too many, are no text or no table, or the names cannot be studied; see `from_table`.

    Examples
    --------
    >>> read_names("people.csv", b"name,gender\\nAnn, female\\nBob, male\\n").table["gender"].tolist()
    ['female', 'male']
    """
    if len(data) > MAX_BYTES:
        raise too_large(len(data))
    kind = PurePath(filename).suffix.lower()
    if not data.strip():
        raise NameListError("names", got=f"an empty file ({filename})", expected="at least two names")
    if kind == ".parquet":
        frame = _read_parquet(data)
    elif kind in (".csv", ".tsv"):
        frame = _read_separated(_lines(_decode(data)), "\t" if kind == ".tsv" else "")
    else:
        frame = _read_lines(_decode(data))
    return replace(from_table(frame, PurePath(filename).stem), id=filename, provenance=f"file {filename}")


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
    if len(text) > MAX_BYTES:
        raise too_large(len(text))
    return replace(from_table(_read_lines(text), title), provenance="typed")


def too_large(size: int) -> NameListError:
    """The error for `size` bytes, which is over the limit."""
    limit = f"at most {MAX_BYTES // 2**20} MB"
    return NameListError("names", got=f"{size / 2**20:,.1f} MB", expected=limit, fix="Shorten the list.")


def _decode(data: bytes) -> str:
    marked = next((encoding for mark, encoding in MARKED_ENCODINGS if data.startswith(mark)), None)
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if marked or b"\0" in data:
            raise _no_text() from error
        text = _decode_by_letters(data)
    if "\0" in text:
        raise _no_text()
    return text


def _decode_by_letters(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None or any(byte < 32 and byte not in b"\t\n\v\f\r\x1a" for byte in data):
        raise _no_text()
    encoding = best.encoding if best.coherence > 0 else "cp1252"  # a few letters tell no language
    return data.decode(encoding, errors="replace")


def _no_text() -> NameListError:
    fix = "Save it as CSV or text, in UTF-8."
    return NameListError("names", got="bytes that are not text", expected=f"one of .{', .'.join(FORMATS)}", fix=fix)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")


def _read_lines(text: str) -> pd.DataFrame:
    """Names one a line; a header ``name`` may stand above them, with group columns beside it."""
    lines = _lines(text)
    if any("name" in _header(lines[0], separator) for separator in SEPARATORS):
        return _read_separated(lines, "")
    filled = [line for line in lines if line.strip()]
    if len(filled) == 1:
        lines = filled[0].replace(";", ",").split(",")
    return pd.DataFrame({"name": lines}, dtype=object)


def _read_separated(lines: list[str], separator: str) -> pd.DataFrame:
    candidates = [mark for mark in SEPARATORS if "name" in _header(lines[0], mark)]
    chosen = separator or max(candidates, key=lines[0].count, default=",")
    header, *rows = [*_rows(lines, chosen)] or [[]]
    body = [row for row in rows if any(cell.strip() for cell in row)]
    for number, row in enumerate(body, start=1):
        if len(row) > len(header):
            got = f"{len(row)} cells in row {number} ({chosen.join(row)[:40]!r}) below {len(header)} headers"
            fix = f"Quote a name that contains {chosen!r}."
            raise NameListError("names", got=got, expected="one cell a column", fix=fix)
    return pd.DataFrame([row + [""] * (len(header) - len(row)) for row in body], columns=header, dtype=object)


def _rows(lines: list[str], separator: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, skipinitialspace=True)
    except csv.Error as error:
        raise NameListError("names", got=f"a malformed table ({error})", expected="one name a row") from error


def _header(line: str, separator: str) -> list[str]:
    return [cell.strip().strip('"').casefold() for cell in line.split(separator)]


def _read_parquet(data: bytes) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(pa.BufferReader(data)).to_pandas()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise NameListError("names", got="a damaged parquet file", expected="a parquet table") from error
