"""Counterfactual copies of real texts: other groups' words, a group in place of *people*, a slur in place of an insult."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from psa_core.training.hate.words import article, groups, slurs

PEOPLE = re.compile(r"\b(?:(?:a|an|this|that) (?:guy|dude|person|man)|people|folks)\b", re.IGNORECASE)
INSULT = re.compile(
    r"\b(?:(an? )?(idiot|moron|asshole|loser|jerk|dumbass|prick|bastard|fool|douche|scumbag|bitch|clown|coward)"
    r"|(idiots|morons|assholes|losers|jerks|dumbasses|pricks|bastards|fools|douches|scumbags|clowns|cowards))\b",
    re.IGNORECASE,
)


def named(texts: pd.Series, *, more: bool = True) -> pd.Series:
    """Whether each text names a group of people: bool.

    Parameters
    ----------
    texts : series of str
    more : bool
        Insults for a group count too.
    """
    return texts.str.contains(_pattern(more), regex=True)


def other_groups(texts: pd.Series, rng: np.random.Generator) -> pd.Series:
    """Each text with all words of groups that it names changed to those of one other group, or none."""
    pool = groups().query("use == 'train'")
    by_word = {row.people.casefold(): "people" for row in pool.itertuples()}
    by_word |= {row.person.casefold(): "person" for row in pool.itertuples()}

    def one(text: str) -> str:
        row = pool.iloc[rng.integers(len(pool))]
        return _pattern(False).sub(lambda match: str(row[by_word[match[0].casefold()]]), text)

    return texts.map(one)


def groups_for_people(texts: pd.Series, rng: np.random.Generator) -> pd.Series:
    """Each text with a group's name where it says *people* or *a guy*; the first place only."""
    pool = groups().query("use == 'train'")

    def one(text: str) -> str:
        row = pool.iloc[rng.integers(len(pool))]
        return PEOPLE.sub(lambda match: _like(match[0], row), text, count=1)

    return texts.map(one)


def slurs_for_insults(texts: pd.Series, rng: np.random.Generator) -> pd.Series:
    """Each text with an insult that names a group where it has one that names none; the first place only."""
    pool = slurs()

    def one(text: str) -> str:
        row = pool.iloc[rng.integers(len(pool))]
        put: Callable[[re.Match[str]], str] = lambda match: (
            str(row["people"]) if match[3] else (f"{article(row['person'])} " if match[1] else "") + str(row["person"])
        )
        return INSULT.sub(put, text, count=1)

    return texts.map(one)


def _like(found: str, row: pd.Series) -> str:
    first, _, rest = found.partition(" ")
    if not rest:
        return str(row["people"])
    return f"{article(row['person'])} {row['person']}" if first.lower() in ("a", "an") else f"{first} {row['person']}"


@cache
def _pattern(more: bool) -> re.Pattern[str]:
    tables = [groups().query("use == 'train'"), *([slurs()] if more else [])]
    words = {word for table in tables for column in ("people", "person") for word in table[column]}
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
