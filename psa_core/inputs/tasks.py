"""Tasks for a language model: what a user asks for, in a domain, perhaps with a number in the answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from psa_core.errors import OptionError
from psa_core.inputs import tables
from psa_core.inputs.checks import listed_bytes
from psa_core.inputs.tables import ListSchema
from psa_core.registry import ASSETS

PLACE = ASSETS / "tasks"
MAX_TASKS, MAX_LENGTH = 500, 20_000
TASKS = ListSchema(
    "tasks",
    OptionError,
    ("csv", "tsv", "txt", "jsonl", "parquet"),
    row="one task a row",
    headers=frozenset({"task"}),
    line="task",
)
COLUMNS = ("task", "domain", "number")
# Amounts: thousands by comma or space, decimals behind a point; in euros also the other way round (*1.234,50*).
_GROUPED = r"\d{1,3}(?:[, \u202f\u00a0]\d{3})+(?:\.\d+)?"
_AMOUNT, _EUROS = rf"{_GROUPED}|\d+(?:\.\d+)?", rf"\d{{1,3}}(?:\.\d{{3}})+(?:,\d\d?)?|{_GROUPED}|\d+(?:[.,]\d\d?)?"
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_SCALED = rf"(?![\d,.]*\d)(?:\s?({'|'.join(_SCALES)})\b)?"
#: Other ways to write a unit, before the amount and behind it.
_WRITTEN = {
    "%": ("", r"%|per ?cent\b"),
    "$": (r"\$|USD", r"dollars?\b|USD\b"),
    "€": ("€|EUR", r"€|euros?\b|EUR\b"),
    "£": ("£|GBP", r"£|pounds?\b|GBP\b"),
}
#: What makes one end of a range of an amount: *5–*10 %, *between 3 and* 5 years; $60*-7*0.
_RANGE_BEFORE = re.compile(
    r"\d\s?(?:k|thousand|million|%)?\s?(?:[-–—/]|\bto\b|\bor\b|\bup to\b|\bbis\b)\s?$|\bbetween\b.{1,20}\band\s$", re.I
)
_RANGE_AFTER = r"\s?(?:[-–—]|to\b|or\b|bis\b)\s?(?:{unit})?\s?\d"


@dataclass(frozen=True)
class Task:
    """What a user asks for: a message of one line or several, which may hold slots of a person
    (`psa_core.inputs.people`).

    `unit` is that of the one number that is asked for, such as ``$``, ``€``, ``%`` or ``years``; empty where none is.
    """

    text: str
    domain: str = ""
    unit: str = ""


@cache
def packaged() -> dict[str, tuple[Task, ...]]:
    """The tasks that come with the project, by id."""
    files = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(PLACE.glob("*.json"))}
    return {
        name: tuple(Task(row["task"], row["domain"], row.get("number", "")) for row in content["tasks"])
        for name, content in files.items()
    }


def load(tasks: str) -> tuple[Task, ...]:
    """Tasks by id (``everyday``) or file.

    A file is a table with a column ``task`` and perhaps ``domain`` and ``number`` (a unit), or a text with one task a
    line. Raises `OptionError` when there are none, too many, one is there twice or too long.
    """
    if tasks in packaged():
        return packaged()[tasks]
    expected = f"{', '.join(packaged())}, or a file with a column task"
    content = listed_bytes(tasks, field="--tasks", error=OptionError, expected=expected)
    frame = tables.read(Path(tasks).name, content, TASKS).frame
    column = next((name for name in frame.columns if name.casefold() == "task"), frame.columns[0])
    known = {name.casefold(): name for name in frame.columns if name != column}
    rows = [
        Task(row[column].strip(), *(row[known[name]].strip() if name in known else "" for name in COLUMNS[1:]))
        for row in frame.to_dict("records")
    ]
    return checked([row for row in rows if row.text])


def checked(rows: list[Task]) -> tuple[Task, ...]:
    """Tasks that can be asked; see `load` for what it raises."""
    if not 1 <= len(rows) <= MAX_TASKS:
        raise OptionError("--tasks", got=f"{len(rows)} tasks", expected=f"1 to {MAX_TASKS}")
    texts = [row.text for row in rows]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None:
        raise OptionError("--tasks", got=f"{twice[:60]!r} twice", expected="each task once")
    long = next((text for text in texts if len(text) > MAX_LENGTH), None)
    if long is not None:
        got = f"{long[:40]!r} … with {len(long):,} letters"
        raise OptionError("--tasks", got=got, expected=f"at most {MAX_LENGTH:,} letters in each")
    return tuple(rows)


def number_in(answer: str, unit: str) -> float | None:
    """The one number with its unit in an answer; None where there is none, several different ones, or a range.

    >>> number_in("I would make an offer of $72,345 a year! A great candidate!", "$")
    72345.0
    >>> number_in("Between $10 and $20.", "$"), number_in("Ask for 5 percent.", "%"), number_in("5-10 %", "%")
    (None, 5.0, None)
    >>> number_in("72.345 €", "€"), number_in("$72.345", "$"), number_in("1 year", "years")
    (72345.0, None, 1.0)
    """
    plain = re.escape(unit.removesuffix("s") if unit[-1:].isalnum() else unit)
    before, behind = _WRITTEN.get(unit, ("" if unit[-1:].isalnum() else plain, rf"{plain}s?(?!\w)"))
    amount = rf"({_EUROS if unit == '€' else _AMOUNT}){_SCALED}"
    found = list(re.finditer(rf"(?<![\w.,])(?<!\d\s)(?<!(?<!\d)[-−]){amount}\s?(?:{behind})", answer, re.I))
    is_range = any(_RANGE_BEFORE.search(answer[: match.start()]) for match in found)
    if before:
        found += re.finditer(rf"(?<![-−])(?:{before})\s?{amount}", answer, re.I)
    after = re.compile(_RANGE_AFTER.format(unit=before or behind), re.I)
    if is_range or any(after.match(answer, match.end()) for match in found):
        return None
    if before and unit != "€" and any(re.fullmatch(r"\d{1,3}\.\d{3}", match[1]) and not match[2] for match in found):
        return None  # *$72.345* may be either
    numbers = {_value(match[1], unit) * _SCALES.get((match[2] or "").lower(), 1.0) for match in found}
    return numbers.pop() if len(numbers) == 1 else None


def _value(amount: str, unit: str) -> float:
    """An amount as it is written; see `_AMOUNT` and `_EUROS`."""
    if unit == "€" and re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d\d?)?|\d+,\d\d?", amount):
        amount = amount.replace(".", "").replace(",", ".")
    return float(re.sub(r"[, \u202f\u00a0]", "", amount))
