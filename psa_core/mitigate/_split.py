"""Split names and sentences in halves: one for the mitigation, one to measure it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, NameListError


@dataclass(frozen=True)
class Halves:
    """Positions of the rows that a mitigation may use, and of those that it is measured on; both in order.

    Attributes
    ----------
    used, measured : int array
    """

    used: np.ndarray
    measured: np.ndarray


def halves(rows: pd.DataFrame, *, seed: int = 0) -> Halves:
    """Deal rows alternately into two halves, group by group, so that both have as many of each group.

    Parameters
    ----------
    rows : DataFrame
        Every column but ``name`` is a group column; without one all rows are one group.
    seed : int
        Decides which rows of a group come first.

    Examples
    --------
    >>> split = halves(pd.DataFrame({"name": list("abcd"), "gender": ["f", "m", "f", "m"]}))
    >>> sorted(int(row) % 2 for row in split.used)
    [0, 1]
    """
    order = np.random.default_rng(seed).permutation(len(rows))
    groups = rows.drop(columns="name", errors="ignore").astype(str).agg("\n".join, axis=1).to_numpy(dtype=object)
    if rows.shape[1] > ("name" in rows):
        order = order[np.argsort(groups[order], kind="stable")]
    return Halves(np.sort(order[::2]), np.sort(order[1::2]))


def split_names(cube: ScoreCube, *, seed: int = 0) -> Halves:
    """The names that may be averaged over, and those that are measured.

    Raises
    ------
    NameListError
        With fewer than four names: one name alone has no spread.
    """
    if cube.shape[1] < 4:
        got = f"{cube.shape[1]} in this study"
        raise NameListError(
            "names to split",
            got=got,
            expected="at least four: two to average over, two to measure",
            fix="Run the study with a longer list of names.",
        )
    return halves(cube.names, seed=seed)


def split_sentences(cube: ScoreCube, *, seed: int = 0) -> Halves:
    """The sentences that the number of names may be chosen on, and those that are measured.

    Raises
    ------
    CubeError
        With one sentence: no other is left to measure.
    """
    if cube.shape[0] < 2:
        raise CubeError(
            "sentences to split",
            got="1 in this study",
            expected="at least two: one to choose the number of names on, one to measure",
            fix="Run the study on more sentences.",
        )
    return halves(pd.DataFrame(index=range(cube.shape[0])), seed=seed)


def drawn(rows: np.ndarray, count: int, *, seed: int = 0) -> np.ndarray:
    """The first `count` rows of a seeded random order, so that a smaller draw is a part of a larger one."""
    return np.sort(np.random.default_rng(seed).permutation(rows)[:count])
