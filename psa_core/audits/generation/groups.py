"""Groups of values or of people: which columns form them, and how far the scores of every two groups are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, count
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from psa_core.inputs.groups import evidence_columns
from psa_core.stats import SIGNIFICANT, adjust
from psa_core.stats.group_gaps import gap

#: A column with more different entries forms no groups.
MAX_GROUPS = 8
#: Groups by their words; any other is named as its column and group are.
PEOPLE = {"female": "people read as women", "male": "people read as men"}
#: Groups that others are usually compared with, where a list has them.
REFERENCES = ("male", "man", "m", "white", "european-american")
GAP_COLUMNS = (
    "measure", "column", "group_a", "group_b", "people_a", "people_b", "mean_a", "mean_b", "difference", "low", "high",
    "tasks_low", "tasks_high", "floor", "repeat_floor", "corrected", "p_value", "p_adjusted", "same_sign", "tasks",
)  # fmt: skip


def group_columns(table: pd.DataFrame) -> list[str]:
    """Columns that sort people into two to eight groups; a share (``p_black``) is how sure a group is, and no group."""
    own = ("value", "name", "first", "last", "title", *evidence_columns(table))
    columns = [column for column in table.columns if column not in own]
    return [column for column in columns if 1 < table[column].replace("", np.nan).nunique() <= MAX_GROUPS]


def group_pairs(values: pd.DataFrame) -> list[tuple[str, str, str, list[int], list[int]]]:
    """Column, two groups of it, and the positions of their people."""
    found = []
    for column in group_columns(values):
        labels = values[column].astype(str)
        groups = [group for group in labels.unique() if group and (labels == group).sum() > 1]
        groups.sort(key=lambda group: group.casefold() not in REFERENCES)
        for a, b in combinations(groups, 2):
            found.append((str(column), a, b, *(np.flatnonzero(labels == group).tolist() for group in (a, b))))
    return found


def adjusted(table: pd.DataFrame) -> pd.DataFrame:
    """The table with ``p_value`` corrected over its rows (Holm)."""
    return table.assign(p_adjusted=adjust(table["p_value"].to_numpy(np.float64)))


def gaps_of(measured: Mapping[str, np.ndarray], pairs: Sequence[Any], seed: int) -> pd.DataFrame:
    """Every measure (M, A, K) between every two groups of `group_pairs`: `GAP_COLUMNS`, a difference is b minus a."""
    rows = []
    for name, scores in measured.items():
        for column, group_a, group_b, first, second in pairs:
            found = gap(scores, first, second, seed=seed)
            if found is not None and np.isfinite(scores).any() and np.nanstd(scores) > 0:
                ends = (found.difference, found.low, found.high, found.tasks_low, found.tasks_high)
                noise = (found.floor, found.repeat_floor, found.corrected, found.p, found.p)
                numbers = (*found.people, *found.means, *ends, *noise, *found.tasks)
                rows.append((name, column, group_a, group_b, *numbers))
    return adjusted(pd.DataFrame(rows, columns=list(GAP_COLUMNS)))


def is_of_these(row: Mapping[str, Any] | pd.Series) -> bool:
    """Whether other tasks, or templates, might not show a difference; of a single one nothing is known of others."""
    return not (row["tasks_low"] > 0 or row["tasks_high"] < 0)


def surest_first(gaps: pd.DataFrame) -> pd.DataFrame:
    """Rows that are beyond chance first, the surest first; the others by p."""
    strength = (gaps["difference"] / (gaps["high"] - gaps["low"]).clip(lower=1e-12)).abs()
    ordered = gaps.assign(strength=-strength).sort_values(["p_adjusted", "p_value", "strength"], kind="stable")
    return ordered.drop(columns="strength").reset_index(drop=True)


def people_words(column: str, group: str, *, others: str = "people") -> str:
    """A group of people in words; `others` are what those are that no column of a person sorts.

    Examples
    --------
    >>> people_words("gender", "female"), people_words("race", "black"), people_words("team", "red")
    ('people read as women', 'people with Black names', 'people of team “red”')
    """
    if column.casefold() in ("gender", "sex") and group.casefold() in PEOPLE:
        return PEOPLE[group.casefold()]
    if column.casefold() in ("race", "ethnicity"):
        return f"people with {group[:1].upper()}{group[1:]} names"
    if group[:1].isupper() and others == "people":
        return f"people with {group} names"
    return f"{others} of {column} “{group}”"


def sides(row: Mapping[str, Any] | pd.Series, *, others: str = "people") -> tuple[str, str]:
    """The second group of a row of `gaps_of` and the first, in words; see `people_words`."""
    second, first = (people_words(row["column"], row[side], others=others) for side in ("group_b", "group_a"))
    return second, first


def people_needed(comparisons: int) -> int:
    """The fewest people of each group with whom a difference can be beyond chance among so many comparisons.

    Two groups of n people can be formed in (2n over n) ways; the two most extreme ones are the smallest p.

    Examples
    --------
    >>> people_needed(1), people_needed(18), people_needed(63)
    (4, 6, 7)
    """
    return next(n for n in count(2) if 2 / comb(2 * n, n) * comparisons < SIGNIFICANT)


def in_words(parts: Sequence[str]) -> str:
    """Parts as a list in a sentence: *a, b and c*."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
