"""Two studies on the same cells, matched by text and name whatever their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.tables.pairs import disagreements, metric_differences, name_agreement, shared_cells


def study(texts: list[str], names: list[str], scores: list[list[float]], *, target: Target) -> ScoreCube:
    sentences = pd.DataFrame({"sentence_id": [f"s{i}" for i in range(len(texts))], "text": texts, "anchor": "He"})
    return ScoreCube(
        sentences.assign(start=0, end=2, role="subject"),
        pd.DataFrame({"name": names}),
        (target,),
        np.zeros((len(texts), 1), dtype=np.float32),
        np.array(scores, dtype=np.float32)[:, :, None],
    )


@pytest.fixture
def first() -> ScoreCube:
    return study(["He a", "He b"], ["x", "y", "z"], [[0.25, 0.5, 0.0], [0.75, 0.5, 1.0]], target=Target("toxicity"))


@pytest.fixture
def second() -> ScoreCube:
    scores = [[0.0, 1.0, 0.0], [0.5, -1.0, 0.25]]
    return study(["He b", "He c"], ["z", "x", "w"], scores, target=Target("mood", low=-1, high=1))


def test_shared_cells_are_matched_by_text_and_name(first: ScoreCube, second: ScoreCube) -> None:
    shared = shared_cells(first, second)
    assert shared.sentences.tolist() == [[1, 0]]
    assert shared.names.tolist() == [[0, 1], [2, 0]]


def test_changes_are_parts_of_each_range(first: ScoreCube, second: ScoreCube) -> None:
    agreement = name_agreement(shared_cells(first, second), ("toxicity", "mood"))
    assert agreement.to_numpy().tolist() == [["x", 0.75, 0.5], ["z", 1.0, 0.0]]


def test_the_cells_that_differ_most_come_first(first: ScoreCube, second: ScoreCube) -> None:
    found = disagreements(shared_cells(first, second), ("toxicity", "mood"))
    assert found["name"].tolist() == ["z", "x"]
    assert found["disagreement"].tolist() == [1.0, 0.25]
    other_way = disagreements(shared_cells(second, first), ("mood", "toxicity"))
    assert other_way[["name", "disagreement"]].to_numpy().tolist() == [["z", 1.0], ["x", 0.25]]
    assert found[["sentence_position", "name_position"]].to_numpy().tolist() == [[1, 2], [1, 0]]
    assert len(disagreements(shared_cells(first, second), ("toxicity", "mood"), limit=1)) == 1


def test_a_study_agrees_with_itself(large_cube: ScoreCube) -> None:
    shared = shared_cells(large_cube, large_cube)
    assert len(shared.sentences) == large_cube.shape[0]  # equal texts are matched one to one
    assert disagreements(shared, ("toxicity", "toxicity"))["disagreement"].max() == 0


def test_nothing_in_common(first: ScoreCube, second: ScoreCube) -> None:
    stranger = replace(second, names=pd.DataFrame({"name": ["p", "q", "r"]}))
    with pytest.raises(CubeError, match="0 names in common"):
        shared_cells(first, stranger)


def test_two_studies_are_tested_metric_by_metric(large_cube: ScoreCube) -> None:
    halved = replace(large_cube, perturbed=(large_cube.perturbed + large_cube.original[:, None]) / 2)
    differences = metric_differences(shared_cells(large_cube, halved), ("toxicity", "toxicity")).set_index("metric")
    assert (differences.loc[["score_dev", "score_range"], "p_adjusted"] < 0.01).all()
    assert differences["second"]["score_dev"] == pytest.approx(differences["first"]["score_dev"] / 2, rel=1e-5)
    same = metric_differences(shared_cells(large_cube, large_cube), ("toxicity", "toxicity"))
    assert (same["difference"] == 0).all() and (same["p_adjusted"] == 1).all()


def test_label_dist_of_few_labelled_sentences_is_not_tested(large_cube: ScoreCube) -> None:
    shared = shared_cells(large_cube, large_cube)
    differences = metric_differences(shared, ("toxicity", "toxicity"), thresholds=(0.5, 2.0)).set_index("metric")
    assert np.isnan(differences.loc["label_dist", "p_adjusted"])
    assert differences.loc["label_dist", "second"] == 0
