"""What tables share: label columns for names and sentences, default thresholds, plug-in metrics as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from psa_core.cube import SENTENCE_COLUMNS, ScoreCube
from psa_core.errors import CubeError
from psa_core.methods import Axis, plugins


def threshold_of(cube: ScoreCube, target: str, threshold: float | None) -> float:
    """The threshold given, or the target's own."""
    own = cube.targets[cube.target_index(target)].default_threshold
    return float(own if threshold is None else threshold)


def sample_size(cube: ScoreCube, rows: int) -> dict[str, np.ndarray]:
    """What a claim rests on, for so many rows: ``n`` sentences, and in how many ``families`` they come, if they do."""
    families = cube.families
    size = {"n": np.full(rows, len(cube.sentences))}
    return size | ({"families": np.full(rows, families.count)} if families.any else {})


def about(cube: ScoreCube, target: str, table: pd.DataFrame, **more: Any) -> pd.DataFrame:
    """The table with wording and units in its ``attrs``, which pandas passes on to slices and copies.

    The target's ``phrase`` and ``unit``, the ``width`` of its range, how many ``names`` the study has, and `more`.
    """
    declared = cube.targets[cube.target_index(target)]
    width = float(declared.high - declared.low)
    unit = "points" if declared.is_in_points else declared.unit
    words = {"phrase": declared.phrase, "unit": unit, "width": width if np.isfinite(width) else None}
    table.attrs |= words | {"names": len(cube.names)} | more
    return table


def labelled(axis: Axis, cube: ScoreCube, quantities: dict[str, np.ndarray]) -> pd.DataFrame:
    """``name`` or ``sentence_id``, the group columns, then one column per quantity; rows in the order of the cube."""
    table, known = (cube.names, ("name",)) if axis == "name" else (cube.sentences, SENTENCE_COLUMNS)
    labels = table[[known[0], *(column for column in table.columns if column not in known)]]
    # An uploaded group column may be called like a quantity; the quantity keeps the word.
    taken = {column: f"{column} (group)" for column in labels.columns if column in quantities}
    return pd.concat([labels.rename(columns=taken).reset_index(drop=True), pd.DataFrame(quantities)], axis=1)


def name_positions(cube: ScoreCube, names: Sequence[str] | None) -> np.ndarray:
    """Positions in the list of the names given (all for None); `CubeError` for a name that is not in it."""
    if names is None:
        return np.arange(len(cube.names))
    positions = pd.Index(cube.names["name"]).get_indexer(pd.Index(list(names), dtype=object))
    unknown = [name for name, position in zip(names, positions, strict=True) if position < 0]
    if unknown or not len(positions):
        got = ", ".join(map(repr, unknown[:3])) or "no name"
        raise CubeError("names", got=got, expected="names of the study's list")
    return positions


def metrics_per(axis: Axis, cube: ScoreCube, target: str, *, threshold: float) -> dict[str, np.ndarray]:
    """Every plug-in metric that has one value per name, or per sentence, by id: float64 arrays (N,) or (S,).

    A metric with a field ``threshold`` is given the threshold; one that is not defined for these scores gives NaN.
    """
    found = {}
    for method_id, method in plugins().items():
        if method.axis == axis:
            has_threshold = "threshold" in {field.name for field in fields(method)}  # type: ignore[arg-type]
            measure = method(threshold=threshold) if has_threshold else method()  # type: ignore[call-arg]
            try:
                found[method_id] = measure(*cube.scores(target))
            except CubeError:
                found[method_id] = np.full(cube.shape[axis == "name"], np.nan)
    return found
