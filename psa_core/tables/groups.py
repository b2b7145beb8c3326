"""Groups of names, of one column or of two crossed: differences, noise floors, conditions, selection rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.inputs.groups import CROSS, columns_of, grouping, labels_of, parse_select, references
from psa_core.stats.selection_rates import select_at, select_top, selection_rates
from psa_core.study.conditions import conditions_of
from psa_core.tables.labels import about, sample_size, threshold_of

#: Parts of a crossing beside the columns themselves.
CELLS, INTERACTION = "cells", "interaction"
#: More crossed groups than this are no chart.
MAX_CELLS = 24
#: Columns of ``groups.csv`` by those of `group_table`, and of ``selection.csv``.
GROUP_FILE = {
    "group": "group", "names": "names", "difference": "difference", "difference_low": "low", "difference_high": "high",
    "noise_low": "floor_low", "noise_high": "floor_high", "p_adjusted": "p_adjusted",
}  # fmt: skip
SELECTION_FILE = ["group", "names", "texts", "selected", "rate", "impact_ratio", "low", "high"]
DIFFERENCE = ("difference", "difference_low", "difference_high")
#: The headings of the summaries that Local Law 144's rules (6 RCNY § 5-303) ask to be published.
PUBLISHED = {
    "texts": "# of Applicants", "selected": "# Selected", "rate": "Selection Rate", "impact_ratio": "Impact Ratio",
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

    Raises `CubeError` or `OptionError` when the target, column or reference is unknown, or the column has fewer than
    two groups.
    """
    if column not in cube.names.columns and CROSS in column:
        crossed = crossing_table(cube, target, column, baseline=baseline, correction=correction, reference=reference)
        return crossed[crossed["part"] == CELLS].drop(columns="part").reset_index(drop=True)
    given = [name for name in cube.names.columns if name != "name"]
    if column not in given:
        expected = f"one of {', '.join(given)}" if given else "a name list with group columns"
        raise CubeError("group column", got=repr(column), expected=expected)
    rows = _rows(column, labels_of(cube.names, column), _reference(cube, [column], reference))
    return _compared(cube, target, rows, baseline, correction, reference=reference).drop(columns="part")


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
    crossed = pd.notna(cells)
    rows = _rows(columns, cells, _reference(cube, [columns], reference), part=CELLS)
    for part, of_part in zip(parts, labels, strict=True):
        against = _reference(cube, [part, *parts], reference)
        rows += _rows(part, np.where(crossed, of_part, np.array(None)), against, part=part)
    added = stats.interaction_contrasts(*labels)
    rows += [_Row(INTERACTION, CROSS.join(pair), cells == CROSS.join(pair), one) for pair, one in added.items()]
    return _compared(cube, target, rows, baseline, correction, labels, reference=reference)


class _Row(NamedTuple):
    """A group to compare: the part of the table that it is in, its names, and with what they are compared."""

    part: str
    group: str
    members: np.ndarray
    contrast: stats.Contrast


def _reference(cube: ScoreCube, columns: Sequence[str], reference: str) -> str:
    """The group of the first column that its other groups are compared with; empty for all other names."""
    return references(cube.names, columns, reference).get(columns[0], "")


def _rows(column: str, labels: np.ndarray, reference: str, *, part: str = "") -> list[_Row]:
    """Each group of a column against the other names, or against the reference's."""
    sets = {group: labels == group for group in dict.fromkeys(labels.tolist()) if group is not None}
    if len(sets) < 2:
        raise CubeError("group column", got=f"fewer than two groups in {column}", expected="at least two groups")
    known, against = pd.notna(labels), sets.get(reference)
    return [
        _Row(part, group, names, stats.Contrast.between(names, known & ~names if against is None else against))
        for group, names in sets.items()
        if group != reference
    ]


def _compared(
    cube: ScoreCube,
    target: str,
    rows: Sequence[_Row],
    baseline: stats.Baseline,
    correction: str,
    crossed: Sequence[np.ndarray] = (),
    *,
    reference: str,
) -> pd.DataFrame:
    differences, families = stats.effect_differences(*cube.scores(target), baseline=baseline), cube.families
    plain, added = ([row.contrast for row in rows if (row.part == INTERACTION) is kind] for kind in (False, True))
    found = stats.compare_groups(differences, plain, added, crossed, families=families, correction=correction)
    of_groups = np.column_stack([stats.Contrast(((1.0, row.members),)).of(differences) for row in rows])
    means, _ = stats.over_sentences(of_groups, families)
    columns = {
        "part": [row.part for row in rows],
        "group": [row.group for row in rows],
        "names": [int(row.members.sum()) for row in rows],
        "mean": means.value,
        "ci_low": means.low,
        "ci_high": means.high,
    }
    table = pd.DataFrame(columns | found._asdict() | sample_size(cube, len(rows)))
    return about(cube, target, table, reference=reference)


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
    columns, crossing = _columns_of_study(cube)
    reference = str(cube.asked.get("reference") or "")
    against = references(cube.names, columns, reference)
    frames = [
        group_table(cube, target, column, reference=against.get(column, "")).assign(column=column) for column in columns
    ]
    if crossing:
        crossed = crossing_table(cube, target, crossing, reference=reference)
        named = {CELLS: crossing, INTERACTION: crossing.replace(CROSS, ":")}
        crossed = crossed.assign(column=crossed["part"].map(named))
        frames.append(crossed[crossed["column"].notna()])
    return _stacked(frames, GROUP_FILE)


def selection_table(
    cube: ScoreCube, target: str, column: str, *, select: str = "threshold", threshold: float | None = None
) -> pd.DataFrame:
    """How often texts with each group's names are selected.

    Parameters
    ----------
    column : str
        A group column of the names, or two crossed: ``gender*race``.
    select : str
        ``threshold``: texts whose score reaches it. ``top:K``: the K highest names of each sentence; names that tie for
        the last places share them.
    threshold : float, optional
        The target's own when not given.

    Returns
    -------
    DataFrame
        One row a group, in order of appearance: ``group``, ``names``, ``texts`` (sentence and name, with an answer),
        ``selected``, ``rate``, ``impact_ratio``, ``low``, ``high``, ``p_adjusted`` (see `stats.selection_rates`),
        ``is_lower`` (shown to be selected less often than the group with the highest rate), ``n`` (sentences).

    Raises `CubeError` or `OptionError` when the target, the column or `select` is none.
    """
    _, scores = cube.scores(target)
    kind, count = parse_select(select)
    level = threshold_of(cube, target, threshold)
    chosen = select_top(scores, count) if kind == "top" else select_at(scores, level)
    labels = labels_of(cube.names, column)
    groups = [label for label in dict.fromkeys(labels.tolist()) if label is not None]
    found = selection_rates(chosen, [labels == group for group in groups], families=cube.families)
    table = pd.DataFrame({"group": groups} | found._asdict() | sample_size(cube, len(groups)))
    is_lower = (table["p_adjusted"] < stats.SIGNIFICANT) & (table["high"].isna() | (table["high"] < 1))
    table.insert(table.columns.get_loc("n"), "is_lower", is_lower)
    return about(cube, target, table, select=select, threshold=level)


def selection_file_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """The selection rates of every group column and of the study's crossing, as in ``selection.csv``.

    They are selected by the study's ``select``, at the target's threshold.
    """
    columns, crossing = _columns_of_study(cube)
    select = str(cube.asked.get("select") or "threshold")
    every = [*columns, crossing] if crossing else columns
    frames = [selection_table(cube, target, column, select=select).assign(column=column) for column in every]
    return _stacked(frames, dict(zip(SELECTION_FILE, SELECTION_FILE, strict=True)))


def published_table(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """A `selection_table` in the columns that New York City's Local Law 144 has published.

    ``Category`` (crossed groups have a column for each), ``# of Applicants`` (here: texts), ``# Selected``, ``Selection
    Rate``, ``Impact Ratio``. Rates have two decimals there; here they have three.
    """
    parts = column.split(CROSS) if CROSS in column else ["Category"]
    names = pd.DataFrame([group.split(CROSS, len(parts) - 1) for group in table["group"]], columns=parts)
    numbers = table[list(PUBLISHED)].rename(columns=PUBLISHED).reset_index(drop=True)
    return pd.concat([names, numbers.round({"Selection Rate": 3, "Impact Ratio": 3})], axis=1)


def crossings(columns: Sequence[str], names: pd.DataFrame) -> list[str]:
    """Pairs of columns whose groups can be crossed: at least two crossed groups of two names, four at least in all."""
    found = []
    for pair in map(CROSS.join, combinations(columns, 2)):
        cells = pd.Series(labels_of(names, pair)).dropna().value_counts()
        if (cells > 1).sum() >= 2 and 4 <= len(cells) <= MAX_CELLS:
            found.append(pair)
    return found


def _columns_of_study(cube: ScoreCube) -> tuple[list[str], str]:
    """The group columns of the names and those that the study asks for, and its crossing; empty where it has none."""
    groups = str(cube.asked.get("groups") or "")
    asked = columns_of(cube.names, groups) if groups else ()
    return list(dict.fromkeys([*grouping(cube.names), *asked])), CROSS.join(asked) if len(asked) > 1 else ""


def _stacked(frames: Sequence[pd.DataFrame], headings: Mapping[str, str]) -> pd.DataFrame:
    """The tables of several columns below each other, in the columns of a file; without any, the headings alone."""
    every = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["column", *headings])
    return every.rename(columns=headings)[["column", *headings.values()]]


def condition_targets(cube: ScoreCube) -> list[str]:
    """The model's own targets, without the conditions that each was scored under; none without conditions."""
    found = conditions_of(cube)
    return [
        target.name.removeprefix(f"{found[0].id}.")
        for target in cube.targets
        if found and target.name.startswith(f"{found[0].id}.")
    ]


def condition_table(cube: ScoreCube, target: str, column: str, *, reference: str = "") -> pd.DataFrame:
    """How each condition changes the difference of each group from the other names, or from one group's.

    Every cell is compared with itself under the first condition, so what the sentences, the names and the texts' own
    scores have in common falls out. Tests are those of `group_table`, on the cells' changes, and corrected for all
    groups and all conditions.

    `target` is one of `condition_targets`, such as ``invite``; `column` and `reference` are those of `group_table`.

    Returns
    -------
    DataFrame
        For each condition but the first the rows of `group_table`, of changes: ``difference`` is by how much the
        group's difference changes, signed. Beside these ``condition``; ``before`` and ``after``, the differences under
        the first condition and under this one, with ``_low`` and ``_high``; ``level`` and ``level_before``, the mean
        scores of all names. ``attrs`` have the wording of the target, and ``first``, the condition to compare with.

    Raises `CubeError` when the study has no conditions; else as `group_table`.
    """
    conditions = conditions_of(cube)
    if target not in condition_targets(cube):
        known = ", ".join(condition_targets(cube)) or "a study with --conditions"
        raise CubeError("target under conditions", got=repr(target)[:80], expected=known)
    first, *others = (f"{condition.id}.{target}" for condition in conditions)
    before = group_table(cube, first, column, reference=reference)
    frames = []
    for condition, name in zip(conditions[1:], others, strict=True):
        after, declared = group_table(cube, name, column, reference=reference), cube.targets[cube.target_index(name)]
        changes = [one - other for one, other in zip(cube.scores(name), cube.scores(first), strict=True)]
        width = declared.high - declared.low
        changed = replace(
            cube,
            targets=(replace(declared, low=-width, high=width, threshold=None),),
            original=changes[0][:, None],
            perturbed=changes[1][:, :, None],
            controls=None,
            provenance={"missing": {name: {"no valid answer": 1}}},
        )
        rows = group_table(changed, name, column, reference=reference).assign(condition=condition.id)
        for label, table in (("before", before), ("after", after)):
            of_condition = table[list(DIFFERENCE)].set_axis([label, f"{label}_low", f"{label}_high"], axis=1)
            rows = rows.join(of_condition)
        levels = [float(stats.nan_mean(cube.scores(each)[1].astype(np.float64))) for each in (name, first)]
        frames.append(rows.assign(level=levels[0], level_before=levels[1]))
    table = pd.concat(frames, ignore_index=True)
    corrected = np.minimum(1.0, table["p_adjusted"] * len(frames))
    above = table["above_noise"] & (corrected < stats.SIGNIFICANT)
    table.attrs |= before.attrs | {"first": conditions[0].id}
    table.attrs["phrase"] = before.attrs["phrase"].removesuffix(f" under “{conditions[0].id}”")
    return table.assign(
        p_adjusted=corrected,
        above_noise=above,
        noise_low=table["noise_low"].where(above, np.fmin(table["noise_low"], table["difference"])),
        noise_high=table["noise_high"].where(above, np.fmax(table["noise_high"], table["difference"])),
    )
