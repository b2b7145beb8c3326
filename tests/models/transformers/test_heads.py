from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.errors import ModelError
from psa_core.models._transformers.heads import Head, activated, head_of, labels_of, safe_names

LOG2 = float(np.log(2.0))


def config(*labels: str, problem_type: str | None = None, **changes: Any) -> Any:
    known = {"num_labels": len(labels), "id2label": dict(enumerate(labels)), "problem_type": problem_type}
    return SimpleNamespace(**(known | changes))


def ranges(head: Head) -> list[tuple[str, float, float]]:
    return [(target.name, target.low, target.high) for target in head.targets]


def test_single_label_is_a_softmax() -> None:
    head = head_of(config("joy", "anger", "fear"))
    assert ranges(head) == [("joy", 0, 1), ("anger", 0, 1), ("fear", 0, 1)]
    # e^0 : e^log2 : e^0 = 1 : 2 : 1
    np.testing.assert_allclose(head.reduce(np.array([[0, LOG2, 0]], np.float32)), [[0.25, 0.5, 0.25]], atol=1e-7)


def test_multi_label_is_a_sigmoid_each() -> None:
    head = head_of(config("joy", "anger", problem_type="multi_label_classification"))
    # 1 / (1 + e^-log3) = 3/4, 1 / (1 + e^0) = 1/2: they need not add up to 1
    np.testing.assert_allclose(head.reduce(np.array([[np.log(3), 0]], np.float32)), [[0.75, 0.5]], atol=1e-7)


def test_toxicity_labels_without_a_problem_type_are_multi_label() -> None:
    assert head_of(config("toxic", "severe_toxic", "obscene", "threat")).activation == "sigmoid"
    assert head_of(config("toxic", "non-toxic")).activation == "softmax"
    assert head_of(config("toxic", "obscene", "threat", problem_type="single_label_classification")).activation == (
        "softmax"
    )


def test_one_output_is_a_probability_unless_it_is_a_regression() -> None:
    np.testing.assert_allclose(head_of(config("hate")).reduce(np.array([[0.0]])), [[0.5]])
    raw = head_of(config("stars", problem_type="regression"), {"range": "1..5"})
    assert ranges(raw) == [("stars", 1, 5)]
    np.testing.assert_allclose(raw.reduce(np.array([[4.25]])), [[4.25]])


@pytest.mark.parametrize(
    "labels",
    [("negative", "positive"), ("Negative", "Neutral", "Positive"), ("POS", "NEG", "NEU"), ("NEGATIVE", "POSITIVE")],
)
def test_poles_also_give_a_sentiment(labels: tuple[str, ...]) -> None:
    head = head_of(config(*labels))
    assert [target.name for target in head.targets] == [*labels, "sentiment"]
    assert ranges(head)[-1] == ("sentiment", -1, 1)
    scores = head.reduce(np.array([np.arange(len(labels))], np.float32))[0]
    plus = next(i for i, label in enumerate(labels) if label.lower().startswith("pos"))
    minus = next(i for i, label in enumerate(labels) if label.lower().startswith("neg"))
    np.testing.assert_allclose(scores[-1], scores[plus] - scores[minus], atol=1e-7)


def test_labels_without_names_are_left_as_they_are() -> None:
    assert [target.name for target in head_of(config("LABEL_0", "LABEL_1", "LABEL_2")).targets] == [
        "LABEL_0", "LABEL_1", "LABEL_2"
    ]  # fmt: skip


def test_stars_give_their_expected_value() -> None:
    head = head_of(config("1 star", "2 stars", "3 stars", "4 stars", "5 stars"))
    assert ranges(head) == [("stars", 1, 5)]
    logits = np.array([[0, -99, -99, -99, 0], [-99, -99, -99, 99, -99]], np.float32)
    np.testing.assert_allclose(head.reduce(logits), [[3.0], [4.0]], atol=1e-6)


def test_asked_targets() -> None:
    head = head_of(config("anger", "joy", "fear"), {"targets": "joy-minus-anger, fear"})
    assert ranges(head) == [("joy-minus-anger", -1, 1), ("fear", 0, 1)]
    np.testing.assert_allclose(head.reduce(np.array([[0, LOG2, 0]])), [[0.25, 0.25]], atol=1e-7)
    assert ranges(head_of(config("0", "1", "2"), {"targets": "expected"})) == [("expected", 0, 2)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"targets": "boredom"}, "'boredom'"),
        ({"targets": "joy-minus-boredom"}, "'boredom'"),
        ({"targets": "expected"}, "'expected'"),
        ({"head": "relu"}, "'relu'"),
        ({"head": "none", "range": "5..1"}, "'5..1'"),
        ({"head": "none", "range": "0..inf"}, "low..high"),
    ],
)
def test_options_that_make_no_sense_are_named(options: dict[str, str], said: str) -> None:
    with pytest.raises(ModelError, match=said.replace(".", r"\.")):
        head_of(config("joy", "anger"), options)


def test_a_label_map_that_does_not_fit_is_not_used() -> None:
    assert labels_of(config(id2label={1: "good", 2: "bad"}, num_labels=2)) == ("LABEL_0", "LABEL_1")
    assert labels_of(config(id2label={0: "good"}, num_labels=2)) == ("LABEL_0", "LABEL_1")
    assert labels_of(config(id2label={"1": "bad", "0": "good"}, num_labels=2)) == ("good", "bad")
    assert labels_of(config(id2label=None, num_labels=1)) == ("LABEL_0",)


def test_labels_that_are_there_twice_stay_apart() -> None:
    head = head_of(config("joy", "Joy", "a/b", "a b"))
    assert [target.name for target in head.targets] == ["joy", "Joy_2", "a_b", "a_b_2"]
    np.testing.assert_allclose(head.weights, np.eye(4))


@given(st.lists(st.text(max_size=80), max_size=8))
def test_safe_names_are_distinct_and_safe(labels: list[str]) -> None:
    names = safe_names(labels)
    assert len({name.casefold() for name in names}) == len(names) == len(labels)
    assert all(name and len(name) < 70 and not set(name) & set('/\\:*?"<>|\0\n ') for name in names)
    assert safe_names(names) == names


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=6))
def test_probabilities_stay_in_their_range(logits: list[float]) -> None:
    row = np.array([logits])
    for kind in ("softmax", "sigmoid"):
        answer = activated(row, kind)  # type: ignore[arg-type]
        assert ((answer >= 0) & (answer <= 1)).all()
    assert activated(row, "softmax").sum() == pytest.approx(1.0)
