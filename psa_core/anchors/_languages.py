"""Detect words such as *he* inside another language: *no he podido*, *komm her*, *her şey*."""

from __future__ import annotations

import csv
import re
from functools import cache

from psa_core.registry import ASSETS

_WORD = re.compile(r"[^\W\d_]+")
#: English pronouns that are words of other languages too; *him*, *his* and *she* are English wherever they stand.
_SHARED = frozenset({"he", "her", "ze", "hir"})
#: How many words of either side are looked at.
_REACH = 6
_NEAR = 60
#: *he* in Spanish, Catalan and Galician: "I have", before a participle.
_SPANISH_PERFECT = re.compile(
    r"\s+(?:\w{2,20}(?:ado|ido|ído)(?:s|las?|los?)?|hecho|dicho|visto|puesto|muerto|escrito|vuelto|abierto|roto|cubierto|"
    r"resuelto|fet|dit|vist|estat|anat|tingut|vingut|de\s\w{2,20}[aei]r(?:l[aeo]s?|me|te|se)?)\b",
    re.IGNORECASE,
)


@cache
def _words() -> dict[str, frozenset[str]]:
    """Frequent words of each language; of English, and those of no use: particles of names, what chats write."""
    table = (ASSETS / "anchors" / "other-languages.csv").read_text(encoding="utf-8")
    return {row["language"]: frozenset(row["words"].split()) for row in csv.DictReader(table.splitlines())}


@cache
def _others() -> frozenset[str]:
    """Frequent words of other languages that are no frequent words of English."""
    return frozenset().union(*_words().values()) - _words()["English"] - _words()["Names and chats"]


def another_language(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` stands among words of another language than English.

    Examples
    --------
    >>> another_language("Hoy no he comido nada.", 7, 9), another_language("He said que no.", 0, 2)
    (True, False)
    """
    word = text[start:end].lower()
    if word not in _SHARED:
        return False
    if word == "he" and _SPANISH_PERFECT.match(text, end):
        return True
    english = _words()["English"]
    before = [match[0].lower() for match in _WORD.finditer(text[max(0, start - _NEAR) : start])][-_REACH:]
    after = [match[0].lower() for match in _WORD.finditer(text[end : end + _NEAR])][:_REACH]
    if any(beside in english for beside in before[-1:] + after[:1]):
        return False
    around = before + after
    others = sum(word in _others() for word in around)
    return others > 0 and others > sum(word in english for word in around) and 3 * others >= len(around)
