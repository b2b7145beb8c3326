"""Label columns for names and sentences, and default thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from psa_core.cube import SENTENCE_COLUMNS, ScoreCube
from psa_core.errors import CubeError


def threshold_of(cube: ScoreCube, target: str, threshold: float | None) -> float:
    """The threshold given, or the target's own."""
    own = cube.targets[cube.target_index(target)].default_threshold
    return float(own if threshold is None else threshold)


def sample_size(cube: ScoreCube, rows: int) -> dict[str, np.ndarray]:
    """What a claim rests on, for so many rows: ``n`` sentences, and in how many ``families`` they come, if they do."""
    families = cube.families
    size = {"n": np.full(rows, len(cube.sentences))}
    return size | ({"families": np.full(rows, families.count)} if families.any else {})


def labelled_names(cube: ScoreCube, quantities: dict[str, np.ndarray]) -> pd.DataFrame:
    """``name``, the group columns, then one column per quantity (N,); N rows in the order of the list."""
    groups = [column for column in cube.names.columns if column != "name"]
    return _joined(cube.names[["name", *groups]], quantities)


def labelled_sentences(cube: ScoreCube, quantities: dict[str, np.ndarray]) -> pd.DataFrame:
    """``sentence_id``, the group columns, then one column per quantity (S,); S rows in the order of the cube."""
    groups = [column for column in cube.sentences.columns if column not in SENTENCE_COLUMNS]
    return _joined(cube.sentences[["sentence_id", *groups]], quantities)


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


def _joined(labels: pd.DataFrame, quantities: dict[str, np.ndarray]) -> pd.DataFrame:
    labels = labels.rename(columns=_apart_from(quantities, labels.columns)).reset_index(drop=True)
    return pd.concat([labels, pd.DataFrame(quantities)], axis=1)


def _apart_from(reserved: Iterable[str], columns: Iterable[str]) -> dict[str, str]:
    """An uploaded group column may be called like a quantity; the quantity keeps the word."""
    taken = set(reserved)
    return {column: f"{column} (group)" for column in columns if column in taken}
