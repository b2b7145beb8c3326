from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core.errors import ModelError
from psa_core.models._judges.question import packaged, read_question

PLAIN = {"prompt": "Is it so?\n{text}\n{answers}", "answers": {"Yes": 1, "No": 0}, "target": "so"}


def written(folder: Path, content: Any) -> str:
    file = folder / "own.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return str(file)


def test_the_promised_questions_come_with_the_project() -> None:
    assert {"toxicity", "sentiment", "interview", "loan", "patient"} <= set(packaged())


@pytest.mark.parametrize("name", packaged())
def test_a_packaged_question_can_be_asked_both_ways(name: str) -> None:
    question = read_question(name)
    assert question.about("THE TEXT").count("THE TEXT") == 1 and "{" not in question.about("")
    assert question.about("") != question.swapped().about("")
    assert question.target.meaning and question.summary and question.title.endswith("?")


def test_a_file_is_a_question_and_its_range_is_that_of_its_values(tmp_path: Path) -> None:
    question = read_question(written(tmp_path, PLAIN | {"answers": {"Good": 2, "So-so": 0.5, "Bad": -1}}))
    assert question.listed == "Good, So-so or Bad"
    assert (question.target.name, question.target.low, question.target.high) == ("so", -1, 2)
    assert question.about("Hm {answers}") == "Is it so?\nHm {answers}\nGood, So-so or Bad"


def test_the_score_is_the_mean_value_of_the_answers_whatever_their_total(tmp_path: Path) -> None:
    question = read_question(written(tmp_path, PLAIN | {"answers": {"Good": 1, "Hm": 0, "Bad": -1}}))
    logs = np.log([[0.2, 0.2, 0.1], [0.002, 0.002, 0.001]])
    np.testing.assert_allclose(question.score(logs), [[0.2], [0.2]], rtol=1e-6)
    np.testing.assert_allclose(question.swapped().score(logs[:, ::-1]), [[0.2], [0.2]], rtol=1e-6)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no JSON"),
        ("[1]", "no object"),
        ("[" * 50_000, "no JSON"),
        (PLAIN | {"answers": {"Yes": 10**400, "No": 0}}, "a number for each"),
        (PLAIN | {"prompt": "{text} \ud800"}, "no JSON"),
        (PLAIN | {"answers": {f"{n} is": n for n in range(101)}}, "at most 100"),
        (PLAIN | {"prompt": "no place"}, r"holds \{text\} once"),
        (PLAIN | {"prompt": "{text} {text}"}, r"holds \{text\} once"),
        (PLAIN | {"answers": {"Yes": 1}}, "two or more"),
        (PLAIN | {"answers": {"Yes": 1, "Yes, sir": 0}}, "begins"),
        (PLAIN | {"answers": {"Yes": 1, "No": 1}}, "different numbers"),
        (PLAIN | {"answers": {"Yes": 1, "No": "none"}}, "a number for each"),
        (PLAIN | {"answers": {"Yes": 1, " ": 0}}, "two or more"),
        (PLAIN | {"answers": {"Yes": 1, "N" * 201: 0}}, "at most 200 letters"),
        (PLAIN | {"low": 0.5}, "0.5 to 1"),
        (PLAIN | {"extra": 1}, "not laid out"),
        ("x" * 70_000, "larger than 64 KB"),
    ],
)
def test_what_is_no_question_is_told(tmp_path: Path, content: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        read_question(written(tmp_path, content))


def test_an_unknown_question_is_told() -> None:
    with pytest.raises(ModelError, match=r"neither.*toxicity"):
        read_question("nowhere")
