from __future__ import annotations

import pytest

from psa_core import metrics
from psa_core.cube import ScoreCube
from psa_core.methods import plugins
from psa_core.tables import sentence_table


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
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
