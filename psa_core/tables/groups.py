"""One row per group of names, of one column or of two crossed: mean effect, difference from the rest, noise floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.inputs.groups import CROSS, columns_of, labels_of, references
from psa_core.inputs.names import grouping
from psa_core.tables.labels import about, sample_size

#: Parts of a crossing beside the columns themselves.
CELLS, INTERACTION = "cells", "interaction"
#: More crossed groups than this are no chart.
MAX_CELLS = 24

CSV_COLUMNS = {
    "group": "group", "names": "names", "difference": "difference", "difference_low": "low", "difference_high": "high",
    "noise_low": "floor_low", "noise_high": "floor_high", "p_adjusted": "p_adjusted",
}  # fmt: skip


def group_table(
    cube: ScoreCube,
    target: str,
    column: str,
    *,
    baseline: stats.Baseline = "original",
    correction: str = "holm",
    reference: str = "",
) -> pd.DataFrame:
    """Mean effect of each group of names, and its difference from all other groups' names, or from one group's.

    Two kinds of doubt are shown. The interval of the difference is over sentences, clustered by sentence: would other
    sentences show it for these names? The noise floor is over names: would arbitrary names, grouped in these sizes? The
    adjusted p-value answers both, for all groups of the column together. A group of one name is no group and has none.

    Parameters
    ----------
    column : str
        A group column of the cube's names, or two with ``*`` between: then the rows are those of `crossing_table` that
        are crossed groups. Names without a value there are left out.
    baseline : {"original", "names"}
        What ``mean`` is measured against; differences of groups do not depend on it.
    correction : str
        Of the p-values, over groups.
    reference : str
        The group that the others are compared with; it has no row. Empty: each with all other names.

    Returns
    -------
    DataFrame
        One row per group, in order of appearance: ``group``, ``names`` (how many), ``mean``, ``ci_low``, ``ci_high``,
        ``difference`` (from the rest, signed), ``difference_low``, ``difference_high``, ``p_value`` (paired t over
        sentences), ``p_adjusted`` (the larger of the corrected p-values over sentences and over names),
        ``noise_low``, ``noise_high`` (in 95 % of the draws all arbitrary groups of these sizes stay between their
        bounds; wider where the difference is not significant by all tests, so that it lies inside), ``p_noise`` (of one
        such group), ``above_noise`` (bool: is the difference outside of that band?), ``without_furthest`` (the
        difference without the one name, in the group or outside of it, that makes most of it; where less than half of
        it is left, one name makes the group, and ``p_adjusted`` is 1), ``n`` (sentences), ``families`` (how many they
        come in, where they do).

    Raises
    ------
    CubeError, OptionError
        When the target, column or reference is unknown, or the column has fewer than two groups.
    """
    if column not in cube.names.columns and CROSS in column:
        crossed = crossing_table(cube, target, column, baseline=baseline, correction=correction, reference=reference)
        return crossed[crossed["part"] == CELLS].drop(columns="part").reset_index(drop=True)
    given = [name for name in cube.names.columns if name != "name"]
    if column not in given:
        expected = f"one of {', '.join(given)}" if given else "a name list with group columns"
        raise CubeError("group column", got=repr(column), expected=expected)
    return _compared(cube, target, _rows(cube, column, reference), baseline, correction, reference=reference)


def crossing_table(
    cube: ScoreCube,
    target: str,
    columns: str,
    *,
    baseline: stats.Baseline = "original",
    correction: str = "holm",
    reference: str = "",
) -> pd.DataFrame:
    """Crossed groups, the groups of both columns, and what the crossing adds to both, corrected over all of them.

    Returns
    -------
    DataFrame
        As `group_table`, with ``part``: ``cells`` (``female*black`` against the rest or the reference), the columns'
        names (their groups, among names that have a group in both), and ``interaction``: by how much the names of a
        crossed group differ from what both groups alone add up to, the other groups weighed alike. In a two-by-two
        crossing that is one number, and has one row; with two groups in a column, it has a row for each group of the
        other. No such row where groups do not occur together twice.
    """
    parts = columns_of(cube.names, columns)
    cells, labels = labels_of(cube.names, columns), [labels_of(cube.names, part) for part in parts]
    both = np.array([cell is not None for cell in cells])
    rows = [*_rows(cube, columns, reference, part=CELLS)]
    for part in parts:
        rows += _rows(cube, part, reference, part=part, among=both, crossed_with=parts)
    added = stats.interaction_contrasts(*labels)
    of_added = [
        _Row(INTERACTION, CROSS.join(pair), both & (cells == CROSS.join(pair)), one) for pair, one in added.items()
    ]
    is_used = np.any([names for one in added.values() for _, names in one.terms], axis=0) if added else both
    used = cells.copy()
    used[~is_used] = None
    interactions = stats.Interactions(list(added.values()), used, labels)
    return _compared(cube, target, [*rows, *of_added], baseline, correction, interactions, reference=reference)


@dataclass(frozen=True, eq=False)
class _Row:
    """A group to compare: which part of the table it is in, its names, and with what it is compared."""

    part: str
    group: str
    members: np.ndarray
    contrast: stats.Contrast


def _rows(
    cube: ScoreCube,
    column: str,
    reference: str,
    *,
    part: str = "",
    among: np.ndarray | None = None,
    crossed_with: Sequence[str] = (),
) -> list[_Row]:
    """Each group of a column against the other names, or against the reference's."""
    labels = labels_of(cube.names, column)
    if among is not None:
        labels = labels.copy()
        labels[~among] = None
    groups = [label for label in dict.fromkeys(labels.tolist()) if label is not None]
    if len(groups) < 2:
        raise CubeError("group column", got=f"fewer than two groups in {column}", expected="at least two groups")
    known = np.array([label is not None for label in labels])
    sets = {group: labels == group for group in groups}
    against = references(cube.names, [*columns_of(cube.names, column), *crossed_with, column], reference).get(column)
    return [
        _Row(part, group, names, stats.Contrast.between(names, sets[against] if against else known & ~names))
        for group, names in sets.items()
        if group != against
    ]


def _compared(
    cube: ScoreCube,
    target: str,
    rows: Sequence[_Row],
    baseline: stats.Baseline,
    correction: str,
    interactions: stats.Interactions | None = None,
    reference: str = "",
) -> pd.DataFrame:
    differences, families = stats.effect_differences(*cube.scores(target), baseline=baseline), cube.families
    own = [row.contrast for row in rows if row.part != INTERACTION]
    found = stats.compare_groups(differences, own, interactions, families=families, correction=correction)
    of_groups = np.column_stack([stats.Contrast(((1.0, row.members),)).of(differences) for row in rows])
    means, _ = stats.over_sentences(of_groups, families)
    columns: dict[str, Any] = {
        "part": [row.part for row in rows],
        "group": [row.group for row in rows],
        "names": [int(row.members.sum()) for row in rows],
        "mean": means.value,
        "ci_low": means.low,
        "ci_high": means.high,
        "difference": found.value,
        "difference_low": found.low,
        "difference_high": found.high,
        "p_value": found.p_value,
        "p_adjusted": found.p_adjusted,
        "noise_low": found.noise_low,
        "noise_high": found.noise_high,
        "p_noise": found.p_noise,
        "above_noise": found.above_noise,
        "without_furthest": found.without_extreme,
    }
    if not any(columns["part"]):
        del columns["part"]
    return about(cube, target, pd.DataFrame(columns | sample_size(cube, len(rows))), reference=reference)


def group_file_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """The groups of every group column of the name list and of the study's crossing, as in ``groups.csv``.

    Returns
    -------
    DataFrame
        ``column``, ``group``, ``names``, ``difference`` (from the other names, or from the study's reference), ``low``,
        ``high`` (95 % interval), ``floor_low``, ``floor_high``, ``p_adjusted``, as in `group_table`, corrected over the
        column. A crossing has rows with column ``gender*race`` (its groups) and ``gender:race`` (its interaction),
        corrected as in `crossing_table`. No row where no column makes groups.
    """
    asked, columns = cube.provenance.get("study", {}), group_columns(cube)
    groups, reference = str(asked.get("groups") or ""), str(asked.get("reference") or "")
    chosen = columns_of(cube.names, groups) if groups else ()
    columns += [column for column in chosen if column not in columns]
    against = references(cube.names, columns, reference)
    frames = [
        group_table(cube, target, column, reference=against.get(column, "")).assign(column=column) for column in columns
    ]
    if len(chosen) > 1:
        crossed = crossing_table(cube, target, groups, reference=reference)
        named = {CELLS: CROSS.join(chosen), INTERACTION: ":".join(chosen)}
        crossed = crossed.assign(column=crossed["part"].map(named))
        frames.append(crossed[crossed["column"].notna()])
    order = ["column", *CSV_COLUMNS.values()]
    if not frames:
        return pd.DataFrame(columns=order)
    return pd.concat(frames, ignore_index=True).rename(columns=CSV_COLUMNS)[order]


def group_columns(cube: ScoreCube) -> list[str]:
    """Columns of the name list that form at least two groups, one of them with at least two names."""
    return grouping(cube.names)


def crossings(columns: Sequence[str], names: pd.DataFrame) -> list[str]:
    """Pairs of columns whose groups can be crossed: at least two crossed groups of two names, four at least in all."""
    found = []
    for first, second in combinations(columns, 2):
        cells = pd.Series(labels_of(names, first + CROSS + second)).dropna().value_counts()
        if (cells > 1).sum() >= 2 and 4 <= len(cells) <= MAX_CELLS:
            found.append(first + CROSS + second)
    return found
