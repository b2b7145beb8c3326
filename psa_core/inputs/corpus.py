"""Sentences from a file: csv, tsv, txt, jsonl or parquet, gzipped or not, in whatever encoding they came."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

import pandas as pd

from psa_core import trust
from psa_core.errors import CorpusError
from psa_core.registry import ASSETS

MAX_BYTES = 512 * 2**20
FORMATS = ("csv", "tsv", "txt", "jsonl", "parquet")
TEXT_COLUMNS = ("text", "sentence", "comment", "body", "tweet", "content", "message", "review")
ID_COLUMNS = ("sentence_id", "id")
RESERVED = frozenset({"sentence_id", "text", "anchor", "start", "end", "role", "anchor_gender", "mentions"})


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts to study, one a row, as they stood in their source.

    Attributes
    ----------
    sentences : DataFrame
        ``sentence_id`` (distinct strings), ``text`` and the source's other columns as strings (group columns).
    source : str
        File name or id of the packaged corpus.
    sha256 : str
        Of the source's bytes.
    text_column : str
        The column that the texts were read from.
    encoding : str
        How the bytes were decoded.
    """

    sentences: pd.DataFrame
    source: str
    sha256: str
    text_column: str = "text"
    encoding: str = "utf-8"


def packaged() -> dict[str, Path]:
    """The corpora that come with the project, by id."""
    return {path.stem: path for path in sorted((ASSETS / "corpora").glob("*.csv"))}


def load(source: str, text_column: str | None = None, *, origin: trust.Origin | None = None) -> Corpus:
    """Read a packaged corpus by id, or a file by path.

    Parameters
    ----------
    source : str
        ``sample``, or a path that ends in .csv, .tsv, .txt, .jsonl or .parquet (.gz too).
    text_column : str, optional
        The column of the texts; found by name or by length when not given.
    origin : Origin, optional
        Who names the source, where that is not who this thread acts for; see `psa_core.trust`.

    Raises
    ------
    OptionError
        When a file may not be read on that word.
    CorpusError
        When the file is missing, empty, not text, malformed, or has no such column.

    Examples
    --------
    >>> len(load("sample").sentences) >= 240
    True
    """
    if source not in packaged():
        trust.permit_path("sentences", source, origin)
    path = packaged().get(source, Path(source))
    if not isfile(path):  # which Path.is_file answers with an error where a name is too long
        choices = ", ".join(packaged())
        raise CorpusError("sentences", got=f"no file at {source!r}", expected=f"a file, or one of {choices}")
    if path.stat().st_size > MAX_BYTES:
        raise _too_large(path.name)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CorpusError("sentences", got=f"{source!r} ({error.strerror})", expected="a file you may read") from error
    return parse(path.name, content, text_column)


def parse(file_name: str, content: bytes, text_column: str | None = None) -> Corpus:
    """Read sentences from the bytes of a file; its name tells the format. See `load`."""
    table, encoding = _decoded_table(file_name, content)
    column = _find_text_column(table, text_column)
    return Corpus(_sentence_table(table, column), file_name, hashlib.sha256(content).hexdigest(), column, encoding)


def table_of(file_name: str, content: bytes) -> pd.DataFrame:
    """All columns of a file as strings, for files that hold more than sentences; raises `CorpusError`. See `load`."""
    return _decoded_table(file_name, content)[0]


def _decoded_table(file_name: str, content: bytes) -> tuple[pd.DataFrame, str]:
    """The table of a file that has at least one row, and the encoding."""
    if not content:
        raise CorpusError("sentences", got=f"an empty file ({file_name})", expected="one text a row")
    kind = file_name.lower().removesuffix(".gz").rpartition(".")[2]
    if kind not in FORMATS:
        raise CorpusError("sentences", got=f"a file named {file_name!r}", expected=f"one of .{', .'.join(FORMATS)}")
    body = _gunzip(file_name, content) if file_name.lower().endswith(".gz") else content
    text, encoding = ("", "binary") if kind == "parquet" else decode("sentences", body)
    table = _read_parquet(body) if kind == "parquet" else read_table(kind, text)
    if table.empty:
        raise CorpusError("sentences", got=f"no rows in {file_name}", expected="one text a row")
    return table, encoding


def decode(field: str, content: bytes) -> tuple[str, str]:
    """Decode bytes as UTF-8, UTF-16 with a mark, or by detection; returns the text and the encoding.

    Raises
    ------
    CorpusError
        When the bytes are not text in any likely encoding.
    """
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    with suppress(UnicodeDecodeError):
        text = content.decode(encoding)
        if "\0" in text:
            raise CorpusError(field, got="NUL characters (a binary file?)", expected="UTF-8 text")
        return text, encoding.removesuffix("-sig")
    from charset_normalizer import from_bytes

    best = None if b"\0" in content else from_bytes(content[: 2**20]).best()
    if best is None:
        raise CorpusError(field, got="bytes that are not text", expected="UTF-8 text", fix="Save the file as UTF-8.")
    encoding = best.encoding if best.coherence > 0 and not _english(content) else "cp1252"
    return content.decode(encoding, errors="replace"), encoding


def _english(content: bytes) -> bool:
    """Whether at most one byte in twenty is beyond ASCII: English as Windows saves it, for which detection guesses."""
    beyond = len(content) - len(content.translate(None, bytes(range(128, 256))))
    undefined = any(byte in content for byte in b"\x81\x8d\x8f\x90\x9d")
    return beyond * 20 <= len(content) and not undefined


def _gunzip(file_name: str, content: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            body = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError("sentences", got=f"a damaged gzip file ({file_name})", expected="gzip data") from error
    if len(body) > MAX_BYTES:
        raise _too_large(file_name)
    return body


def _too_large(file_name: str) -> CorpusError:
    limit = f"{MAX_BYTES // 2**20} MB"
    return CorpusError("sentences", got=f"over {limit} in {file_name}", expected=f"at most {limit}", fix="Split it.")


def read_table(kind: str, text: str) -> pd.DataFrame:
    """A table of strings from the text of a csv, tsv, txt or jsonl file; raises `CorpusError` when malformed."""
    lines = io.StringIO(text, newline=None)  # splitlines() would also end a line at U+2028, inside a text
    if kind == "txt":
        return pd.DataFrame({"text": [line.rstrip("\n") for line in lines if line.strip()]}, dtype=str)
    if kind == "jsonl":
        return _read_jsonl(lines)
    header = text.split("\n", 1)[0]
    separator = "\t" if kind == "tsv" else ";" if ";" in header and "," not in header else ","
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator, dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise _malformed(kind, str(error).strip().splitlines()[-1]) from error
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes the cells that have no header for row labels
        raise _malformed(kind, "more cells in a row than headers above them")
    return table


def _malformed(kind: str, reason: str) -> CorpusError:
    fix = "Put quotes around texts that contain the separator." if kind == "csv" else ""
    return CorpusError("sentences", got=f"a malformed {kind} file ({reason})", expected="one text a row", fix=fix)


def _read_jsonl(lines: Iterable[str]) -> pd.DataFrame:
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CorpusError("sentences", got=f"invalid JSON in line {number}", expected="an object a line") from error
        if not isinstance(row, dict):
            raise CorpusError("sentences", got=f"{type(row).__name__} in line {number}", expected="an object a line")
        rows.append({_whole(key): _whole(value) for key, value in row.items()})
    return _as_strings(pd.DataFrame(rows))


def _whole(value: object) -> object:
    """Half a character, which JSON can spell and no file can hold, becomes U+FFFD."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_parquet(body: bytes) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _as_strings(pq.read_table(pa.BufferReader(body)).to_pandas())
    except (pa.ArrowInvalid, OSError) as error:
        raise CorpusError("sentences", got="a damaged parquet file", expected="a parquet table") from error
    except UnicodeDecodeError as error:
        raise CorpusError("sentences", got="a parquet column of bytes that are not text", expected="text") from error


def _as_strings(table: pd.DataFrame) -> pd.DataFrame:
    named = table.set_axis(table.columns.map(str), axis=1)
    return named.astype(str).mask(named.isna(), "")


def _find_text_column(table: pd.DataFrame, wanted: str | None) -> str:
    columns = [str(column) for column in table.columns]
    listed = ", ".join(columns[:12])
    if wanted is not None and wanted not in columns:
        raise CorpusError("text column", got=repr(wanted), expected=f"one of {listed}", fix="Choose a column.")
    by_name = {column.strip().lower(): column for column in reversed(columns)}
    named = next((by_name[name] for name in TEXT_COLUMNS if name in by_name), None)
    column = wanted or named or max(columns, key=lambda name: table[name].str.len().mean())
    if not table[column].str.strip().astype(bool).any():
        raise CorpusError(f"text column {column!r}", got="no text in any row", expected="one text a row")
    return column


def _sentence_table(table: pd.DataFrame, text_column: str) -> pd.DataFrame:
    id_column = next((name for name in ID_COLUMNS if name in table.columns and name != text_column), None)
    ids = table[id_column].str.strip() if id_column else pd.Series(range(1, len(table) + 1), index=table.index)
    ids = ids.astype(str)
    if ids.duplicated().any() or not ids.all():
        twice = ids[ids.duplicated()]
        got = f"{id_column} {twice.iloc[0]!r} twice" if len(twice) else f"an empty {id_column}"
        raise CorpusError("sentences", got=got, expected="a distinct id in each row", fix="Rename or mend the column.")
    groups = table.drop(
        columns=[name for name in table.columns if name in RESERVED or name in (text_column, id_column)]
    )
    return pd.concat([pd.DataFrame({"sentence_id": ids, "text": table[text_column]}), groups], axis=1)
