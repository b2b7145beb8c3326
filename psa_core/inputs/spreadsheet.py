"""Escape CSV fields that a spreadsheet would run as a formula, and undo that on reading."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pandas as pd

FORMULA_STARTS = "=+-@"
#: What a spreadsheet may drop from the front of a field before it looks what the field is.
BREAKS = "\t\r\n"


def neutral(value: Any) -> Any:
    """Keep a spreadsheet from running a field as a formula: a leading ``= + - @`` gets an apostrophe before it.

    So do their other widths (``＝``), those behind spaces and invisible characters, and a leading tab or line end.
    Apostrophes that stand before such a character get one more, so that `plain` always undoes it.

    Examples
    --------
    >>> neutral("=1+1"), neutral("'=1"), neutral("it's"), neutral(-1.5)
    ("'=1+1", "''=1", "it's", -1.5)
    """
    return f"'{value}" if isinstance(value, str) and _may_run(value) else value


def plain(value: str) -> str:
    """Undo `neutral`."""
    return value[1:] if value.startswith("'") and _may_run(value) else value


def _may_run(field: str) -> bool:
    shown = field.lstrip("'")
    if not shown or shown[0].isalnum():
        return False
    first = next((letter for letter in shown if unicodedata.category(letter)[0] not in "CZ"), "")
    return shown[0] in BREAKS or unicodedata.normalize("NFKC", first)[:1] in [*FORMULA_STARTS]


def write(table: pd.DataFrame, place: Path | IO[str]) -> None:
    """Write a table as UTF-8 CSV, its texts and headings made harmless to spreadsheets."""
    safe = table.rename(columns=neutral)
    for position in _texts(table):
        safe.isetitem(position, table.iloc[:, position].map(neutral))
    write_exactly(safe, place)


def write_exactly(table: pd.DataFrame, place: Path | IO[str]) -> None:
    """Write a table as UTF-8 CSV for a program: each field as it is, and none that begins a row of its own."""
    fields = [table.columns, *(table.iloc[:, position] for position in _texts(table))]
    returns = any(some.astype(str).str.contains("\r", regex=False).any() for some in fields)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL  # which leaves a lone carriage return bare
    table.to_csv(place, index=False, encoding="utf-8", quoting=quoting)


def _texts(table: pd.DataFrame) -> list[int]:
    return [position for position, kind in enumerate(table.dtypes) if not pd.api.types.is_numeric_dtype(kind)]


def place(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sentences for a file whose fields become `neutral`: there, too, ``text[start:end]`` has to be the anchor's field.

    The apostrophe before an anchor such as *=x* stands in the text as well.
    """
    return _moved(sentences, _placed)


def displace(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sentences as they were, from the fields of such a file; also from one without apostrophes inside of texts."""
    plained = {name: sentences[name].map(plain) for name in sentences.columns.difference(["text", "start", "end"])}
    return _moved(sentences, _displaced).assign(**plained)


def _moved(table: pd.DataFrame, move: Callable[[str, str, int, int], tuple[str, int, int]]) -> pd.DataFrame:
    rows = zip(table["text"], table["anchor"], table["start"].astype(int), table["end"].astype(int), strict=True)
    return table.assign(**pd.DataFrame([move(*row) for row in rows], table.index, ["text", "start", "end"]))


def _placed(text: str, anchor: str, start: int, end: int) -> tuple[str, int, int]:
    marked = neutral(anchor) != anchor
    if marked and start:
        text, end = f"{text[:start]}'{text[start:]}", end + 1
    longer = len(neutral(text)) - len(text)
    return text, start if marked and not start else start + longer, end + longer


def _displaced(text: str, anchor: str, start: int, end: int) -> tuple[str, int, int]:
    marked, is_first = plain(anchor) != anchor and text[start:end] == anchor, not start
    longer = len(text) - len(plain(text))
    text, start, end = plain(text), start if marked and is_first else start - longer, end - longer
    return (text[:start] + text[start + 1 :], start, end - 1) if marked and not is_first else (text, start, end)
