"""Groups of a name list: of one column, or of two columns crossed (``gender*race``)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np
import pandas as pd

from psa_core.errors import NameListError, OptionError
from psa_core.inputs.names import evidence_columns

CROSS = "*"


def columns_of(table: pd.DataFrame, groups: str) -> tuple[str, ...]:
    """The columns that ``a`` or ``a*b`` names; raises `OptionError` for one that the list has not, and for more than
    two.

    >>> columns_of(pd.DataFrame({"name": ["Ann"], "gender": ["female"], "race": ["white"]}), "gender * race")
    ('gender', 'race')
    """
    given = [str(column) for column in table.columns if column != "name"]
    if groups in given:
        return (groups,)
    parts = tuple(part.strip() for part in groups.split(CROSS))
    unknown = [part for part in parts if part not in given]
    if unknown or len(parts) != 2 or parts[0] == parts[1]:
        listed = ", ".join(column for column in given if column not in evidence_columns(table))
        expected = f"a column of the names, or two with {CROSS} between: {listed or 'there is none'}"
        raise OptionError("--groups", got=repr(groups[:80]), expected=expected, fix=_near(unknown, given))
    return parts


def labels_of(table: pd.DataFrame, groups: str) -> np.ndarray:
    """The group of each name, None where it has none: an object array (N,); crossed groups are ``female*black``.

    >>> frame = pd.DataFrame({"name": ["Ann", "Bo"], "gender": ["female", ""], "race": ["white", "white"]})
    >>> labels_of(frame, "gender*race").tolist()
    ['female*white', None]
    """
    parts = []
    for column in columns_of(table, groups):
        text = table[column].astype(str).str.strip()
        is_known = (table[column].notna() & (text != "")).to_numpy(dtype=bool)
        parts.append((table[column].astype(str).to_numpy(dtype=object), is_known))
    known = np.logical_and.reduce([is_known for _, is_known in parts])
    labels = np.full(len(table), None, dtype=object)
    labels[known] = [CROSS.join(cells) for cells in zip(*(texts[known] for texts, _ in parts), strict=True)]
    return labels


def references(table: pd.DataFrame, columns: Sequence[str], reference: str) -> dict[str, str]:
    """The group that each column's other groups are compared with, where the reference has one for it.

    `columns` are such as ``gender`` and ``gender*race``; the reference is a group, or groups with ``*`` between, in any
    order; empty for none. Raises `OptionError` when a part of it is a group of no column.

    >>> frame = pd.DataFrame({"name": ["Ann", "Bo"], "gender": ["female", "male"], "race": ["black", "white"]})
    >>> references(frame, ["gender", "race", "gender*race"], "male*white")
    {'gender': 'male', 'race': 'white', 'gender*race': 'male*white'}
    """
    if not reference.strip():
        return {}
    single = list(dict.fromkeys(part for column in columns for part in columns_of(table, column)))
    groups = {column: [label for label in dict.fromkeys(labels_of(table, column)) if label] for column in single}
    whole = [reference] if any(reference in found for found in groups.values()) else reference.split(CROSS)
    chosen: dict[str, str] = {}
    for part in (part.strip() for part in whole):
        homes = [column for column in single if part in groups[column]]
        if not homes:
            every = [group for found in groups.values() for group in found]
            expected = "; ".join(f"{column}: {', '.join(found[:12])}" for column, found in groups.items())
            raise OptionError(
                "--reference", got=repr(part[:60]), expected=f"a group ({expected[:400]})", fix=_near([part], every)
            )
        chosen[homes[0]] = part
    for column in columns:
        parts = columns_of(table, column)
        if len(parts) > 1 and all(part in chosen for part in parts):
            cell = CROSS.join(chosen[part] for part in parts)
            if cell not in labels_of(table, column):
                raise OptionError("--reference", got=repr(cell[:80]), expected=f"a group of {column} with names")
            chosen[column] = cell
    return chosen


def parse_select(select: str) -> tuple[str, int]:
    """Which texts are selected: ``threshold``, or ``top`` and how many names of each sentence; else raises
    `OptionError`.

    >>> parse_select("top:5"), parse_select("threshold")
    (('top', 5), ('threshold', 0))
    """
    kind, _, count = select.strip().partition(":")
    if (kind, count) == ("threshold", ""):
        return "threshold", 0
    if kind == "top" and count.isascii() and count.isdigit() and 0 < int(count[:9]) == int(count):
        return "top", int(count)
    raise OptionError("--select", got=repr(select[:60]), expected="threshold, or top:K with K names of each text")


def check(table: pd.DataFrame, groups: str, reference: str, select: str = "") -> None:
    """Raise what is wrong with the groups of a study before anything is scored."""
    if select and parse_select(select)[1] >= len(table):
        expected = f"fewer than the list's {len(table):,} names"
        raise OptionError(
            "--select", got=repr(select), expected=expected, fix="With all names selected there is nothing to compare."
        )
    columns = [str(column) for column in table.columns.drop(["name", *evidence_columns(table)])]
    if groups:
        found = [label for label in labels_of(table, groups) if label is not None]
        if len(set(found)) < 2:
            got = f"fewer than two groups in {groups[:80]}"
            raise NameListError("--groups", got=got, expected="names of at least two groups")
        if max(map(found.count, set(found))) < 2:
            expected = "two names or more in a group: a single name says nothing about a group"
            raise NameListError("--groups", got=f"groups of one name each in {groups[:80]}", expected=expected)
    references(table, [*columns, *([groups] if groups else [])], reference)


def _near(unknown: Sequence[str], known: Sequence[str]) -> str:
    near = difflib.get_close_matches(unknown[0], known, 1) if unknown else []
    return f"Did you mean {near[0]!r}?" if near else ""
