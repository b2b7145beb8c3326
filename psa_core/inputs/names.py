"""Lists of names: packaged, uploaded, typed or in memory, validated before anything is scored."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import pandas as pd

from psa_core import trust
from psa_core.errors import NameListError, near
from psa_core.inputs import groups, people, tables
from psa_core.inputs._columns import INVISIBLE, JOINERS, clean_headers
from psa_core.inputs.checks import listed_bytes
from psa_core.inputs.tables import ListSchema
from psa_core.plurals import counted
from psa_core.registry import ASSETS

MAX_NAME_LENGTH, MAX_CELL_LENGTH = 200, 2_000
RESERVED_NAMES = frozenset({"original", "sentence_id"})  # columns of the score tables beside the names
RESULT_COLUMNS = frozenset({"target", "score_sens", "ci_low", "ci_high", "p_value", "p_adjusted", "label_dist"})
#: What a spreadsheet writes where a formula failed: an empty cell, nobody's name.
SPREADSHEET_ERRORS = frozenset({"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"})
FOLDER = ASSETS / "names"
#: Most headers of a file of names have one of these words.
HEADER = re.compile(
    r"name|\b(?:nom|nome|nombre|first|last|given|family|middle|person|people|who|figure|celebrity|politician|entity"
    r"|term|word|value|gender|sex|race|ethnicity|(?:sub)?group|class|category|type|kind|label|team|party|country|nation"
    r"|nationality|city|state|region|origin|language|religion|occupation|profession|job|career|title|age|born|birth|year"
    r"|date|id|no|nr|number|count|rank|share|source|notes?)\b"
)


def reads_as_names(first: list[str], below: list[list[str]]) -> bool:
    """Whether a cell is there again below, or begins like those below in a capital, and none has words of a header."""
    if any(HEADER.search(cell.casefold().replace("_", " ")) for cell in first):
        return False
    capitals = [sum(cell.lstrip()[:1].isupper() for cell in cells) for cells in below]
    return any(
        cell in cells or (cell.lstrip()[:1].isupper() and 0 < 9 * len(cells) <= 10 * count)
        for cell, cells, count in zip(first, below, capitals, strict=True)
    )


NAMES = ListSchema(
    "names",
    NameListError,
    ("csv", "tsv", "txt", "jsonl", "parquet"),
    row="one name a row",
    headers=frozenset({"name"}),
    line="name",
    blanks=False,
    reads_as_data=reads_as_names,
)


@dataclass(frozen=True, eq=False)
class NameList:
    """Names to put in the place of an anchor, with the groups that they belong to.

    `table` has N rows: ``name`` (distinct, NFC, trimmed) first, then group columns; strings, empty where unknown.
    `notes` say what was left out on reading. `sha256` is of the table as UTF-8 CSV: equal for equal lists, whatever
    file they came in.
    """

    id: str
    title: str
    table: pd.DataFrame
    provenance: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def group_columns(self) -> tuple[str, ...]:
        """All columns beside the names; `groups.grouping` finds those that sort the names into groups."""
        return tuple(str(column) for column in self.table.columns if column != "name")

    def supported(self, rule: str) -> NameList:
        """The names whose evidence for their own group reaches the rule's shares; see `groups.supported`."""
        stays, notes = groups.supported(self.table, rule)
        left = self.table[stays].reset_index(drop=True)
        return self if stays.all() else replace(self, table=left, notes=(*self.notes, *notes), sha256=digest(left))


@dataclass(frozen=True)
class NameListCard:
    """What a packaged list is, without its names.

    `id` is what `load` takes; `note` says in which form the names stand; `is_matched` that its groups are alike in
    length and frequency, which an audit needs.
    """

    id: str
    title: str
    count: int
    group_columns: tuple[str, ...]
    provenance: str
    licence: str
    note: str
    is_matched: bool = False


def available() -> tuple[NameListCard, ...]:
    """Cards of the packaged lists, ``assets/names/<id>.csv`` with ``<id>.json`` beside it, in the order of the pages.

    >>> "eec-first-names" in [card.id for card in available()]
    True
    """
    cards = {}
    for path in FOLDER.glob("*.json"):
        described = json.loads(path.read_text(encoding="utf-8"))
        header, *rows = path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
        groups = tuple(column for column in header.split(",") if column != "name")
        texts = {key: described[key] for key in ("title", "provenance", "licence", "note")}
        cards[described["rank"]] = NameListCard(
            id=path.stem, count=len(rows), group_columns=groups, is_matched=described.get("matched", False), **texts
        )
    return tuple(cards[rank] for rank in sorted(cards))


def default_for_audits() -> str:
    """The id of the first list whose groups are matched.

    >>> default_for_audits()
    'us-people'
    """
    return next(card.id for card in available() if card.is_matched)


def load(spec: str, name_column: str | None = None, *, origin: trust.Origin | None = None) -> NameList:
    """Read a packaged list by id, or a file by path.

    Without `name_column` a file's names are in its column ``name``. `origin` is who names it, where that is not who
    this thread acts for (`psa_core.trust`). Raises `OptionError` when a file may not be read on that word, and
    `NameListError` when there is no such list or file, or it cannot be studied; see `read_names`.

    >>> load("eec-first-names").group_columns
    ('gender', 'race')
    """
    card = next((card for card in available() if card.id == spec), None)
    if card is not None:
        names = read_names(f"{spec}.csv", (FOLDER / f"{spec}.csv").read_bytes())
        return replace(names, id=spec, title=card.title, provenance=card.provenance, licence=card.licence)
    expected = f"a file, or one of {', '.join(card.id for card in available())}"
    fix = near(spec, [card.id for card in available()]) or "Run `psa names` for what each one holds."
    content = listed_bytes(spec, field="names", error=NameListError, expected=expected, fix=fix, origin=origin)
    return replace(read_names(Path(spec).name, content, name_column), id=spec)


def read_names(filename: str, data: bytes, name_column: str | None = None) -> NameList:
    """Read the bytes of a file whose ending tells the format; any other ending is taken for text.

    ``*.csv``, ``*.tsv``, ``*.jsonl`` and ``*.parquet`` have a ``name`` column, or `name_column`, and any group columns;
    text has one name a line. Each may be gzipped. Raises `NameListError` when the bytes are too many (`limits`), are no
    text or no table, there is no such column, or the names cannot be studied (`from_table`).

    >>> read_names("people.csv", b"name,gender\\nAnn, female\\nBob, male\\n").table["gender"].tolist()
    ['female', 'male']
    """
    frame, notes = _read(filename, data)
    names = from_table(_with_names_from(frame, name_column), PurePath(filename).name)
    return replace(names, id=filename, provenance=f"file {filename}", notes=(*notes, *names.notes))


def name_columns(filename: str, data: bytes) -> tuple[str, ...]:
    """The columns of a file that may hold the names, likeliest first; raises `NameListError` as `read_names` does.

    That is ``name``, then columns of words rather than numbers, of them those headed like one or with most different
    values.

    >>> name_columns("people.csv", b"no,who,team\\n1,Ann,A\\n2,Bob,A\\n")
    ('who', 'team', 'no')
    """
    frame, _ = _read(filename, data)
    return tuple(_likeliest_first(frame))


def from_text(text: str) -> NameList:
    """Take typed names: one a line, or a single line with commas or semicolons between them; see `from_table`.

    >>> from_text("Ann, Bob").table["name"].tolist()
    ['Ann', 'Bob']
    """
    NAMES.check(NAMES.file, len(text.encode(errors="replace")))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return replace(from_table(_from_lines([line for line in lines if line.strip()]), "Typed names"), provenance="typed")


def from_memory(given: Any, name_column: str | None = None) -> NameList:
    """Names in memory: a data frame or a list of strings; raises `NameListError` as `from_table` does.

    >>> from_memory(["Ann", "Bob"]).title
    '2 names of a list'
    """
    frame, kind = given.to_pandas() if hasattr(given, "to_pandas") else given, "data frame"
    if isinstance(frame, pd.DataFrame):
        frame = _with_names_from(frame, name_column)
    elif isinstance(frame, bytes | Mapping) or not isinstance(frame, Iterable):
        raise NAMES.error("names", got=repr(given)[:60], expected="an id, a file, a list of names or a data frame")
    else:
        frame, kind = pd.DataFrame({"name": list(frame)}, dtype=object), "list"
        for number, name in enumerate(frame["name"], start=1):
            if not isinstance(name, str):
                raise NAMES.error("names", got=f"{name!r:.60} as name {number}", expected="a string")
    title = f"{counted(len(frame), 'name')} of a {kind}"
    return replace(from_table(frame, title), provenance="given in Python")


def from_table(frame: pd.DataFrame, title: str) -> NameList:
    """Validate a frame with a ``name`` column; its other columns become group columns, and the title the list's id too.

    Missing values count as empty, everything else is taken as text. Raises `NameListError` when there is no ``name``
    column, there are too many rows, a name that cannot be used (control characters, over 200 characters, ``original``,
    ``sentence_id``), equal names with different groups, or fewer than two names.

    >>> from_table(pd.DataFrame({"name": ["Ann ", "Bob"], "gender": ["female", " male"]}), "Two").group_columns
    ('gender',)
    """
    NAMES.check(NAMES.rows, len(frame))
    frame = people.with_names(frame)
    headers = ["name" if header.casefold() == "name" else header for header in clean_headers(frame.columns, NAMES)]
    if headers.count("name") != 1:
        found = ", ".join(repr(header) for header in headers[:12] if header) or "no header"
        got = "two columns 'name'" if "name" in headers else f"the columns {found}"
        fix = "Put `name` above the names, in the first row, or choose their column."
        raise NameListError("names", got=got, expected="a column 'name'", fix=fix)
    kept = ["name"] + [header for header in headers if header not in RESULT_COLUMNS | {"name", ""}]
    left_out = [header or "without a header" for header in headers if header not in kept]
    notes = [f"Column {header} left out: it is no group." for header in left_out]
    headed = frame.set_axis(headers, axis=1)[kept]
    cells = headed.astype(object).where(headed.notna(), "")
    table = pd.DataFrame({column: [_cell(value, column) for value in cells[column]] for column in cells}, dtype=str)
    filled = table[table["name"] != ""]
    if len(filled) < len(table):
        notes.append(f"{counted(len(table) - len(filled), 'row')} without a name left out.")
    distinct = filled.drop_duplicates()
    clash = distinct[distinct["name"].duplicated(keep=False)]
    if len(clash):
        first = clash[clash["name"] == clash["name"].iloc[0]]
        column = next(column for column in first if first[column].nunique() > 1)
        got = f"{first['name'].iloc[0]!r} with {column} {first[column].iloc[0]!r} and {first[column].iloc[1]!r}"
        raise NameListError("names", got=got, expected="one row a name", fix="Keep one of them.")
    if len(distinct) < len(filled):
        notes.append(f"{counted(len(filled) - len(distinct), 'duplicate name')} left out.")
    if len(distinct) < 2:
        fix = "Add names: a list of one cannot be compared."
        raise NameListError(
            "names", got=counted(len(distinct), "name"), expected="at least two different names", fix=fix
        )
    names = distinct.reset_index(drop=True)
    blanks = {column: names[column] == "" for column in kept[1:]}
    empty = [column for column, blank in blanks.items() if blank.all()]
    notes += [f"Column {column} left out: it is empty." for column in empty]
    alike: dict[bytes, list[str]] = {}  # columns that are blank for the same names make one note
    for column, blank in blanks.items():
        if blank.any() and not blank.all():
            alike.setdefault(blank.to_numpy(dtype=bool).tobytes(), []).append(column)
    for same in alike.values():
        which = f"a {same[0]}" if len(same) == 1 else ", ".join(same)
        notes.append(f"{counted(int(blanks[same[0]].sum()), 'name')} without {which}.")
    names = names.drop(columns=empty)
    groups.check_evidence(names)
    return NameList(title, title, names, notes=(*notes, *groups.notes_on(names)), sha256=digest(names))


def digest(table: pd.DataFrame) -> str:
    """The SHA-256 of a table of names, as UTF-8 CSV."""
    return hashlib.sha256(table.to_csv(index=False, lineterminator="\n").encode()).hexdigest()


def _read(filename: str, data: bytes) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows of a file, and what was left out of them."""
    kind = tables.kind_of(filename)
    kind = kind if kind in NAMES.formats else "txt"
    table = tables.read(filename, data, NAMES, kind=kind)
    if kind == "txt":
        return _from_lines(table.frame["name"].tolist()), table.notes
    frame = people.with_names(table.frame[(table.frame != "").any(axis=1)])
    if len(frame.columns) > 1 and frame.columns[0] == "column 1":  # there were no headers
        frame = frame.rename(columns={_likeliest_first(frame)[0]: "name"})
    return frame, table.notes


def _likeliest_first(frame: pd.DataFrame) -> list[str]:
    def unlikely(column: str) -> tuple[bool, bool, bool, int]:
        has_words = frame[column].str.contains(r"[^\W\d_]").mean() > 0.5
        header = column.casefold()
        return header != "name", not has_words, "name" not in header, -frame[column].nunique()

    return sorted(map(str, frame.columns), key=unlikely)


def _from_lines(lines: list[str]) -> pd.DataFrame:
    """Names one a line; a header ``name`` may stand above them, with group columns beside it."""
    if lines and tables.has_header(lines[0], NAMES):
        return tables.read("names.csv", "\n".join(lines).encode(errors="replace"), NAMES).frame
    if len(lines) == 1:
        lines = lines[0].replace(";", ",").split(",")
    return pd.DataFrame({"name": lines}, dtype=object)


def _with_names_from(frame: pd.DataFrame, name_column: str | None) -> pd.DataFrame:
    if name_column is None:
        return frame
    column = " ".join(name_column.split())
    if column not in frame.columns:
        listed = ", ".join(str(other)[:40] for other in frame.columns[:12])
        fix = near(column, map(str, frame.columns)) or "Choose a column."
        raise NAMES.error("name column", got=repr(column[:80]), expected=f"one of {listed}", fix=fix)
    others = [other for other in frame.columns if other == column or str(other).casefold() != "name"]
    return frame[others].rename(columns={column: "name"})


def _cell(value: object, column: str) -> str:
    """NFC, trimmed, single spaces; raises where a character does not print, or there are too many."""
    text, most = str(value), MAX_CELL_LENGTH
    if len(text) <= most:
        text = unicodedata.normalize("NFC", text).strip().strip(INVISIBLE).strip()
        most = MAX_NAME_LENGTH if column == "name" else most
    if text in SPREADSHEET_ERRORS:
        return ""
    if len(text) > most:
        got = f"a {'name' if most == MAX_NAME_LENGTH else 'cell'} of {len(text):,} characters ({text[:30]!r}…)"
        fix = "Is each name on its own row?"
        raise NameListError(f"names, column {column[:40]}", got=got, expected=f"at most {most:,}", fix=fix)
    for letter in text:
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in JOINERS:
            got = f"the control character U+{ord(letter):04X} in {text[:40]!r}"
            raise NameListError(f"names, column {column}", got=got, expected="plain text", fix="Remove it.")
    if column == "name" and text.casefold() in RESERVED_NAMES:
        got = f"a name {text!r}, which is the name of a column in the results"
        raise NameListError("names", got=got, expected="any other name", fix="Leave it out or spell it differently.")
    return " ".join(text.split())
