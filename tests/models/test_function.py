"""A function as a model: its targets and ranges, and a fingerprint that changes when its answers would."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import models
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.models._function import what_it_depends_on

TEXTS = ["He left.", "She stayed here."]


def length_above(least: int) -> Callable[[list[str]], list[float]]:
    return lambda texts: [float(len(text) > least) for text in texts]


def test_a_list_of_numbers_is_one_target_whose_range_is_found() -> None:
    scorer = models.from_callable(lambda texts: [len(text) - 10 for text in texts], TEXTS)
    assert scorer.score(TEXTS).tolist() == [[-2.0], [6.0]]
    (found,) = models.found_targets(scorer.targets, scorer.score(TEXTS))
    assert (found.name, found.low, found.high, found.default_threshold) == ("score", -2.0, 6.0, 0.0)
    (usual,) = models.found_targets((Target("x"),), np.array([[0.2], [0.9]]))
    assert (usual.low, usual.high, usual.default_threshold) == (0.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (lambda texts: np.ones((len(texts), 2)), ["score_1", "score_2"]),
        (lambda texts: np.ones((len(texts), 1)), ["score"]),
        (lambda texts: {"joy": [1.0] * len(texts), "anger": [0.0] * len(texts)}, ["joy", "anger"]),
        (lambda texts: pd.DataFrame({"joy": [1.0] * len(texts)}), ["joy"]),
        (lambda texts: [{"joy": 1, "anger": 0} for _ in texts], ["joy", "anger"]),
        (lambda texts: (1.0 for _ in texts), ["score"]),
    ],
)
def test_targets_are_called_as_the_answer_calls_them(answer: Any, names: list[str]) -> None:
    scorer = models.from_callable(answer, TEXTS)
    assert [target.name for target in scorer.targets] == names
    assert scorer.score([*TEXTS, "They."]).shape == (3, len(names))


def test_targets_may_be_given() -> None:
    scorer = models.from_callable(lambda texts: [3.0] * len(texts), TEXTS, [{"name": "stars", "low": 1, "high": 5}])
    assert scorer.targets == (Target("stars", 1.0, 5.0),) and scorer.range_declared
    with pytest.raises(ModelError, match="declared range"):
        models.from_callable(lambda texts: [3.0] * len(texts), TEXTS, ["score"]).score(TEXTS)


def test_an_object_that_scores_is_a_model() -> None:
    keyword = models.load("keyword:Rihanna=0.4")
    assert models.from_callable(keyword, TEXTS).fingerprint == keyword.fingerprint


@pytest.mark.parametrize(
    "bad",
    [3, None, object(), lambda: 1, lambda texts: 1, lambda texts: ["a"] * len(texts), lambda texts: [1.0], dict],
)
def test_what_is_no_model_is_told_in_one_sentence(bad: Any) -> None:
    with pytest.raises(ModelError):
        models.from_callable(bad, TEXTS)


def test_the_fingerprint_changes_with_code_closure_defaults_and_globals() -> None:
    def fresh(source: str, **scope: Any) -> str:
        exec(source, scope)
        return what_it_depends_on(scope["f"])

    plain = "def f(texts):\n    return [len(t) for t in texts]\n"
    assert fresh(plain) == fresh("\n\n" + plain) != ""
    assert fresh(plain) != fresh(plain.replace("len(t)", "len(t) + 1"))
    assert what_it_depends_on(length_above(3)) == what_it_depends_on(length_above(3))
    assert what_it_depends_on(length_above(3)) != what_it_depends_on(length_above(4))
    default = "def f(texts, k={}):\n    return [k] * len(texts)\n"
    assert fresh(default.format(1)) != fresh(default.format(2))
    uses = "def f(texts):\n    return [W.get(t, 0) for t in texts]\n"
    assert fresh(uses, W={"a": 1}) != fresh(uses, W={"a": 2}) != ""
    calls = "def f(texts):\n    return [g(t) for t in texts]\n"
    assert fresh(calls, g=length_above(1)) != fresh(calls, g=length_above(2))
    array = "def f(texts):\n    return np.exp(W) * len(texts)\n"
    assert fresh(array, np=np, W=np.arange(3)) != fresh(array, np=np, W=np.arange(3) + 1)
    words = "def f(texts):\n    return [bool(P.search(t)) for t in texts]\n"
    assert fresh(words, P=re.compile("a")) != fresh(words, P=re.compile("b"))
    a, b = [1], [2]
    assert fresh(uses, W=[a, b, a]) != fresh(uses, W=[a, b, b])


@pytest.mark.parametrize(
    "source",
    [
        "def f(texts):\n    return clf.predict(texts)\n",
        "def f(texts):\n    return [float(t) for t in open('x')]\n",
        "def f(texts):\n    import requests\n    return requests.get(texts[0])\n",
        "def f(texts):\n    return np.random.rand(len(texts))\n",
        "class C:\n    def __call__(self, texts):\n        return [1.0] * len(texts)\nf = C()\n",
        "import random\ndef f(texts):\n    return [random.gauss() for _ in texts]\n",
    ],
)
def test_what_cannot_be_seen_is_not_remembered(source: str) -> None:
    scope: dict[str, Any] = {"clf": SimpleNamespace(predict=len), "np": np}
    exec(source, scope)
    assert what_it_depends_on(scope["f"]) == ""


def test_a_function_that_cannot_be_seen_through_has_another_fingerprint_each_time() -> None:
    state = SimpleNamespace(weight=1.0)

    def score(texts: list[str]) -> list[float]:
        return [state.weight] * len(texts)

    scorers = [models.from_callable(score, TEXTS) for _ in range(2)]
    assert not scorers[0].cacheable and scorers[0].fingerprint != scorers[1].fingerprint
    score.fingerprint = "mine-1"  # type: ignore[attr-defined]
    assert models.from_callable(score, TEXTS).cacheable
