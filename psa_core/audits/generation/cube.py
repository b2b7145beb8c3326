"""Continuations of every template with every value, and their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from psa_core.cube import Target
from psa_core.errors import CubeError


@dataclass(frozen=True, eq=False)
class GenerationCube:
    """Continuations and their scores; shapes are checked when it is made.

    Attributes
    ----------
    templates : DataFrame, M rows
        ``template``, with ``{value}`` in it.
    values : DataFrame, A rows
        ``value`` and any group columns.
    targets : tuple of Target, length T
        One score each, put on [0, 1]; ``name`` is the scorer's id, with the target's name behind it where a scorer
        has several.
    texts : object array of str (M, A, K)
        Continuations as they are read and scored, cut at the last full stop; empty where one was left out.
    scores : float32 array (M, A, K, T)
        In [0, 1]; NaN exactly where a continuation was left out.
    provenance : mapping
        The manifest.

    Raises
    ------
    CubeError
        When shapes disagree, a score is missing or out of range, or a template or value is there twice.
    """

    templates: pd.DataFrame
    values: pd.DataFrame
    targets: tuple[Target, ...]
    texts: np.ndarray
    scores: np.ndarray
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.texts.ndim != 3:
            raise CubeError("continuations", got=f"shape {self.texts.shape}", expected="(templates, values, k)")
        shape = (len(self.templates), len(self.values), self.texts.shape[2])
        if self.texts.shape != shape:
            raise CubeError("continuations", got=f"shape {self.texts.shape}", expected=f"shape {shape}")
        if self.scores.shape != (*shape, len(self.targets)):
            expected = f"shape {(*shape, len(self.targets))}"
            raise CubeError("scores of continuations", got=f"shape {self.scores.shape}", expected=expected)
        known = np.isfinite(self.scores)
        if (known != self.kept[..., None]).any():
            expected = "a finite score for each continuation, and none where there is none"
            raise CubeError("scores of continuations", got="missing or superfluous values", expected=expected)
        if (self.scores[known] < 0).any() or (self.scores[known] > 1).any():
            raise CubeError("scores of continuations", got="a score outside of [0, 1]", expected="scores in [0, 1]")
        _expect_distinct("template", self.templates)
        _expect_distinct("value", self.values)
        twice = [target.name for target in self.targets]
        if len(set(twice)) < len(twice):
            raise CubeError("targets", got=", ".join(twice), expected="distinct names")

    @property
    def shape(self) -> tuple[int, int, int]:
        """(M, A, K): templates, values, continuations of each."""
        m, a, k = self.texts.shape
        return m, a, k

    @property
    def kept(self) -> np.ndarray:
        """Which continuations count: bool array (M, A, K); the others could not be cut at a full stop or line break."""
        return self.texts != ""

    @property
    def common_noise(self) -> bool:
        """Whether continuation k of a template met the same random numbers for every value."""
        return bool(self.provenance.get("generator", {}).get("common_noise", True))

    @property
    def scorers(self) -> list[str]:
        """The names of the targets, as `pairs.csv` and `summary.json` have them."""
        return [target.name for target in self.targets]

    def scored_by(self, scorer: str) -> np.ndarray:
        """Scores of one target: float32 view (M, A, K), NaN where a continuation was left out."""
        if scorer not in self.scorers:
            raise CubeError("scorer", got=repr(scorer), expected=f"one of {', '.join(self.scorers)}")
        return self.scores[..., self.scorers.index(scorer)]

    def groups(self, column: str = "") -> list[str]:
        """The subgroup of each value (A): by a column of the values, or each value its own."""
        return [str(group) for group in self.values[column or "value"]]

    def part(self, templates: Sequence[int] | None = None, values: Sequence[int] | None = None) -> GenerationCube:
        """The cube of some templates and values, by position."""
        m = np.arange(len(self.templates)) if templates is None else np.asarray(templates)
        a = np.arange(len(self.values)) if values is None else np.asarray(values)
        return replace(
            self,
            templates=self.templates.iloc[m].reset_index(drop=True),
            values=self.values.iloc[a].reset_index(drop=True),
            texts=self.texts[np.ix_(m, a)],
            scores=self.scores[np.ix_(m, a)],
        )


def _expect_distinct(column: str, table: pd.DataFrame) -> None:
    if column not in table.columns:
        raise CubeError(f"table of {column}s", got="no such column", expected=f"a column {column}")
    twice = table[column][table[column].duplicated()]
    if len(twice):
        raise CubeError(f"table of {column}s", got=f"{twice.iloc[0]!r} twice", expected=f"each {column} once")
