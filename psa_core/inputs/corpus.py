"""Read sentences from a csv, tsv, txt, jsonl or parquet file in any common encoding, or documents (see `documents`)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from os.path import isdir
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

from psa_core import trust
from psa_core.errors import CorpusError, near
from psa_core.inputs import documents, tables
from psa_core.inputs._columns import clean_headers
from psa_core.inputs.checks import as_texts, bytes_of
from psa_core.inputs.documents import Documents
from psa_core.inputs.limits import FILE
from psa_core.inputs.tables import TableSchema
from psa_core.plurals import counted, noun_of
from psa_core.registry import ASSETS

TEXT_COLUMNS = ("text", "sentence", "comment", "body", "tweet", "content", "message", "review")
ID_COLUMNS = ("sentence_id", "id")
#: What a result's sentences have of their own; a reader's column of that name is kept under another one.
RESERVED = frozenset({"sentence_id", "text", "anchor", "start", "end", "role", "anchor_gender", "family", "mentions"})
SCORES = "original."  # how a column of scores begins there
PREFIX = "corpus_"
#: So many words are a text and no header; so few may be either, and their length beside the others' decides.
MANY_WORDS, FEW_WORDS = 8, 3
#: A header is a noun phrase: it has no slot and none of these words beside another one.
OF_TEXTS = re.compile(
    r"\{|\w\W+\b(?:i|you|he|him|she|hers?|we|they|them)\b|\b(?:i|you|s?he|her|his|we|they)\b\W+\w", re.I
)
#: "what they wrote" has one, and is a noun phrase all the same.
NOUN_CLAUSE = re.compile(r"\W*(?:what|which|who|whom|how|when|where|why)\b[^.!?…]*", re.I)


def reads_as_texts(first: list[str], below: list[list[str]]) -> bool:
    """Whether a cell of a first row reads like a sentence: by its words, its full stop, or its length beside others."""
    for cell, cells in zip(first, below, strict=True):
        words = len(cell.split())
        if words < MANY_WORDS and NOUN_CLAUSE.fullmatch(cell):
            continue
        if words >= MANY_WORDS or OF_TEXTS.search(cell):
            return True
        if words > 1 and cell.rstrip("\"'”’) ").endswith((".", "!", "?", "…")):
            return True
        if words >= FEW_WORDS and cells and 3 * len(cell) >= 2 * median(map(len, cells)):
            return True
    return False


SENTENCES = TableSchema(
    "sentences",
    CorpusError,
    ("csv", "tsv", "txt", "jsonl", "parquet"),  # and those of `documents`
    row="one text a row",
    headers=frozenset({*TEXT_COLUMNS, *ID_COLUMNS}),
    reads_as_data=reads_as_texts,
)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts to study, one a row, as they stood in their source.

    Attributes
    ----------
    sentences : DataFrame
        ``sentence_id`` (distinct strings), ``text`` and the source's other columns as strings (group columns).
    source, sha256 : str
        File name or id of the packaged corpus, and the digest of its bytes.
    text_column, encoding : str
        Where the texts were, and how the bytes were decoded.
    notes : tuple of str
        What was left out on reading, in sentences.
    left_out : int
        Files that were no documents, or could not be read.
    are_documents : bool
        Whether each text was a file of its own.
    """

    sentences: pd.DataFrame
    source: str
    sha256: str
    text_column: str = "text"
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()
    left_out: int = 0
    are_documents: bool = False

    @property
    def noun(self) -> str:
        """What its texts are: ``sentence`` or ``document``."""
        return noun_of(self.sentences)


def packaged() -> dict[str, Path]:
    """The corpora that come with the project, by id."""
    return {path.stem: path for path in sorted((ASSETS / "corpora").glob("*.csv"))}


def load(source: str, text_column: str | None = None, *, origin: trust.Origin | None = None) -> Corpus:
    """Read a packaged corpus by id, or a file by path.

    `source` is ``sample``; or a path that ends in .csv, .tsv, .txt, .jsonl or .parquet (.gz too); or documents: a
    folder or a .zip of .txt, .md, .docx and .pdf files, each one text, whose ``sentence_id`` is the file's name in
    there. Without `text_column` it is found by name, or as the one with most letters. `origin` is who names the source,
    where that is not who this thread acts for (`psa_core.trust`).

    Raises `OptionError` when a file may not be read on that word, and `CorpusError` when it is missing, empty, not
    text, malformed, or has no such column.

    >>> len(load("sample").sentences) >= 240
    True
    """
    path = packaged().get(source)
    if path is None:
        trust.permit_path("sentences", source, origin)
        path = Path(source)
        if isdir(path):  # which Path.is_dir answers with an error where a name is too long
            return _of_documents(documents.read_folder(path), path.name)
    try:
        content = bytes_of(path, FILE, field="sentences", error=CorpusError)
    except (FileNotFoundError, ValueError) as error:
        expected = f"a file, a folder, or one of {', '.join(packaged())}"
        raise CorpusError("sentences", got=f"no file at {source!r}", expected=expected) from error
    except OSError as error:
        raise CorpusError("sentences", got=f"{source!r} ({error.strerror})", expected="a file you may read") from error
    return parse(path.name, content, text_column)


def parse(file_name: str, content: bytes, text_column: str | None = None) -> Corpus:
    """Read sentences from the bytes of a file; its name tells the format. See `load`."""
    if documents.is_documents(file_name):
        FILE.check(len(content), field="sentences", error=CorpusError, of=f"in {file_name[:60]}")
        packed = file_name.lower().endswith(".zip")
        return _of_documents((documents.read_zip if packed else documents.read_file)(file_name, content), file_name)
    named = {text_column.strip().casefold()} if text_column else set()
    read = tables.read(file_name, content, replace(SENTENCES, headers=SENTENCES.headers | named))
    digest = hashlib.sha256(content).hexdigest()
    return _corpus(read.frame, file_name, digest, text_column, read.encoding, read.notes)


def _of_documents(found: Documents, source: str) -> Corpus:
    table = pd.DataFrame({"sentence_id": [*found.texts], "text": [*found.texts.values()]}, dtype="str")
    return Corpus(table, source, found.sha256, notes=found.notes, left_out=len(found.left_out), are_documents=True)


def from_memory(given: Any, text_column: str | None = None) -> Corpus:
    """Sentences in memory: a list of texts, or a data frame whose columns are found as in a file.

    Missing values are empty texts. Raises `CorpusError` for no rows, no such column, or a text that is no string.

    >>> from_memory(["He left.", "She stayed."]).sentences["sentence_id"].tolist()
    ['1', '2']
    >>> from_memory(pd.DataFrame({"comment": ["He left."], "stars": [3]})).sentences.columns.tolist()
    ['sentence_id', 'text', 'stars']
    """
    frame, source = given.to_pandas() if hasattr(given, "to_pandas") else given, "data frame"
    if not isinstance(frame, Iterable):
        expected = "an id, a file, a list of texts or a data frame"
        raise CorpusError("sentences", got=repr(given)[:60], expected=expected)
    if not isinstance(frame, pd.DataFrame):
        frame, source = pd.DataFrame({"text": as_texts(frame)}, dtype=object), "list"
    if frame.empty:
        raise CorpusError("sentences", got=f"a {source} of no rows", expected="at least one text")
    headers = clean_headers(frame.columns.tolist(), SENTENCES)
    headed = frame.set_axis(headers, axis=1)[[header for header in headers if header]].reset_index(drop=True)
    cells = headed.astype(object).where(headed.notna(), "")
    table = cells.astype(str)
    as_texts(cells[_find_text_column(table, text_column)])
    digest = hashlib.sha256(table.to_csv(index=False).encode()).hexdigest()
    return _corpus(table, f"{counted(len(table), 'sentence')} of a {source}", digest, text_column)


def _corpus(
    table: pd.DataFrame,
    source: str,
    digest: str,
    text_column: str | None,
    encoding: str = "utf-8",
    notes: tuple[str, ...] = (),
) -> Corpus:
    column = _find_text_column(table, text_column)
    sentences, renamed = _with_ids(table, column)
    if text_column is None and column.lower() not in TEXT_COLUMNS:
        notes += (f"No column is called text: the texts are taken from {column[:60]!r}.",)
    return Corpus(sentences, source, digest, column, encoding, (*notes, *renamed))


def _find_text_column(table: pd.DataFrame, requested: str | None) -> str:
    columns = table.columns.tolist()
    requested = None if requested is None else " ".join(requested.split())
    if requested is not None and requested not in columns:
        listed = ", ".join(column[:40] for column in columns[:12])
        fix = near(requested, columns) or "Choose a column."
        raise CorpusError("text column", got=repr(requested[:80]), expected=f"one of {listed}", fix=fix)
    by_name = {column.lower(): column for column in reversed(columns)}
    named = next((by_name[name] for name in TEXT_COLUMNS if name in by_name), None)
    column = requested or named or max(columns, key=lambda name: table[name].str.count(r"[^\W\d_]").mean())
    if not table[column].str.strip().str.len().gt(0).any():
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
        raise CorpusError(
            "sentences", got=got, expected="a distinct id in each row", fix="Rename or correct the column."
        )
    others = table.drop(columns=[name for name in (text_column, id_column) if name is not None])
    clashing = [name for name in others if name in RESERVED or name.startswith(SCORES)]
    others, prefix = prefixed(others, clashing)
    renamed = [
        f"Column {name[:60]} is called {prefix}{name[:60]} in results, which have another {name[:60]}."
        for name in clashing
    ]
    return pd.concat([pd.DataFrame({"sentence_id": ids, "text": table[text_column]}), others], axis=1), renamed


def prefixed(others: pd.DataFrame, ours: Collection[str]) -> tuple[pd.DataFrame, str]:
    """A reader's columns, those that are called like one of ours with a prefix that no other has; and the prefix."""
    prefix = PREFIX
    while any(f"{prefix}{name}" in others for name in ours):
        prefix += PREFIX
    return others.rename(columns={name: f"{prefix}{name}" for name in ours}), prefix
