"""Groups of a name list, of one column or of two crossed (``gender*race``), and the evidence for them (``p_black``)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from psa_core.errors import NameListError, OptionError, near
from psa_core.plurals import counted

CROSS = "*"
MAX_GROUPS_SPELT, SPELT_ALIKE = 50, 0.85
MAX_CODES = 3  # different numbers that may well be codes of groups: 0 and 1
_RULE = re.compile(r"(p_.*?\S)\s*>=\s*(\d*\.?\d+)")


def grouping(table: pd.DataFrame, *, most: int | None = None) -> list[str]:
    """Columns that sort names into at least two groups, and `most` at the most, half of the names or more with others.

    A column that numbers rows does not; nor do sizes or ages, unless there are three at most (a code), or three names
    on average have the same; nor do parts of a person's name and `evidence_columns`. An empty cell is no group.

    >>> grouping(pd.DataFrame({"name": ["Ann", "Bo", "Cy"], "no": [1, 2, 3], "team": ["A", "B", "A"]}))
    ['team']
    """
    found = []
    parts = {"first", "last", "title"} if {"first", "last"} <= set(table.columns) else set()
    for column in table.columns.drop(["name", *(parts & set(table.columns)), *evidence_columns(table)]):
        texts = table[column].dropna().astype(str).str.strip()
        sizes = texts[texts != ""].value_counts()
        together, total = sizes[sizes > 1].sum(), sizes.sum()
        has_words = texts.str.contains(r"[^\d\s.,:/+-]").any()
        sorts = 2 * together >= total if len(sizes) <= MAX_CODES or has_words else 3 * len(sizes) <= total
        if 2 <= len(sizes) <= (most or len(sizes)) and together and sorts:
            found.append(str(column))
    return found


def evidence_columns(table: pd.DataFrame) -> list[str]:
    """Columns ``p_<group>`` that hold shares or chances, from 0 to 1: how surely a name is of the group.

    >>> evidence_columns(pd.DataFrame({"name": ["Ann", "Bo"], "p_female": ["0.99", ""], "p_x": ["a", "b"]}))
    ['p_female']
    """
    found = []
    for column in (column for column in table.columns if str(column).startswith("p_")):
        texts = table[column].dropna().astype(str).str.strip()
        numbers = pd.to_numeric(texts[texts != ""], errors="coerce")
        if len(numbers) and numbers.between(0, 1).all():
            found.append(str(column))
    return found


def check_evidence(names: pd.DataFrame) -> None:
    """Raise where a column ``p_<group>`` of one of the list's groups holds anything but shares."""
    shares = evidence_columns(names)
    groups = {label.casefold().replace(" ", "_") for column in grouping(names) for label in names[column]}
    for column in names.columns:
        if column.startswith("p_") and column not in shares and column.removeprefix("p_").casefold() in groups:
            cells = names[names[column] != ""]
            shares_given = pd.to_numeric(cells[column], errors="coerce")
            wrong = int(np.flatnonzero(~shares_given.between(0, 1))[0])
            got = f"{cells[column].iloc[wrong][:30]!r} for {cells['name'].iloc[wrong]}"
            is_percent = 1 < shares_given.iloc[wrong] <= 100
            fix = "Divide percentages by 100." if is_percent else "Leave the cell empty where it is not known."
            raise NameListError(f"names, column {column}", got=got, expected="a share from 0 to 1", fix=fix)


def notes_on(names: pd.DataFrame) -> list[str]:
    """Groups that look misspelt, and a group of a single name."""
    notes = []
    for column in grouping(names, most=MAX_GROUPS_SPELT):
        sizes = names[names[column] != ""][column].value_counts()
        for group, size in sizes.items():
            larger = [other for other in sizes.index if sizes[other] >= (4 * size if size > 1 else 2)]
            if near := [other for other in larger if _is_spelt_alike(str(group), str(other))][:1]:
                notes.append(
                    f"{counted(int(size), 'name')} with {column} “{group}”, {sizes[near[0]]:,} with "
                    f"“{near[0]}”: is it the same group?"
                )
        single = sizes.index[sizes == 1].tolist()
        if len(single) == 1 and sizes.iloc[0] > 2:  # several, or among few, are no oversight
            notes.append(f"The only name with {column} “{single[0]}” is no group and is not compared.")
    return notes


def _is_spelt_alike(group: str, other: str) -> bool:
    """Whether one may be a misspelling of the other: few letters differ, or the same ones are in another order."""
    one, two = group.casefold(), other.casefold()
    if [letter for letter in one if letter.isdigit()] != [letter for letter in two if letter.isdigit()]:
        return False
    return difflib.SequenceMatcher(None, one, two).ratio() >= SPELT_ALIKE or sorted(one) == sorted(two)


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
        raise OptionError(
            "--groups", got=repr(groups[:80]), expected=expected, fix=near(next(iter(unknown), ""), given)
        )
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
                "--reference", got=repr(part[:60]), expected=f"a group ({expected[:400]})", fix=near(part, every)
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


def parse_evidence(rule: str) -> dict[str, float]:
    """The share that each evidence column must reach; raises `OptionError` when a part is no rule, or its share is
    above 1.

    >>> parse_evidence("p_black>=.9, p_female>=.95")
    {'p_black': 0.9, 'p_female': 0.95}
    """
    least = {}
    for part in filter(None, map(str.strip, rule.split(","))):
        found = _RULE.fullmatch(part)
        if found is None or float(found[2]) > 1:
            fix = "In a shell it needs quotes."
            raise OptionError("--evidence", got=repr(part[:60]), expected="a share from 0 to 1: p_black>=.9", fix=fix)
        least[found[1]] = float(found[2])
    return least


def supported(table: pd.DataFrame, rule: str) -> tuple[np.ndarray, list[str]]:
    """Which names have evidence for their own group that reaches the rule's shares, (N,) of bool; notes on the others.

    ``p_black>=.9`` concerns the names whose group is black. Where a column has two groups, and shares of one only
    (``p_female``), it concerns both: the other's share is what is left of 1. Where no column has the group, it concerns
    every name. A name without the number is left out. Raises `OptionError` when the rule cannot be read, the list has
    no such column, or fewer than two names are left.

    >>> frame = pd.DataFrame({"name": ["Ann", "Bo", "Al"], "gender": ["female", "male", "male"]})
    >>> supported(frame.assign(p_female=["0.99", "0.02", "0.4"]), "p_female>=.9")[0].tolist()
    [True, True, False]
    """
    notes, given, stays = list[str](), evidence_columns(table), np.ones(len(table), dtype=bool)
    for column, least in parse_evidence(rule).items():
        if column not in given:
            expected = f"a column of shares from 0 to 1: {', '.join(given) or 'this list has none'}"
            raise OptionError("--evidence", got=repr(column[:60]), expected=expected, fix=near(column, given))
        concerned, share = _own_share(table, column)
        weak = concerned & ~(share >= least)
        unknown = int((weak & np.isnan(share)).sum())
        notes.append(
            f"{counted(int(weak.sum()), 'name')} left out: less than {least:g} for {column}"
            + (f", {unknown:,} of them without a number." if unknown else ".")
        )
        stays &= ~weak
    if stays.sum() < min(2, len(table)):
        got = f"{rule!r}, which leaves {counted(int(stays.sum()), 'name')}"
        raise OptionError("--evidence", got=got, expected="two names or more", fix="Ask for smaller shares.")
    for column in grouping(table):
        before, after = (part[column].value_counts() for part in (table, table[stays]))
        lost = [group for group in before.index if group and before[group] > 1 and after.get(group, 0) < 2]
        if lost:
            notes.append(f"Too few names are left to compare these groups of {column}: {', '.join(lost)}.")
    return stays, notes


def _own_share(table: pd.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Which names an evidence column concerns, and the share that speaks for each one's own group; arrays (N,)."""
    share = pd.to_numeric(table[column], errors="coerce").to_numpy(np.float64)
    group = column.removeprefix("p_").casefold()
    for labels in (table[other].str.casefold().str.replace(" ", "_") for other in grouping(table)):
        known = [label for label in labels.unique() if label]
        if group not in known:
            continue
        is_own = (labels == group).to_numpy()
        is_alone = len(known) == 2 and not any(f"p_{label}" in table.columns for label in known if label != group)
        concerned = (labels != "").to_numpy() if is_alone else is_own
        return concerned, np.where(is_own, share, 1 - share)
    return np.ones(len(table), dtype=bool), share
