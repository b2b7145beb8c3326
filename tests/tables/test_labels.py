"""A new metric shows up by itself: in the tables, and with them in the result files and the dashboard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.methods import Method
from psa_core.tables import labels, name_table, sentence_table, summary
from psa_core.tables.labels import about, labelled, name_positions, threshold_of


def test_labels_stand_before_quantities_and_give_way_to_them(cube: ScoreCube) -> None:
    assert labelled("name", cube, {"gender": np.zeros(3)}).columns.tolist() == ["name", "gender (group)", "gender"]
    assert labelled("sentence", cube, {"mean": np.zeros(2)}).columns.tolist() == ["sentence_id", "genre", "mean"]


def test_rows_are_numbered_from_zero_whatever_the_table_was(cube: ScoreCube) -> None:
    cube.names.index = [7, 5, 3]
    table = labelled("name", cube, {"mean": np.arange(3.0)})
    assert table.index.tolist() == [0, 1, 2]
    assert table["mean"].tolist() == [0, 1, 2]


def test_a_table_knows_how_its_target_is_worded(cube: ScoreCube) -> None:
    wide = replace(cube, targets=(Target("sentiment", -1.0, 2.0, phrase="mood", unit="points"), Target("x")))
    assert about(wide, "sentiment", pd.DataFrame(), first="a").attrs == {
        "phrase": "mood", "unit": "points", "width": 3.0, "names": 3, "first": "a",
    }  # fmt: skip
    endless = replace(cube, targets=(Target("sentiment", -1.0, float("inf")), Target("x")))
    assert about(endless, "sentiment", pd.DataFrame()).attrs["width"] is None


def test_positions_of_names(cube: ScoreCube) -> None:
    assert name_positions(cube, None).tolist() == [0, 1, 2]
    assert name_positions(cube, ["Cy", "Ada"]).tolist() == [2, 0]
    with pytest.raises(CubeError, match="'Dee'"):
        name_positions(cube, ["Ada", "Dee"])


def test_threshold_given_or_the_targets_own(cube: ScoreCube) -> None:
    assert threshold_of(cube, "sentiment", None) == 0.0
    assert threshold_of(cube, "sentiment", 0.25) == 0.25
    with pytest.raises(CubeError, match="'anger'"):
        threshold_of(cube, "anger", 0.25)


@dataclass(frozen=True)
class Reached:
    """How many of a name's scores reach the threshold."""

    id: ClassVar[str] = "reached"
    title: ClassVar[str] = "Reached"
    summary: ClassVar[str] = "Scores at or above the threshold."
    axis: ClassVar[str] = "name"

    threshold: float = 0.0

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        return (perturbed >= self.threshold).sum(axis=0).astype(float)


@dataclass(frozen=True)
class Highest(Reached):
    """The highest score of a sentence."""

    id: ClassVar[str] = "highest"
    axis: ClassVar[str] = "sentence"

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        return perturbed.max(axis=1).astype(float)


class Undefined(Reached):
    """A metric that is not defined for these scores."""

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        raise CubeError("names", got="3", expected="more")


class UndefinedPerSentence(Undefined):
    """The same along sentences."""

    axis: ClassVar[str] = "sentence"


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch):
    def add(*added: type[Method]) -> None:
        monkeypatch.setattr(labels, "plugins", lambda: {method.id: method for method in added})

    return add


def test_a_new_metric_is_in_every_table(cube: ScoreCube, add) -> None:
    add(Reached, Highest)
    perturbed = cube.scores("toxicity")[1]
    assert name_table(cube, "toxicity", threshold=0.5)["reached"].tolist() == (perturbed >= 0.5).sum(axis=0).tolist()
    assert sentence_table(cube, "toxicity")["highest"].tolist() == perturbed.max(axis=1).tolist()
    assert summary(cube)["toxicity"]["highest"]["value"] == pytest.approx(perturbed.max(axis=1).mean())


def test_a_metric_that_is_not_defined_leaves_its_column_empty(cube: ScoreCube, add) -> None:
    add(Undefined)
    assert name_table(cube, "toxicity")["reached"].isna().all()


def test_a_corpus_metric_that_is_not_defined_has_no_value(cube: ScoreCube, add) -> None:
    add(UndefinedPerSentence)
    assert summary(cube)["toxicity"]["reached"] == {"value": None, "low": None, "high": None}
