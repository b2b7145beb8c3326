"""Group words, insults and templates that extend the public data sets."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent
SLOT = re.compile(r"\{(a )?(people|person|slurs|slur|name)\}")
# People whom a template insults, but not as members of a group.
NAMES = ("Kevin", "Laura", "that singer", "the coach", "my landlord", "Mr Dobbs", "the host", "Tina", "our manager")


HATE, NOT = "hate", "not-hate"


@cache
def groups() -> pd.DataFrame:
    """Words for groups of people: ``group``, ``people`` (plural), ``person`` (singular), ``use`` (train or test)."""
    return pd.read_csv(FOLDER / "groups.csv")


@cache
def slurs() -> pd.DataFrame:
    """Insults that name a group: ``group``, ``people`` (plural), ``person`` (singular)."""
    return pd.read_csv(FOLDER / "slurs.csv")


@cache
def templates() -> pd.DataFrame:
    """Our sentences with a slot: ``use`` (train or test), ``label``, ``kind``, ``template``."""
    return pd.read_csv(FOLDER / "templates.csv")


def filled(use: str, *, rng: np.random.Generator, copies: int = 0) -> pd.DataFrame:
    """Templates of one use, ``train`` or ``test``, with words in their slots; no text twice.

    ``text, label, group, kind``; templates and group words of the other use stay out. A template gets so many `copies`,
    drawn evenly over groups; 0 = every group word once.
    """
    rows = []
    for template in templates().query("use == @use").itertuples():
        words = _words(template.template, use)
        for row in _drawn(words, copies, rng) if len(words) else [None]:
            text = fill(template.template, row, name=str(rng.choice(NAMES)))
            rows.append((text, template.label, "" if row is None else row.group, template.kind))
    table = pd.DataFrame(rows, columns=["text", "label", "group", "kind"])
    return table.drop_duplicates("text").reset_index(drop=True)


def fill(template: str, row: Any, *, name: str = "") -> str:
    """One template with one group's words: ``{people}``, ``{person}``, ``{a person}``, ``{slur}``, ``{slurs}``."""

    def word(match: re.Match[str]) -> str:
        if match[2] == "name":
            return name
        found = str(getattr(row, {"slurs": "people", "slur": "person"}.get(match[2], match[2])))
        return f"{article(found)} {found}" if match[1] else found

    text = SLOT.sub(word, template)
    return text[:1].upper() + text[1:] if template[0] == "{" and template.endswith(".") else text


def article(word: str) -> str:
    """*a* or *an*."""
    return "an" if word[0].lower() in "aeio" else "a"


def _words(template: str, use: str) -> pd.DataFrame:
    """The words that a template's slot can take; none where it has no slot for a group."""
    kinds = {match[2] for match in SLOT.finditer(template)}
    if kinds & {"slur", "slurs"}:
        return slurs()
    return groups().query("use == @use") if kinds & {"people", "person"} else groups().head(0)


def _drawn(words: pd.DataFrame, copies: int, rng: np.random.Generator) -> list[Any]:
    if not copies:
        return list(words.itertuples())
    shares = 1 / words.groupby("group")["group"].transform("size").to_numpy(float)
    drawn = rng.choice(len(words), size=min(copies, len(words)), replace=False, p=shares / shares.sum())
    return list(words.iloc[drawn].itertuples())
