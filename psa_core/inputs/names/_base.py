"""The name list, and what makes one fit for a study."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass

import pandas as pd

from psa_core.errors import NameListError
from psa_core.inputs import limits
from psa_core.plurals import counted

MAX_NAMES = limits.NAMES.default
MAX_CHARACTERS = 200
MAX_CELL_LENGTH = 2_000
MAX_CODES = 3  # different numbers that may well be codes of groups: 0 and 1
ROWS = "Is each name on its own row?"
RESERVED_NAMES = frozenset({"original", "sentence_id"})  # columns of the score tables beside the names
RESULT_COLUMNS = frozenset({"target", "score_sens", "ci_low", "ci_high", "p_value", "p_adjusted", "label_dist"})
JOINERS = "\u200c\u200d"  # part of the spelling of names in Persian and in Indic scripts
INVISIBLE = "\ufeff\u200b\u200e\u200f"  # marks that come along with copied text


@dataclass(frozen=True, eq=False)
class NameList:
    """Names to put in the place of an anchor, with the groups that they belong to.

    Attributes
    ----------
    id, title : str
        What a study is told, and what a reader sees.
    table : DataFrame, N rows
        ``name`` (distinct, NFC, trimmed) first, then group columns; strings, empty where unknown.
    provenance, licence : str
        Where the names come from, and under which terms.
    notes : tuple of str
        What was left out on reading, in sentences.
    sha256 : str
        Of the table as UTF-8 CSV: equal for equal lists, whatever file they came in.
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
        """All columns beside the names; `grouping` says which of them sort the names into groups."""
        return tuple(str(column) for column in self.table.columns if column != "name")


def grouping(table: pd.DataFrame, *, most: int | None = None) -> list[str]:
    """Columns that sort names into at least two groups, half of the names or more with others.

    A column that numbers rows does not; nor do sizes or ages, unless there are three at most (a code), or three names
    on average have the same.

    Parameters
    ----------
    table : DataFrame
        A row a name, with a column ``name``; an empty cell is no group.
    most : int, optional
        Leave out columns with more groups.

    Examples
    --------
    >>> grouping(pd.DataFrame({"name": ["Ann", "Bo", "Cy"], "no": [1, 2, 3], "team": ["A", "B", "A"]}))
    ['team']
    """
    found = []
    for column in table.columns.drop("name"):
        texts = table[column].dropna().astype(str).str.strip()
        sizes = texts[texts != ""].value_counts()
        together, total = sizes[sizes > 1].sum(), sizes.sum()
        is_code = len(sizes) <= MAX_CODES or _is_words(texts)
        sorts = 2 * together >= total if is_code else 3 * len(sizes) <= total
        if 2 <= len(sizes) <= (most or len(sizes)) and together and sorts:
            found.append(str(column))
    return found


def _is_words(texts: pd.Series[str]) -> bool:
    """Whether a column holds anything but numbers, dates and times."""
    return bool(texts.str.contains(r"[^\d\s.,:/+-]").any())


def from_table(frame: pd.DataFrame, title: str) -> NameList:
    """Validate a frame with a ``name`` column; its other columns become group columns.

    Parameters
    ----------
    frame : DataFrame
        Missing values count as empty; everything else is taken as text.
    title : str
        Also the list's id.

    Raises
    ------
    NameListError
        When there is no ``name`` column, over `MAX_NAMES` rows, a name that cannot be used (control characters, over
        200 characters, ``original``, ``sentence_id``), equal names with different groups, or fewer than two names.

    Examples
    --------
    >>> from_table(pd.DataFrame({"name": ["Ann ", "Bob"], "gender": ["female", " male"]}), "Two").group_columns
    ('gender',)
    """
    for limit, amount in zip((limits.NAMES, limits.NAME_COLUMNS), frame.shape, strict=True):
        limit.check(amount, field="names", error=NameListError)
    headed, notes = _with_clean_header(frame)
    text = headed.astype(object).where(headed.notna(), "")
    table = pd.DataFrame({column: [_cell(value, column) for value in text[column]] for column in text}, dtype=str)
    filled = table[table["name"] != ""]
    if len(filled) < len(table):
        notes.append(f"{counted(len(table) - len(filled), 'row')} without a name left out.")
    for name in filled["name"]:
        _check_name(name)
    names = _with_groups_only(_without_duplicates(filled, notes), notes)
    if len(names) < 2:
        fix = "Add names: a list of one cannot be compared."
        raise NameListError("names", got=counted(len(names), "name"), expected="at least two different names", fix=fix)
    digest = hashlib.sha256(names.to_csv(index=False, lineterminator="\n").encode()).hexdigest()
    return NameList(title, title, names, notes=tuple(notes), sha256=digest)


def _with_clean_header(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The frame with trimmed headers, ``name`` first, less columns that cannot be groups, and notes on those."""
    headers = [_cell(column, "header") for column in frame.columns]
    headers = ["name" if header.casefold() == "name" else header for header in headers]
    twice = next((header for header in headers if header and headers.count(header) > 1), None)
    if twice is not None:
        raise NameListError("names", got=f"two columns {twice!r}", expected="each column once", fix="Rename one.")
    if "name" not in headers:
        found = ", ".join(repr(header) for header in headers[:12] if header) or "no header"
        fix = "Put `name` above the names, in the first row, or choose their column (--name-column)."
        raise NameListError("names", got=f"the columns {found}", expected="a column 'name'", fix=fix)
    keep = ["name"] + [header for header in headers if header not in RESULT_COLUMNS | {"name", ""}]
    left_out = [header or "without a header" for header in headers if header not in keep]
    notes = [f"Column {header} left out: it is no group." for header in left_out]
    return frame.set_axis(headers, axis=1)[keep], notes


def _cell(value: object, column: str) -> str:
    """NFC, trimmed, single spaces; raises when there is something in it that does not print."""
    if len(str(value)) > MAX_CELL_LENGTH:
        got = f"a cell of {len(str(value)):,} characters ({str(value)[:30]!r}…)"
        raise NameListError(f"names, column {column[:40]}", got=got, expected=f"at most {MAX_CELL_LENGTH:,}", fix=ROWS)
    text = unicodedata.normalize("NFC", str(value)).strip().strip(INVISIBLE).strip()
    for letter in text:
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in JOINERS:
            got = f"the control character U+{ord(letter):04X} in {text[:40]!r}"
            raise NameListError(f"names, column {column}", got=got, expected="plain text", fix="Remove it.")
    return " ".join(text.split())


def _check_name(name: str) -> None:
    if len(name) > MAX_CHARACTERS:
        got = f"a name of {len(name):,} characters ({name[:30]!r}…)"
        raise NameListError("names", got=got, expected=f"at most {MAX_CHARACTERS}", fix=ROWS)
    if name.casefold() in RESERVED_NAMES:
        got = f"a name {name!r}, which heads a column of the results"
        raise NameListError("names", got=got, expected="any other name", fix="Leave it out or spell it differently.")


def _without_duplicates(table: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    distinct = table.drop_duplicates()
    clash = distinct[distinct["name"].duplicated(keep=False)]
    if len(clash):
        first = clash[clash["name"] == clash["name"].iloc[0]]
        column = next(column for column in first if first[column].nunique() > 1)
        got = f"{first['name'].iloc[0]!r} with {column} {first[column].iloc[0]!r} and {first[column].iloc[1]!r}"
        raise NameListError("names", got=got, expected="one row a name", fix="Keep one of them.")
    if len(distinct) < len(table):
        notes.append(f"{counted(len(table) - len(distinct), 'duplicate')} left out.")
    return distinct


def _with_groups_only(table: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    empty = [column for column in table if column != "name" and (table[column] == "").all()]
    notes += [f"Column {column} left out: it is empty." for column in empty]
    kept = table.drop(columns=empty)
    for column in kept.columns[1:]:
        blanks = int((kept[column] == "").sum())
        notes += [f"{counted(blanks, 'name')} without a {column}."] if blanks else []
    return kept.reset_index(drop=True)
