"""Warnings about the names of a list, such as ordinary words among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pandas as pd

from psa_core.inputs.gazetteers import is_latin
from psa_core.registry import ASSETS

MAX_CHARACTERS, MAX_WORDS = 40, 5
DETERMINERS = frozenset({"the", "a", "an", "this", "my"})  # noun phrases are meant to start in lower case
WARNINGS = {
    "word": "is also an ordinary English word, so a model may not read it as a name",
    "long": "is long: models may cut the sentence, and charts the label",
    "digit": "contains a digit",
    "script": "is not in Latin letters, which English models rarely know",
    "lower case": "starts with a lower-case letter and keeps it at the start of a sentence",
    "markup": "looks like markup or a formula",
    "duplicate": "is there twice but for capitals",
}


@dataclass(frozen=True)
class NameWarning:
    """Something about one name that may spoil its results, in one sentence; `kind` is one of `WARNINGS`."""

    name: str
    kind: str
    message: str


@cache
def _ordinary_words() -> frozenset[str]:
    return frozenset((ASSETS / "names" / "ordinary-words.txt").read_text(encoding="utf-8").split())


def lint(table: pd.DataFrame) -> list[NameWarning]:
    """Warn of names that may not be what they seem, in the order of the names; a name may have several warnings.

    >>> [(warning.name, warning.kind) for warning in lint(pd.DataFrame({"name": ["Grace", "Ann Lee"]}))]
    [('Grace', 'word')]
    """
    folded = Counter(name.casefold() for name in table["name"])
    found = []
    for name in table["name"]:
        words = name.split()
        applies = {
            "word": name.casefold() in _ordinary_words(),
            "long": len(name) > MAX_CHARACTERS or len(words) > MAX_WORDS,
            "digit": any(map(str.isdigit, name)),
            "script": not is_latin(name),
            "lower case": name[0].islower() and words[0] not in DETERMINERS,
            "markup": name[0] in "=+-@" or any(sign in name for sign in "<>{}"),
            "duplicate": folded[name.casefold()] > 1,
        }
        found += [NameWarning(name, kind, f"{name!r} {WARNINGS[kind]}.") for kind in WARNINGS if applies[kind]]
    return found
