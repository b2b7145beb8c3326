"""Conditions of a study: what a model is told, what stands before each text, and how the people in it are named."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from psa_core.errors import OptionError
from psa_core.inputs import tables
from psa_core.inputs.checks import listed_bytes
from psa_core.inputs.people import HIDDEN
from psa_core.inputs.tables import ListSchema
from psa_core.registry import ASSETS

FILE = ASSETS / "conditions.csv"
COLUMNS = ("condition", "system", "context", "names")
MOST, MAX_LENGTH = 20, 4_000
_ID = re.compile(r"\w[\w -]{0,39}")
EXPECTED = (
    "a csv with the columns condition (a short name) and one or more of system (what a language model is told "
    f"first), context (put before each text) and names (empty, {' or '.join(HIDDEN)}); the first row is the one that "
    "others are compared with"
)
SCHEMA = ListSchema("--conditions", OptionError, ("csv", "tsv"), row=EXPECTED, headers=frozenset(COLUMNS))


@dataclass(frozen=True)
class Condition:
    """One condition; without any of its texts, the study as it is.

    Its targets begin with its `id` (``legal-notice.invite``). `system` is what a language model is told first, beside
    its question's own system message; `context` is put before each text, with an empty line between; `names` says how
    people are named (`people.Person.hidden`).
    """

    id: str
    system: str = ""
    context: str = ""
    names: str = ""

    @property
    def words(self) -> str:
        """What it does, in plain words."""
        names = {"": "", "removed": "everybody is X", "initials": "people have initials only"}[self.names]
        told = [
            f"told “{self.system}”" if self.system else "",
            f"behind “{self.context}”" if self.context else "",
            names,
        ]
        return "; ".join(filter(None, told)) or "the study as it is"


def packaged() -> dict[str, Condition]:
    """The conditions that come with the project, by id."""
    return {found.id: found for found in _read(FILE.name, FILE.read_bytes())}


def load(given: str) -> tuple[Condition, ...]:
    """The conditions that a study names: ids of `packaged`, with commas between, or a file; none for an empty text.

    Raises `OptionError` when it is neither, may not be read, or holds other than two conditions or more, each
    different.

    >>> [condition.id for condition in load("none, legal-notice, initials-only")]
    ['none', 'legal-notice', 'initials-only']
    """
    known, ids = packaged(), [part.strip() for part in given.split(",") if part.strip()]
    if all(part in known for part in ids):
        return _checked([known[part] for part in ids]) if ids else ()
    expected = f"some of {', '.join(known)} with commas between, or {EXPECTED}"
    return read(Path(given).name, listed_bytes(given, field="--conditions", error=OptionError, expected=expected))


def is_packaged(given: str) -> bool:
    """Whether a study names packaged conditions only, or none."""
    return not {part.strip() for part in given.split(",")} - {"", *packaged()}


def digest(found: Sequence[Condition]) -> str:
    """Equal for equal conditions, whatever file they came in."""
    return hashlib.sha256(json.dumps([asdict(one) for one in found]).encode()).hexdigest()


def read(name: str, content: bytes) -> tuple[Condition, ...]:
    """The conditions in the bytes of a file; raises as `load` does."""
    return _checked(_read(name, content))


def _read(name: str, content: bytes) -> list[Condition]:
    frame = tables.read(name, content, SCHEMA).frame
    if "condition" not in frame or set(frame) - set(COLUMNS):
        raise OptionError("--conditions", got=f"the columns {', '.join(map(str, frame))}"[:120], expected=EXPECTED)
    rows = frame.reindex(columns=list(COLUMNS), fill_value="")
    return [Condition(*(str(cell).strip() for cell in row)) for row in rows.itertuples(index=False)]


def _checked(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """The same conditions; raises `OptionError` for what cannot be compared."""
    wrong = ""
    for one in found:
        if not _ID.fullmatch(one.id):
            wrong = f"the name {one.id[:60]!r}; letters, digits, spaces and hyphens make one"
        elif one.names not in ("", *HIDDEN):
            wrong = f"names {one.names[:40]!r} in {one.id!r}"
        elif len(one.system) + len(one.context) > MAX_LENGTH:
            wrong = f"more than {MAX_LENGTH:,} letters in {one.id!r}"
    distinct = {one.id for one in found}, {(one.system, one.context, one.names) for one in found}
    if not 2 <= len(found) <= MOST or any(len(each) < len(found) for each in distinct):
        wrong = wrong or f"{len(found)} of them, {len(distinct[0])} names, {len(distinct[1])} contents"
    if wrong:
        raise OptionError("--conditions", got=wrong, expected=f"2 to {MOST} different conditions, in {EXPECTED}")
    return tuple(found)
