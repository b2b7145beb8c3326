"""Common first and last names of 194 countries (Wikidata through CheckList), with what can be told from a name."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from psa_core.errors import OptionError
from psa_core.registry import ASSETS

Gender = Literal["female", "male", ""]
PAPER_COUNTRIES = (
    "United Kingdom",
    "Ireland",
    "United States",
    "Canada",
    "Australia",
    "New Zealand",
    "South Africa",
    "India",
    "Germany",
    "France",
    "Spain",
    "Italy",
    "Portugal",
    "Hungary",
    "Poland",
    "Turkey",
    "Morocco",
)


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
    """Every country by name.

    Parameters
    ----------
    latin_only : bool
        Leave out names that are not in Latin letters, which English readers and models would see as another thing.
    """
    with gzip.open(ASSETS / "gazetteers" / "names-by-country.json.gz", "rt", encoding="utf-8") as stream:
        rows = json.load(stream)["countries"]
    every = [
        Country(row["country"], row["iso3"], tuple(row["male"]), tuple(row["female"]), tuple(row["last"]))
        for row in rows
    ]
    return {country.name: _latin(country) if latin_only else country for country in every}


KINDS = ("male", "female", "last")


def choose(names: Sequence[str], *, latin_only: bool = True) -> list[Country]:
    """Countries by name.

    Raises
    ------
    OptionError
        When a country is unknown, or has no names left for a gender or no last names.
    """
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
    if len({country.name for country in chosen}) < max(1, len(chosen)):
        raise OptionError("countries", got="a country twice", expected="different countries")
    return chosen


def gender_of(first_name: str) -> Gender:
    """Gender of a first name: that of the lists it is in, empty when in none or in both about equally often."""
    counts = _first_names().get(first_name.casefold(), (0, 0))
    if counts[0] > 3 * counts[1]:
        return "female"
    return "male" if counts[1] > 3 * counts[0] else ""


def is_first(name: str) -> bool:
    """Whether some country's first names have it."""
    return name.casefold() in _first_names()


def is_last(name: str) -> bool:
    """Whether some country's last names have it."""
    return name.casefold() in _last_names()


@cache
def _first_names() -> dict[str, tuple[int, int]]:
    """Number of countries whose female and whose male names have a name."""
    counts: dict[str, list[int]] = {}
    for country in countries(latin_only=False).values():
        for column, names in enumerate((country.female, country.male)):
            for name in {name.casefold() for name in names}:
                counts.setdefault(name, [0, 0])[column] += 1
    return {name: (female, male) for name, (female, male) in counts.items()}


@cache
def _last_names() -> frozenset[str]:
    return frozenset(name.casefold() for country in countries(latin_only=False).values() for name in country.last)


def _latin(country: Country) -> Country:
    kept = {kind: tuple(name for name in getattr(country, kind) if is_latin(name)) for kind in KINDS}
    left_out = sum(len(getattr(country, kind)) - len(kept[kind]) for kind in KINDS)
    return replace(country, **kept, left_out=left_out)  # type: ignore[arg-type]


def is_latin(name: str) -> bool:
    """Whether every letter of a name is a Latin one."""
    return all(unicodedata.name(letter, "").startswith("LATIN") for letter in name if letter.isalpha())
