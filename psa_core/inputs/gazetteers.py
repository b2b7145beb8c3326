"""Common first and last names of 194 countries (Wikidata through CheckList), and the gender of names."""

from __future__ import annotations

import csv
import gzip
import json
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from psa_core.errors import OptionError
from psa_core.registry import ASSETS

Gender = Literal["female", "male", ""]
KINDS = ("male", "female", "last")
FIRST = ("female", "male")
PAPER_COUNTRIES = (
    "United Kingdom", "Ireland", "United States", "Canada", "Australia", "New Zealand", "South Africa", "India",
    "Germany", "France", "Spain", "Italy", "Portugal", "Hungary", "Poland", "Turkey", "Morocco",
)  # fmt: skip


@dataclass(frozen=True)
class Country:
    """Names of one country, most common first; `left_out` counts those that are not in Latin letters."""

    name: str
    iso3: str
    male: tuple[str, ...]
    female: tuple[str, ...]
    last: tuple[str, ...]
    left_out: int = 0

    def first(self, gender: Gender) -> tuple[str, ...]:
        """First names of a gender; of both where it is unknown."""
        return {"male": self.male, "female": self.female}.get(gender, self.male + self.female)


@cache
def countries(*, latin_only: bool = True) -> dict[str, Country]:
    """Every country by name; `latin_only` leaves out names in other letters, which English readers and models would see
    as another thing.
    """
    with gzip.open(ASSETS / "gazetteers" / "names-by-country.json.gz", "rt", encoding="utf-8") as stream:
        rows = json.load(stream)["countries"]
    found = {}
    for row in rows:
        kept = {kind: tuple(name for name in row[kind] if not latin_only or is_latin(name)) for kind in KINDS}
        left_out = sum(len(row[kind]) - len(kept[kind]) for kind in KINDS)
        found[row["country"]] = Country(row["country"], row["iso3"], **kept, left_out=left_out)
    return found


def choose(names: Sequence[str], *, latin_only: bool = True) -> list[Country]:
    """Countries by name; raises `OptionError` when there is none, one is unknown or there twice, or has no names of a
    kind.
    """
    if not names:
        expected = f"names such as {', '.join(PAPER_COUNTRIES[:4])}"
        raise OptionError("countries", got="none", expected=expected, fix="Separate several by commas.")
    known = countries(latin_only=latin_only)
    by_key = {name.casefold(): country for name, country in known.items()}
    chosen = []
    for name in names:
        country = by_key.get(name.strip().casefold())
        if country is None:
            raise OptionError("countries", got=repr(name), expected=f"names such as {', '.join(PAPER_COUNTRIES[:4])}")
        empty = [kind for kind in KINDS if not getattr(country, kind)]
        if empty:
            fix = "Allow names in other scripts, or leave the country out."
            raise OptionError("countries", got=f"no {empty[0]} names for {name}", expected="names to draw", fix=fix)
        chosen.append(country)
    if len({country.name for country in chosen}) < len(chosen):
        raise OptionError("countries", got="a country twice", expected="different countries")
    return chosen


#: Evidence below which a name tells no gender, and how much births in the US and public figures count.
MIN_EVIDENCE = 0.3
BIRTHS_COUNT, MANY_BIRTHS = 3.0, 100
FIGURE_LAST, FIGURE_FIRST = 5.0, 2.0


@dataclass(frozen=True)
class Evidence:
    """How strongly a word is known as a woman's, as a man's and as a last name; 1 is the top of one country's list."""

    female: float = 0.0
    male: float = 0.0
    last: float = 0.0

    @property
    def first(self) -> float:
        """As a first name of either."""
        return self.female + self.male


UNKNOWN = Evidence()


def evidence(name: str) -> Evidence:
    """What is known of a name: its rank in every country's lists, US births, and whether a public figure bears it."""
    return _evidence().get(name.casefold(), UNKNOWN)


def gender_of(first_name: str, *, times: float = 3, least: float = MIN_EVIDENCE) -> Gender:
    """Gender of a first name: the one that has so many times the evidence of the other; empty when neither has."""
    found = evidence(first_name)
    if max(found.female, found.male) < least:
        return ""
    if found.female > times * found.male:
        return "female"
    return "male" if found.male > times * found.female else ""


def is_listed(name: str) -> bool:
    """Whether some country's first or last names have it."""
    return name.casefold() in _listed()


@cache
def _listed() -> frozenset[str]:
    every = countries(latin_only=False).values()
    return frozenset(name.casefold() for country in every for kind in KINDS for name in getattr(country, kind))


@cache
def _evidence() -> dict[str, Evidence]:
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for country in countries(latin_only=False).values():
        for column, names in enumerate((country.female, country.male, country.last)):
            for rank, name in enumerate(dict.fromkeys(name.casefold() for name in names)):
                counts[name][column] += 1 - rank / (2 * len(names))
    with gzip.open(ASSETS / "gazetteers" / "us-births-2021.csv.gz", "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            births = np.array([int(row["female"]), int(row["male"])])
            share = min(1.0, births.sum() / MANY_BIRTHS) * BIRTHS_COUNT / births.sum()
            for column, number in enumerate(births):
                counts[row["name"].casefold()][column] += share * number
    for name, gender in _figures().items():
        first, *_, last = name.split()
        counts[last][2] = max(FIGURE_LAST, counts[last][2])
        if gender:
            counts[first][FIRST.index(gender)] += FIGURE_FIRST
    return {name: Evidence(*row) for name, row in counts.items()}


def figure_gender(name: str) -> Gender:
    """Gender of a packaged public figure by the full name; empty when it is none, or is neither."""
    return _figures().get(name.casefold(), "")


@cache
def _figures() -> dict[str, Gender]:
    """Gender of packaged public figures of two words or more, by name in small letters."""
    with (ASSETS / "names" / "public-figures.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if " " in row["name"].strip()]
    return {row["name"].casefold(): row["gender"] if row["gender"] in FIRST else "" for row in rows}  # type: ignore[misc]


def is_latin(name: str) -> bool:
    """Whether every letter of a name is a Latin one."""
    return all(unicodedata.name(letter, "").startswith("LATIN") for letter in name if letter.isalpha())
