from __future__ import annotations

import json

import numpy as np
import pytest

from psa_core import metrics
from psa_core.cube import ScoreCube
from psa_core.methods import plugins
from psa_core.tables import sentence_table, summary, target_summary


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
    numbers = summary(cube)["toxicity"]
    assert numbers["score_dev"]["value"] == pytest.approx((0.125 / 3) ** 0.5)
    assert numbers["score_range"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert numbers["mean_abs_delta"]["value"] == pytest.approx(0.5 / 3)
    assert numbers["label_dist"]["value"] == pytest.approx(1 / 3)
    assert numbers["label_dist"]["threshold"] == 0.5
    assert numbers["flips"]["value"] == pytest.approx(1 / 3)
    assert (numbers["flips"]["up"], numbers["flips"]["down"]) == (1, 1)
    assert numbers["size"] == {"sentences": 2, "names": 3}
    # two sentences: no correlation, and no NaN, which JSON does not have
    assert numbers["sensitivity_correlation"] == {"r": None, "p": None, "low": None, "high": None}


def test_is_json_for_one_sentence_too(cube: ScoreCube) -> None:
    for some in (cube, cube.rows(np.array([0]))):
        numbers = summary(some)
        assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert summary(cube.rows(np.array([0])))["toxicity"]["score_dev"]["low"] is None


def test_every_target_and_every_metric_per_sentence(cube: ScoreCube) -> None:
    numbers = summary(cube)
    assert list(numbers) == ["toxicity", "sentiment"]
    for method in plugins().values():
        if method.axis == "sentence":
            assert set(numbers["sentiment"][method.id]) == {"value", "low", "high"}


def test_equals_the_metrics_within_their_intervals(large_cube: ScoreCube) -> None:
    numbers, scores = summary(large_cube)["toxicity"], large_cube.scores("toxicity")
    expected = {
        "score_dev": metrics.score_dev(*scores),
        "score_range": metrics.score_range(*scores),
        "label_dist": metrics.label_dist(*scores, 0.5),
    }
    for metric, value in expected.items():
        assert numbers[metric]["value"] == pytest.approx(value)
        assert numbers[metric]["low"] < value < numbers[metric]["high"]
    correlation = metrics.sensitivity_correlation(*scores)
    assert list(numbers["sensitivity_correlation"].values()) == pytest.approx(list(correlation))


def test_threshold_can_be_moved(cube: ScoreCube) -> None:
    assert target_summary(cube, "toxicity", threshold=0.25)["label_dist"]["value"] == pytest.approx(1 / 6)
    assert target_summary(cube, "sentiment")["label_dist"]["threshold"] == 0.0


def test_repeats_itself(large_cube: ScoreCube) -> None:
    assert summary(large_cube) == summary(large_cube)


def test_a_row_per_sentence_by_hand(cube: ScoreCube) -> None:
    table = sentence_table(cube, "toxicity")
    assert table["sentence_id"].tolist() == ["s0", "s1"]
    assert table["genre"].tolist() == ["forum", "forum"]
    assert table["original"].tolist() == [0.5, 0.25]
    assert table["mean"].tolist() == [0.5, 0.25]
    assert table["score_dev"].tolist() == pytest.approx([(0.125 / 3) ** 0.5] * 2)
    assert table["score_range"].tolist() == [0.5, 0.5]
    assert table["mean_abs_delta"].tolist() == pytest.approx([0.5 / 3, 0.5 / 3])
    assert table["flips_up"].tolist() == [0, 1]
    assert table["flips_down"].tolist() == [1, 0]
    assert table["flips"].tolist() == [1, 1]
    assert table["lowest_name"].tolist() == ["Ben", "Cy"]
    assert table["highest_name"].tolist() == ["Ada", "Ben"]


def test_threshold_decides_the_flips(cube: ScoreCube) -> None:
    assert sentence_table(cube, "toxicity", threshold=0.25)["flips"].tolist() == [0, 1]
    assert sentence_table(cube, "toxicity", threshold=0.9)["flips"].tolist() == [0, 0]


def test_columns_average_to_the_corpus_metrics(large_cube: ScoreCube) -> None:
    table = sentence_table(large_cube, "toxicity")
    assert table["score_dev"].mean() == pytest.approx(metrics.score_dev(*large_cube.scores("toxicity")))
    assert table["score_range"].mean() == pytest.approx(metrics.score_range(*large_cube.scores("toxicity")))


def test_every_metric_per_sentence_has_a_column(cube: ScoreCube) -> None:
    per_sentence = {method.id for method in plugins().values() if method.axis == "sentence"}
    assert per_sentence <= set(sentence_table(cube, "toxicity").columns)
