"""Escape CSV fields that a spreadsheet would run as a formula, and undo that on reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

FORMULA_STARTS = "=+-@\t\r"


def neutral(value: Any) -> Any:
    """Keep a spreadsheet from running a field as a formula: a leading ``= + - @`` gets an apostrophe before it.

    Apostrophes that stand before such a character get one more, so that `plain` always undoes it.

    Examples
    --------
    >>> neutral("=1+1"), neutral("'=1"), neutral("it's"), neutral(-1.5)
    ("'=1+1", "''=1", "it's", -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip("'")[:1] in [*FORMULA_STARTS] else value


def plain(value: str) -> str:
    """Undo `neutral`."""
    return value[1:] if value.startswith("'") and value.lstrip("'")[:1] in [*FORMULA_STARTS] else value


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
    marked = plain(anchor) != anchor and text[start:end] == anchor
    if marked and start:
        text, end = text[:start] + text[start + 1 :], end - 1
    longer = len(text) - len(plain(text))
    return plain(text), start if marked and not start else start - longer, end - longer
