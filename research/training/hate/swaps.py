"""Counterfactual copies of real texts: *people* replaced by a group, an insult by another group's."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pandas as pd

from research.training.hate.words import article, groups, slurs

PEOPLE = re.compile(r"\b(?:(?:a|an|this|that) (?:guy|dude|person|man)|people|folks)\b", re.IGNORECASE)
INSULT = re.compile(
    r"\b(?:(?:an? )?(?:idiot|moron|asshole|loser|jerk|dumbass|prick|bastard|fool|douche|scumbag|bitch|clown|coward)"
    r"|(?:idiots|morons|assholes|losers|jerks|dumbasses|pricks|bastards|fools|douches|scumbags|clowns|cowards))\b",
    re.IGNORECASE,
)


def named(texts: pd.Series) -> pd.Series:
    """Whether each text names a group of people, or insults one: bool."""
    return texts.str.contains(words_of())


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
        return INSULT.sub(lambda match: _unlike(match[0], row), text, count=1)

    return texts.map(one)


def _like(found: str, row: pd.Series) -> str:
    first, _, rest = found.partition(" ")
    if not rest:
        return str(row["people"])
    return f"{article(row['person'])} {row['person']}" if first.lower() in ("a", "an") else f"{first} {row['person']}"


def _unlike(found: str, row: pd.Series) -> str:
    first, space, word = found.rpartition(" ")
    if word.lower().endswith("s"):
        return str(row["people"])
    return f"{article(row['person']) if first else ''}{space}{row['person']}"


@cache
def words_of(group: str = "") -> re.Pattern[str]:
    """A pattern of the words for a group and of the insults for it; for all groups where none is given."""
    tables = [table if not group else table[table["group"] == group] for table in (groups(), slurs())]
    words = {word for table in tables for column in ("people", "person") for word in table[column]}
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
