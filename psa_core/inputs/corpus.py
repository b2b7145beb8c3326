"""Read sentences from a csv, tsv, txt, jsonl or parquet file, gzipped or not, in any common encoding."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os.path import isfile
from pathlib import Path
from typing import Any

import pandas as pd

from psa_core import trust
from psa_core.errors import CorpusError
from psa_core.inputs import tables
from psa_core.inputs._columns import clean_headers
from psa_core.inputs.checks import as_texts
from psa_core.inputs.limits import FILE
from psa_core.inputs.tables import TableSchema
from psa_core.plurals import counted
from psa_core.registry import ASSETS

FORMATS = ("csv", "tsv", "txt", "jsonl", "parquet")
TEXT_COLUMNS = ("text", "sentence", "comment", "body", "tweet", "content", "message", "review")
ID_COLUMNS = ("sentence_id", "id")
#: What a result's sentences have of their own; a reader's column of that name is kept under another one.
RESERVED = frozenset({"sentence_id", "text", "anchor", "start", "end", "role", "anchor_gender", "family", "mentions"})
SCORES = "original."  # how a column of scores begins there
PREFIX = "corpus_"
SENTENCES = TableSchema(
    "sentences",
    CorpusError,
    FORMATS,
    row="one text a row",
    headers=frozenset({*TEXT_COLUMNS, *ID_COLUMNS}),
    headerless=True,
)


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
    notes : tuple of str
        What was left out on reading, in sentences.
    """

    sentences: pd.DataFrame
    source: str
    sha256: str
    text_column: str = "text"
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()


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
        The column of the texts; found by name, or as the one with most letters, when not given.
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
    try:
        FILE.check(path.stat().st_size, field="sentences", error=CorpusError, of=f"in {path.name}")
        content = path.read_bytes()
    except OSError as error:
        raise CorpusError("sentences", got=f"{source!r} ({error.strerror})", expected="a file you may read") from error
    return parse(path.name, content, text_column)


def parse(file_name: str, content: bytes, text_column: str | None = None) -> Corpus:
    """Read sentences from the bytes of a file; its name tells the format. See `load`."""
    named = {text_column.strip().casefold()} if text_column else set()
    read = tables.read(file_name, content, replace(SENTENCES, headers=SENTENCES.headers | named))
    return _corpus(
        read.frame,
        file_name,
        hashlib.sha256(content).hexdigest(),
        text_column,
        encoding=read.encoding,
        notes=read.notes,
    )


def from_memory(given: Any, text_column: str | None = None) -> Corpus:
    """Sentences in memory: a data frame, or a list of texts; see `from_frame` and `from_texts`."""
    frame = given.to_pandas() if hasattr(given, "to_pandas") else given
    if not isinstance(frame, Iterable):
        expected = "an id, a file, a list of texts or a data frame"
        raise CorpusError("sentences", got=repr(given)[:60], expected=expected)
    return from_frame(frame, text_column) if isinstance(frame, pd.DataFrame) else from_texts(frame)


def from_texts(texts: Iterable[str]) -> Corpus:
    """Sentences that are in memory, numbered from 1.

    Raises
    ------
    CorpusError
        When they are none, one string, or one of them is no string.

    Examples
    --------
    >>> from_texts(["He left.", "She stayed."]).sentences["sentence_id"].tolist()
    ['1', '2']
    """
    return from_frame(pd.DataFrame({"text": as_texts(texts)}, dtype=object), source="list")


def from_frame(frame: pd.DataFrame, text_column: str | None = None, *, source: str = "data frame") -> Corpus:
    """Sentences of a data frame, one a row; columns are found as in a file, and missing values are empty texts.

    Raises
    ------
    CorpusError
        When there are no rows, there is no such column, or a text is no string.

    Examples
    --------
    >>> from_frame(pd.DataFrame({"comment": ["He left."], "stars": [3]})).sentences.columns.tolist()
    ['sentence_id', 'text', 'stars']
    """
    if frame.empty:
        raise CorpusError("sentences", got=f"a {source} of no rows", expected="at least one text")
    headers = clean_headers(frame.columns.tolist(), SENTENCES)
    headed = frame.set_axis(headers, axis=1)[[header for header in headers if header]].reset_index(drop=True)
    cells = headed.astype(object).where(headed.notna(), "")
    table = cells.astype(str)
    as_texts(cells[_find_text_column(table, text_column)])
    digest = hashlib.sha256(table.to_csv(index=False).encode()).hexdigest()
    return _corpus(table, f"{counted(len(table), 'sentence')} of a {source}", digest, text_column)


def _corpus(table: pd.DataFrame, source: str, digest: str, text_column: str | None, **more: Any) -> Corpus:
    column = _find_text_column(table, text_column)
    sentences, renamed = _with_ids(table, column)
    is_guess = text_column is None and column.lower() not in TEXT_COLUMNS
    guess = (f"No column is called text: the texts are taken from {column[:60]!r}.",) if is_guess else ()
    notes = (*more.pop("notes", ()), *guess, *renamed)
    return Corpus(sentences, source, digest, column, notes=notes, **more)


def _find_text_column(table: pd.DataFrame, wanted: str | None) -> str:
    columns = table.columns.tolist()
    wanted = None if wanted is None else " ".join(wanted.split())
    if wanted is not None and wanted not in columns:
        listed = ", ".join(column[:40] for column in columns[:12])
        raise CorpusError("text column", got=repr(wanted[:80]), expected=f"one of {listed}", fix="Choose a column.")
    by_name = {column.lower(): column for column in reversed(columns)}
    named = next((by_name[name] for name in TEXT_COLUMNS if name in by_name), None)
    column = wanted or named or max(columns, key=lambda name: table[name].str.count(r"[^\W\d_]").mean())
    if not table[column].str.strip().astype(bool).any():
        raise CorpusError(f"text column {column!r}", got="no text in any row", expected="one text a row")
    return column


def _with_ids(table: pd.DataFrame, text_column: str) -> tuple[pd.DataFrame, list[str]]:
    """The sentences, and what of their columns had to be renamed, in sentences."""
    id_column = next((name for name in ID_COLUMNS if name in table.columns and name != text_column), None)
    if id_column:  # a spreadsheet leaves rows of blank cells at the end
        table = table[(table != "").any(axis=1)]
    ids = table[id_column].str.strip() if id_column else pd.Series(range(1, len(table) + 1), index=table.index)
    ids = ids.astype(str)
    if ids.duplicated().any() or not ids.all():
        twice = ids[ids.duplicated()]
        got = f"{id_column} {twice.iloc[0][:80]!r} twice" if len(twice) else f"an empty {id_column}"
        raise CorpusError("sentences", got=got, expected="a distinct id in each row", fix="Rename or mend the column.")
    others = table.drop(columns=[name for name in (text_column, id_column) if name is not None])
    clashing = [name for name in others if name in RESERVED or name.startswith(SCORES)]
    prefix = PREFIX
    while any(f"{prefix}{name}" in others for name in clashing):
        prefix += PREFIX
    renamed = [
        f"Column {name[:60]} is called {prefix}{name[:60]} in results, which have another {name[:60]}."
        for name in clashing
    ]
    others = others.rename(columns={name: f"{prefix}{name}" for name in clashing})
    return pd.concat([pd.DataFrame({"sentence_id": ids, "text": table[text_column]}), others], axis=1), renamed
