"""One row per group of names: mean effect, difference from the rest, noise floor."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.inputs.names import grouping
from psa_core.tables.labels import sample_size

CSV_COLUMNS = {
    "group": "group", "names": "names", "difference": "difference", "difference_low": "low", "difference_high": "high",
    "noise_low": "floor_low", "noise_high": "floor_high", "p_adjusted": "p_adjusted",
}  # fmt: skip


def group_table(
    cube: ScoreCube, target: str, column: str, *, baseline: stats.Baseline = "original", correction: str = "holm"
) -> pd.DataFrame:
    """Mean effect of each group of names, and its difference from all other groups' names.

    Two kinds of doubt are shown. The interval of the difference is over sentences, clustered by sentence: would other
    sentences show it for these names? The noise floor is over names: would arbitrary names, grouped in these sizes? The
    adjusted p-value answers both, for all groups of the column together. A group of one name is no group and has none.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    column : str
        A group column of the cube's names. Names without a value there are left out.
    baseline : {"original", "names"}
        What ``mean`` is measured against; differences of groups do not depend on it.
    correction : str
        Of the p-values, over groups.

    Returns
    -------
    DataFrame
        One row per group, in order of appearance: ``group``, ``names`` (how many), ``mean``, ``ci_low``, ``ci_high``,
        ``difference`` (from the rest, signed), ``difference_low``, ``difference_high``, ``p_value`` (paired t over
        sentences), ``p_adjusted`` (the larger of the corrected p-values over sentences and over names),
        ``noise_low``, ``noise_high`` (in 95 % of the draws all arbitrary groups of these sizes stay between their
        bounds), ``p_noise`` (of one such group), ``above_noise`` (bool: is the difference outside of that band, and not
        made by one name?), ``without_furthest`` (the difference without the one name, in the group or outside of it,
        that makes most of it; where less than half of the difference is left, one name makes the group, and
        ``p_adjusted`` is 1), ``n`` (sentences), ``families`` (how many they come in, where they do).

    Raises
    ------
    CubeError, OptionError
        When the target or column is unknown, or the column has fewer than two groups.
    """
    differences = stats.effect_differences(*cube.scores(target), baseline=baseline)
    labels, known = _groups_of_names(cube, column)
    floors = stats.noise_floors(differences.mean(axis=0)[known], labels[known])
    memberships = [labels == label for label in floors]
    families = cube.families
    of_groups = np.column_stack([differences[:, inside].mean(axis=1) for inside in memberships])
    means = stats.mean_interval(of_groups, families=families)
    contrasts = np.column_stack(
        [stats.group_difference(differences, inside, known & ~inside) for inside in memberships]
    )
    columns = {
        "group": list(floors),
        "names": [int(inside.sum()) for inside in memberships],
        "mean": means.value,
        "ci_low": means.low,
        "ci_high": means.high,
    }
    name_means = differences.mean(axis=0)
    left = [stats.difference_without_furthest(name_means, inside, known & ~inside) for inside in memberships]
    contrasted = _contrast_columns(contrasts, families, list(floors.values()), np.array(left), correction)
    return pd.DataFrame(columns | contrasted | sample_size(cube, len(floors)))


def group_file_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Every column of the name list that makes groups, as they stand in ``groups.csv``.

    Returns
    -------
    DataFrame
        ``column``, ``group``, ``names``, ``difference`` (from the other names), ``low``, ``high`` (95 % interval),
        ``floor_low``, ``floor_high``, ``p_adjusted``, as in `group_table`. No row where no column makes groups.
    """
    frames = [
        group_table(cube, target, column)[list(CSV_COLUMNS)].rename(columns=CSV_COLUMNS).assign(column=column)
        for column in group_columns(cube)
    ]
    order = ["column", *CSV_COLUMNS.values()]
    return pd.concat(frames, ignore_index=True)[order] if frames else pd.DataFrame(columns=order)


def group_columns(cube: ScoreCube) -> list[str]:
    """Columns of the name list that sort names into at least two groups, of which one has at least two names."""
    return grouping(cube.names)


def _contrast_columns(
    contrasts: np.ndarray,
    families: stats.Families,
    floors: list[stats.NoiseFloor],
    left: np.ndarray,
    correction: str,
) -> dict[str, np.ndarray | list[float] | list[bool]]:
    """Columns for contrasts (S, G), one per row of the table, with their floors and what one name less leaves."""
    interval = stats.mean_interval(contrasts, families=families)
    p_values = stats.paired_t_p(families.rows(contrasts))
    over_names = np.array([floor.p_value if correction == "none" else floor.p_adjusted for floor in floors])
    is_group = np.isfinite([floor.p_adjusted for floor in floors])
    over_sentences = stats.adjust(np.where(is_group, p_values, np.nan), correction)
    by_one_name = left * np.sign(interval.value) < np.abs(interval.value) / 2
    p_adjusted = np.where(by_one_name, np.maximum(over_sentences, 1.0), np.maximum(over_sentences, over_names))
    return {
        "difference": interval.value,
        "difference_low": interval.low,
        "difference_high": interval.high,
        "p_value": p_values,
        "p_adjusted": np.where(is_group, p_adjusted, np.nan),
        "noise_low": [floor.low for floor in floors],
        "noise_high": [floor.high for floor in floors],
        "p_noise": [floor.p_value for floor in floors],
        "above_noise": np.array([floor.is_above for floor in floors]) & ~by_one_name,
        "without_furthest": left,
    }


def _groups_of_names(cube: ScoreCube, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Group of each name as text (N,), and which names have one, bool (N,)."""
    columns = [name for name in cube.names.columns if name != "name"]
    if column not in columns:
        expected = f"one of {', '.join(columns)}" if columns else "a name list with group columns"
        raise CubeError("group column", got=repr(column), expected=expected)
    values = cube.names[column]
    labels = values.astype(str).to_numpy(dtype=object)
    known = (values.notna() & (values.astype(str).str.strip() != "")).to_numpy(dtype=bool)
    if len(set(labels[known])) < 2:
        raise CubeError("group column", got=f"fewer than two groups in {column}", expected="at least two groups")
    return labels, known
