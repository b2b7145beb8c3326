from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psa_core import metrics
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError, OptionError
from psa_core.tables import default_thresholds, label_dist_table


def test_thresholds_span_the_range_of_the_target(cube: ScoreCube) -> None:
    thresholds = label_dist_table(cube, "sentiment")["threshold"]
    assert len(thresholds) == 101
    assert thresholds.iloc[[0, 1, 35, -1]].tolist() == [-1.0, -0.98, -0.3, 1.0]


def test_thresholds_of_a_boundless_target_span_its_scores(cube: ScoreCube) -> None:
    boundless = replace(cube, targets=(Target("toxicity", low=-np.inf, high=np.inf), cube.targets[1]))
    assert default_thresholds(boundless, "toxicity")[[0, -1]].tolist() == [0.0, 0.75]


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
    table = label_dist_table(cube, "toxicity", thresholds=[0.5, 0.25, 0.75])
    assert table.columns.tolist() == ["threshold", "label_dist", "low", "high", "flips_up", "flips_down", "labelled"]
    # 0.5: one name of three shares nothing. 0.25: A = {s0, s1}; B = both, both, {s0}. 0.75: A = {}; B = {s0}, {}, {}.
    assert table["label_dist"].tolist() == pytest.approx([1 / 3, 1 / 6, 1 / 3])
    assert table["flips_up"].tolist() == [1, 0, 1]
    assert table["flips_down"].tolist() == [1, 1, 0]
    assert table["labelled"].tolist() == [0.5, 1.0, 0.0]


def test_some_names_only(cube: ScoreCube) -> None:
    table = label_dist_table(cube, "toxicity", thresholds=0.5, names=["Ben"])
    assert table.loc[0, ["label_dist", "flips_up", "flips_down"]].tolist() == [1.0, 1, 1]
    with pytest.raises(CubeError, match="'Dee'"):
        label_dist_table(cube, "toxicity", names=["Ben", "Dee"])
    with pytest.raises(CubeError, match="no name"):
        label_dist_table(cube, "toxicity", names=[])


def test_equals_the_metric_and_lies_in_its_interval(large_cube: ScoreCube) -> None:
    table = label_dist_table(large_cube, "toxicity")
    expected = metrics.label_dist(*large_cube.scores("toxicity"), table["threshold"])
    assert table["label_dist"].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert (table["low"] <= table["high"]).all()
    middle = table[table["threshold"].between(0.35, 0.65)]
    assert ((middle["low"] <= middle["label_dist"]) & (middle["label_dist"] <= middle["high"])).all()


def test_without_interval(large_cube: ScoreCube) -> None:
    quick = label_dist_table(large_cube, "toxicity", interval=False)
    whole = label_dist_table(large_cube, "toxicity")
    assert quick.equals(whole.drop(columns=["low", "high"]))


def test_threshold_must_be_a_number(cube: ScoreCube) -> None:
    with pytest.raises(OptionError, match="threshold"):
        label_dist_table(cube, "toxicity", thresholds=[0.5, float("nan")])
