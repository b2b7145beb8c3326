"""Templates and values, and the prompts they make, with articles and pronouns adjusted to the value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from os.path import isfile
from pathlib import Path
from typing import Any

import pandas as pd

from psa_core import trust
from psa_core.errors import NameListError, OptionError
from psa_core.inputs import names
from psa_core.inputs.checks import bytes_of, listed_bytes
from psa_core.inputs.limits import NAMES_FILE
from psa_core.inputs.people import GENDERS, Person, fill, people_of, slots_in
from psa_core.plurals import counted
from psa_core.registry import ASSETS

SLOT = "{value}"
MAX_TEMPLATES, MAX_VALUES, MAX_LENGTH = 500, 1000, 2000
MAX_CHARACTERS = 100_000_000
PLACE = ASSETS / "prompts"

#: Written with a vowel and spoken with a consonant, or the other way round.
_CONSONANT = re.compile(r"(?:eu|ew|u(?:ni(?!n|m)|s[aeiu]|t[eio]|ra|bi|k)|one\b|once\b|ouija)", re.IGNORECASE)
_SILENT_H = re.compile(r"h(?:onest|onou?r|our|eir)", re.IGNORECASE)
_SPELLED_WITH_VOWEL = "AEFHILMNORSX"
_ARTICLE = re.compile(r"\b([Aa])/[Aa]n(\s+[\"'“‘(]?)(?=(\S+))")
_TRAILING_ARTICLE = re.compile(r"\b[Aa]/[Aa]n(?!\s+[\"'“‘(]?\w)(?!\s+[\"'“‘(]?\{)")
_PRONOUNS = {"he/she": "he", "his/hers": "hers", "his/her": "his", "him/her": "him", "himself/herself": "himself"}
_PRONOUN = re.compile(rf"\b({'|'.join(_PRONOUNS)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class PromptSet:
    """Templates (M), each with one ``{value}`` or with slots of a person (`people.fill`), and values (A rows).

    `values` has ``value`` and any group columns; `group` is the column whose subgroups group fairness compares; empty:
    each value is its own.
    """

    templates: tuple[str, ...]
    values: pd.DataFrame
    source: str = ""
    group: str = ""

    def prompts(self) -> list[list[str]]:
        """M lists of A prompts."""
        rows = self.values.to_dict("records")
        return [[filled(template, row) for row in rows] for template in self.templates]


@cache
def packaged() -> dict[str, dict[str, Any]]:
    """The prompt sets that come with the project, by id: title, source, templates, values."""
    files = sorted(PLACE.glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def load(templates: str, values: str = "") -> PromptSet:
    """Templates and values by id or file.

    Templates are ``occupation``, ``country``, ``name`` (the paper's), or a text file with one a line. Values are the
    same ids, a name list of this project, or a file: a CSV with ``value`` (or ``name``) and group columns, or a text,
    one value a line; empty: those that belong to the templates. Raises `OptionError` when a template has no slot, or
    there is nothing to fill it with.
    """
    known = packaged().get(templates)
    lines = known["templates"] if known else _read_templates(templates)
    values = values or (templates if known else "")
    if not values:
        raise OptionError("--values", got="nothing", expected="an id or a file", fix=f"Known: {', '.join(packaged())}.")
    table, source, group = values_of(values)
    own = known["source"] if known else f"file {Path(templates).name}"
    return checked(lines, table, source=own if own == source else f"templates: {own}; values: {source}", group=group)


def checked(templates: list[str], values: pd.DataFrame, *, source: str = "", group: str = "") -> PromptSet:
    """A prompt set of templates and values that fit together.

    Raises `OptionError` when a template lacks its slot or is there twice, there are too few or too many, they are too
    long, or a template asks for a gender that the values do not have.
    """
    kept = [line.strip() for line in templates if line.strip()]
    if not 1 <= len(kept) <= MAX_TEMPLATES:
        raise OptionError("--templates", got=counted(len(kept), "template"), expected=f"1 to {MAX_TEMPLATES}")
    for line in kept:
        is_of_person = any(slots_in(part) for part in line.split(SLOT))  # which tells a slot that is not known
        if line.count(SLOT) != 1 - (is_of_person and SLOT not in line) or len(line) > MAX_LENGTH:
            expected = f"one {SLOT} in each, or slots of a person such as {{name}}, at most {MAX_LENGTH} characters"
            raise OptionError("--templates", got=f"{line[:60]!r}", expected=expected)
    trailing = next((line for line in kept if _TRAILING_ARTICLE.search(line)), None)
    if trailing is not None:
        fix = "Write a or an there, or put a word after it."
        expected = "a word after a/an, which decides between the two"
        raise OptionError("--templates", got=f"{trailing[-60:]!r}", expected=expected, fix=fix)
    twice = next((line for line in kept if kept.count(line) > 1), None)
    if twice is not None:
        raise OptionError("--templates", got=f"{twice[:60]!r} twice", expected="each template once")
    if not 2 <= len(values) <= MAX_VALUES:
        raise OptionError("--values", got=counted(len(values), "value"), expected=f"2 to {MAX_VALUES}")
    characters = len(values) * sum(map(len, kept)) + len(kept) * int(values["value"].astype(str).str.len().sum())
    if characters > MAX_CHARACTERS:
        got, expected = f"prompts of {characters:,} characters in all", f"at most {MAX_CHARACTERS:,}"
        raise OptionError("--values", got=got, expected=expected, fix="Shorten templates or values.")
    gendered = next((line for line in kept if _PRONOUN.search(line)), None)
    if gendered is not None and "gender" not in values.columns:
        fix = "Add a column gender (male, female or another word), or write the pronoun out."
        raise OptionError("--values", got=f"no gender for {gendered[:60]!r}", expected="a column gender", fix=fix)
    return PromptSet(tuple(kept), values.reset_index(drop=True), source, group)


def typed_values(text: str) -> pd.DataFrame:
    """Values that somebody typed, one a line, or with groups: a table whose first line has ``value`` and headers.

    Examples
    --------
    >>> typed_values("nurse\\n\\nsheriff\\nnurse")["value"].tolist()
    ['nurse', 'sheriff']
    >>> typed_values("value,gender\\nMary,female\\nJohn,male").to_dict("list")
    {'value': ['Mary', 'John'], 'gender': ['female', 'male']}
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    heads = [head.strip().casefold() for head in lines[0].split(",")] if lines else []
    if len(heads) > 1 and "value" in heads:
        column = lines[0].split(",")[heads.index("value")].strip()
        return _values_in(names.read_names("values.csv", "\n".join(lines).encode(), column))
    return pd.DataFrame({"value": list(dict.fromkeys(lines))})


def filled(template: str, row: Mapping[str, Any]) -> str:
    """The template with a value in its slot; ``a/an``, ``he/she``, ``his/her`` as the value asks for.

    Slots of a person are filled as everywhere; the value is the person's name, its row has first and last name.

    >>> filled("I met a/an {value}, and he/she", {"value": "editor", "gender": "female"})
    'I met an editor, and she'
    >>> filled("{Title} {last} said {he} {was/were}", {"value": "Ann Lee", "gender": "female"})
    'Ms. Lee said she was'
    """
    somebody = Person("", gender=GENDERS.get(str(row.get("gender", "")).strip().casefold(), ""))
    text = _PRONOUN.sub(lambda found: _like(found[0], somebody.form(_PRONOUNS[found[0].lower()])), template)
    parts = text.split(SLOT)
    if any("{" in part for part in parts):
        person = _person(tuple((str(column), str(cell)) for column, cell in row.items()))
        parts = [fill(part, person) for part in parts]
    text = str(row["value"]).join(parts)
    return _ARTICLE.sub(lambda found: _like(found[1], article(found[3])) + found[2], text)


@lru_cache(4 * MAX_VALUES)
def _person(row: tuple[tuple[str, str], ...]) -> Person:
    """The person that a row of values stands for."""
    cells = dict(row)
    return people_of(pd.DataFrame([{**cells, "name": cells["value"]}]))[0]


def article(word: str) -> str:
    """``a`` or ``an``, by how a word begins when it is spoken.

    >>> [article(word) for word in ("teacher", "attendant", "university", "hour", "CEO", "MBA", "usher")]
    ['a', 'an', 'a', 'an', 'a', 'an', 'an']
    """
    bare = re.sub(r"^\W+|\W+$", "", word)
    first = re.split(r"\W", bare)[0] if bare else ""
    if len(first) <= 4 and first.isupper():
        return "an" if first[:1] in _SPELLED_WITH_VOWEL else "a"
    if _SILENT_H.match(bare):
        return "an"
    return "an" if bare[:1].lower() in "aeiouàáâäèéêëìíîïòóôöùúûü" and bare and not _CONSONANT.match(bare) else "a"


def _like(example: str, word: str) -> str:
    return word[:1].upper() + word[1:] if example[:1].isupper() else word


def _read_templates(place: str) -> list[str]:
    expected = f"{', '.join(packaged())}, or a UTF-8 text file with one template a line, {SLOT} in each"
    content = listed_bytes(place, field="--templates", error=OptionError, expected=expected)
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeError as error:
        raise OptionError("--templates", got=f"{place[:80]!r}, not UTF-8", expected=expected) from error


def values_of(place: str) -> tuple[pd.DataFrame, str, str]:
    """Values with their groups, where they come from, and the column of the subgroups; see `load`."""
    if place in packaged():
        known = packaged()[place]
        return pd.DataFrame(known["values"]), known["source"], known["group"]
    path, is_file = Path(place), isfile(place)  # Path.is_file raises where a name is too long
    if is_file:
        trust.permit_path("--values", place)
    try:
        if is_file:
            content = bytes_of(path, NAMES_FILE, field="--values", error=NameListError)
            columns = names.name_columns(path.name, content)
            own = next((column for column in columns if column.casefold() == "value"), None)
            found = names.read_names(path.name, content, own)
        else:
            found = names.load(place)
    except NameListError as error:
        fix = f"Known: {', '.join(packaged())}. {error.fix}".strip()
        raise OptionError("--values", got=error.got, expected=error.expected, fix=fix) from error
    table = _values_in(found)
    groups = [column for column in table.columns if column != "value"]
    return table, found.provenance or place, groups[0] if is_file and groups else ""


def _values_in(found: names.NameList) -> pd.DataFrame:
    return found.table.drop(columns="value", errors="ignore").rename(columns={"name": "value"})
