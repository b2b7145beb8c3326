"""Escape CSV fields that a spreadsheet would run as a formula, and undo that on reading."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import IO, Any

import pandas as pd

#: Characters that begin a formula: ``= + - @`` in every width, super- and subscripts too (all that NFKC makes them).
FORMULA_STARTS = "=+-@⁺⁼₊₌⩵⩶﬩﹢﹣﹦﹫＋－＝＠"
#: What a spreadsheet may drop from the front of a field before it looks what the field is.
BREAKS = "\t\r\n"
#: Where a program may cut a field in two: one that expects another separator cuts at it even inside of quotes.
CUTS = f"{BREAKS}\v\f\x1c\x1d\x1e\x85\u2028\u2029,;|"
_STARTS = re.escape(FORMULA_STARTS)
_NEEDED = re.compile(f"[{_STARTS}{BREAKS}]")
_AFTER_A_CUT = re.compile(f"(?<=[{CUTS}])([^\\w{CUTS}]*?)[{_STARTS}]")


def neutral(value: Any) -> Any:
    """Keep a spreadsheet from running a field as a formula: a leading ``= + - @`` gets an apostrophe before it.

    So do their other widths (``＝``), those behind spaces, quotes and invisible characters, and a leading tab or line
    end; and inside of a field, each that follows ``, ; |``, a tab or a line end, where another program may cut it. One
    that has an apostrophe before it gets one more, so that `plain` always undoes it.

    >>> neutral("=1+1"), neutral("'=1"), neutral("it's"), neutral(-1.5), neutral("hi;=1")
    ("'=1+1", "''=1", "it's", -1.5, "hi;'=1")
    """
    return _with(value, _marks(value)) if isinstance(value, str) else value


def plain(value: str) -> str:
    """Undo `neutral`."""
    return _without(value, _apostrophes(value))


def _marks(field: str) -> list[int]:
    """Where `neutral` puts an apostrophe: before the character at each of these positions."""
    if not _NEEDED.search(field):
        return []
    inside = [found.end(1) for found in _AFTER_A_CUT.finditer(field) if all(map(_is_unseen, found[1]))]
    shown = field.lstrip("'")
    first = next((letter for letter in shown if not _is_unseen(letter)), "")
    return [0, *inside] if shown[:1] in [*BREAKS] or first in [*FORMULA_STARTS] else inside


def _apostrophes(field: str) -> list[int]:
    """Positions of the apostrophes that `neutral` put there."""
    return [at for mark in _marks(field) if field[(at := mark - 1 if mark else 0)] == "'"]


def _is_unseen(letter: str) -> bool:
    return letter in "'\"" or unicodedata.category(letter)[0] in "CZ"


def _with(text: str, marks: Iterable[int]) -> str:
    for mark in sorted(marks, reverse=True):
        text = f"{text[:mark]}'{text[mark:]}"
    return text


def _without(text: str, positions: Iterable[int]) -> str:
    for position in sorted(positions, reverse=True):
        text = text[:position] + text[position + 1 :]
    return text


def write(table: pd.DataFrame, path: Path | IO[str]) -> None:
    """Write a table as UTF-8 CSV, its texts and headings made harmless to spreadsheets."""
    safe = table.rename(columns=neutral)
    for position in _texts(table):
        safe.isetitem(position, table.iloc[:, position].map(neutral))
    write_exactly(safe, path)


def write_exactly(table: pd.DataFrame, path: Path | IO[str]) -> None:
    """Write a table as UTF-8 CSV for a program: each field as it is, and none that begins a row of its own."""
    fields = [table.columns, *(table.iloc[:, position] for position in _texts(table))]
    returns = any(some.astype(str).str.contains("\r", regex=False).any() for some in fields)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL  # which leaves a lone carriage return bare
    table.to_csv(path, index=False, encoding="utf-8", quoting=quoting)


def _texts(table: pd.DataFrame) -> list[int]:
    return [position for position, kind in enumerate(table.dtypes) if not pd.api.types.is_numeric_dtype(kind)]


def place(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sentences for a file whose fields become `neutral`: there, too, ``text[start:end]`` has to be the anchor's field.

    The apostrophe before an anchor such as *=x* stands in the text as well.
    """
    return _moved(sentences, _placed)


def displace(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sentences as they were, from the fields of such a file; also from one without apostrophes inside of texts."""
    others = {name: sentences[name].map(plain) for name in sentences.columns.difference([*_MOVED])}
    return _moved(sentences, _displaced).assign(**others)


_MOVED = ("text", "anchor", "start", "end")


def _moved(table: pd.DataFrame, move: Callable[[str, str, int, int], tuple[str, str, int, int]]) -> pd.DataFrame:
    rows = zip(table["text"], table["anchor"], table["start"].astype(int), table["end"].astype(int), strict=True)
    return table.assign(**pd.DataFrame([move(*row) for row in rows], table.index, [*_MOVED]))


def _placed(text: str, anchor: str, start: int, end: int) -> tuple[str, str, int, int]:
    own, of_anchor = set(_marks(text)), {start + mark for mark in _marks(anchor)}
    marks = own | of_anchor
    left = start + sum(mark < start or (mark == start and mark not in of_anchor) for mark in marks)
    right = end + sum(mark < end for mark in marks)
    # Apostrophes of the text that fall into the anchor are there before its field is made neutral.
    return _with(text, of_anchor - own), plain(_with(text, marks)[left:right]), left, right


def _displaced(text: str, anchor: str, start: int, end: int) -> tuple[str, str, int, int]:
    extra: Collection[int] = _apostrophes(text)
    fits = text[start:end] == anchor
    if fits:
        extra = {*extra, *(start + position for position in _apostrophes(anchor))}
    left, right = (edge - sum(position < edge for position in extra) for edge in (start, end))
    restored = _without(text, extra)
    return restored, restored[left:right] if fits else plain(anchor), left, right
