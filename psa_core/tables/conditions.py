"""Conditions × groups of names: what a condition does to the difference between groups, on the same cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.study.conditions import conditions_of
from psa_core.tables.groups import group_table

BOUNDS = ("difference", "difference_low", "difference_high")


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

    Parameters
    ----------
    cube : ScoreCube
        Of a study with conditions.
    target : str
        One of `condition_targets`: ``invite``.
    column, reference : str
        As for `group_table`.

    Returns
    -------
    DataFrame
        For each condition but the first the rows of `group_table`, of changes: ``difference`` is by how much the
        group's difference changes, signed. Beside these ``condition``; ``before`` and ``after``, the differences under
        the first condition and under this one, with ``_low`` and ``_high``; ``level`` and ``level_before``, the mean
        scores of all names. ``attrs`` have the wording of the target, and ``first``, the condition to compare with.

    Raises
    ------
    CubeError, OptionError
        When the study has no conditions, or as `group_table` raises.
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
            of_condition = table[list(BOUNDS)].set_axis([label, f"{label}_low", f"{label}_high"], axis=1)
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
