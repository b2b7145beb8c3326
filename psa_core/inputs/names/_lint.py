"""Warnings about the names of a list, such as ordinary words among them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pandas as pd

from psa_core.registry import ASSETS

LONG_CHARACTERS, LONG_WORDS = 40, 5
DETERMINERS = frozenset({"the", "a", "an", "this", "my"})  # noun phrases are meant to start in lower case


@dataclass(frozen=True)
class NameWarning:
    """Something about one name that may spoil what is read from it; the list can be studied all the same.

    Attributes
    ----------
    name : str
    kind : str
        ``duplicate``, ``word``, ``long``, ``digit``, ``script``, ``lower case`` or ``markup``.
    message : str
        One sentence.
    """

    name: str
    kind: str
    message: str


def lint(table: pd.DataFrame) -> list[NameWarning]:
    """Warn of names that may not be what they seem, in the order of the names.

    Parameters
    ----------
    table : DataFrame, N rows
        With a column ``name`` of strings that are not empty, as in `NameList.table`.

    Returns
    -------
    list of NameWarning
        A name may have several, or none.

    Examples
    --------
    >>> [(warning.name, warning.kind) for warning in lint(pd.DataFrame({"name": ["Grace", "Ann Lee"]}))]
    [('Grace', 'word')]
    """
    folded = Counter(name.casefold() for name in table["name"])
    checks = [*_CHECKS, ("duplicate", "is there twice but for capitals", lambda name: folded[name.casefold()] > 1)]
    return [
        NameWarning(name, kind, f"{name!r} {why}.")
        for name in table["name"]
        for kind, why, applies in checks
        if applies(name)
    ]


@cache
def _ordinary_words() -> frozenset[str]:
    return frozenset((ASSETS / "names" / "ordinary-words.txt").read_text(encoding="utf-8").split())


def _is_word(name: str) -> bool:
    return name.casefold() in _ordinary_words()


def _is_long(name: str) -> bool:
    return len(name) > LONG_CHARACTERS or len(name.split()) > LONG_WORDS


def _has_digit(name: str) -> bool:
    return any(letter.isdigit() for letter in name)


def _is_other_script(name: str) -> bool:
    return any(letter.isalpha() and not unicodedata.name(letter, "").startswith("LATIN") for letter in name)


def _is_lower_case(name: str) -> bool:
    return name[0].islower() and name.split()[0] not in DETERMINERS


def _is_markup(name: str) -> bool:
    return name[0] in "=+-@" or any(sign in name for sign in "<>{}")


_CHECKS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("word", "is also an ordinary English word, so a model may not read it as a name", _is_word),
    ("long", "is long: models may cut the sentence, and charts the label", _is_long),
    ("digit", "contains a digit", _has_digit),
    ("script", "is not in Latin letters, which English models rarely know", _is_other_script),
    ("lower case", "starts with a lower-case letter and keeps it at the start of a sentence", _is_lower_case),
    ("markup", "looks like markup or a formula", _is_markup),
)
