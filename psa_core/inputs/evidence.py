"""Evidence beside the names: who bears a name, as shares (``p_black``), and the names left out where it is weak."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

import numpy as np
import pandas as pd

from psa_core.errors import OptionError
from psa_core.inputs.names import NameList, digest, evidence_columns, grouping
from psa_core.plurals import counted

RULE = re.compile(r"(p_.*?\S)\s*>=\s*(\d*\.?\d+)")


def parse(rule: str) -> dict[str, float]:
    """The share that each evidence column must reach; raises `OptionError` when a part is no rule, or its share is
    above 1.

    >>> parse("p_black>=.9, p_female>=.95")
    {'p_black': 0.9, 'p_female': 0.95}
    """
    least = {}
    for part in filter(None, map(str.strip, rule.split(","))):
        found = RULE.fullmatch(part)
        if found is None or float(found[2]) > 1:
            fix = "In a shell it needs quotes."
            raise OptionError("--evidence", got=repr(part[:60]), expected="a share from 0 to 1: p_black>=.9", fix=fix)
        least[found[1]] = float(found[2])
    return least


def kept(names: NameList, rule: str) -> NameList:
    """The names whose evidence for their own group reaches the rule's shares; a note says how many were left out.

    ``p_black>=.9`` concerns the names whose group is black. Where a column has two groups, and shares of one only
    (``p_female``), it concerns both: the other's share is what is left of 1. Where no column has the group, it concerns
    every name. A name without the number is left out. Raises `OptionError` when the rule cannot be read, the list has
    no such column, or fewer than two names are left.

    >>> frame = pd.DataFrame({"name": ["Ann", "Bo", "Al"], "gender": ["female", "male", "male"]})
    >>> some = NameList("l", "l", frame.assign(p_female=["0.99", "0.02", "0.4"]))
    >>> kept(some, "p_female>=.9").table["name"].tolist()
    ['Ann', 'Bo']
    """
    table, notes = names.table, []
    given, stays = evidence_columns(table), np.ones(len(names.table), dtype=bool)
    for column, least in parse(rule).items():
        if column not in given:
            near = difflib.get_close_matches(column, given, 1)
            expected = f"a column of shares from 0 to 1: {', '.join(given) or 'this list has none'}"
            fix = f"Did you mean {near[0]!r}?" if near else ""
            raise OptionError("--evidence", got=repr(column[:60]), expected=expected, fix=fix)
        concerned, share = _own_share(table, column)
        weak = concerned & ~(share >= least)
        unknown = int((weak & np.isnan(share)).sum())
        notes.append(
            f"{counted(int(weak.sum()), 'name')} left out: less than {least:g} for {column}"
            + (f", {unknown:,} of them without a number." if unknown else ".")
        )
        stays &= ~weak
    if stays.all():
        return names
    if stays.sum() < 2:
        got = f"{rule!r}, which leaves {counted(int(stays.sum()), 'name')}"
        raise OptionError("--evidence", got=got, expected="two names or more", fix="Ask for smaller shares.")
    left = table[stays].reset_index(drop=True)
    for column in grouping(table):
        before, after = (part[column].value_counts() for part in (table, left))
        lost = [group for group in before.index if group and before[group] > 1 and after.get(group, 0) < 2]
        if lost:
            notes.append(f"Too few names are left to compare these groups of {column}: {', '.join(lost)}.")
    return replace(names, table=left, notes=(*names.notes, *notes), sha256=digest(left))


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
