from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core.errors import ModelError
from psa_core.models._judges.question_file import packaged, read_question

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
    np.testing.assert_allclose(question.score(logs), [[0.2, 0.5], [0.2, 0.995]], rtol=1e-6)
    swapped = question.swapped().score(logs[:, ::-1])
    np.testing.assert_allclose(swapped, [[0.2, 0.5], [0.2, 0.995]], rtol=1e-6)


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


NUMBER = {"prompt": "How good? {answers}\n{text}", "number": {"low": 1, "high": 10}, "target": "good"}
PICK = {"prompt": "A:\n{first_text}\nB:\n{second_text}\nWhich? {answers}", "pick": ["A", "B"], "target": "first"}


def test_choice_is_the_new_name_of_answers(tmp_path: Path) -> None:
    new = {key: value for key, value in PLAIN.items() if key != "answers"} | {"choice": PLAIN["answers"]}
    assert read_question(written(tmp_path, new)).identity == read_question(written(tmp_path, PLAIN)).identity


def test_a_system_message_goes_first(tmp_path: Path) -> None:
    question = read_question(written(tmp_path, PLAIN | {"system": "Say {answers}."}))
    assert question.messages("she") == (
        {"role": "system", "content": "Say Yes or No."},
        {"role": "user", "content": "Is it so?\nshe\nYes or No"},
    )


def test_a_number_has_a_scale(tmp_path: Path) -> None:
    question = read_question(written(tmp_path, NUMBER))
    assert question.about("Fine.") == "How good? a number from 1 to 10\nFine."
    assert (question.target.low, question.target.high) == (1, 10) and question.values == tuple(range(1, 11))
    logs = np.log(np.full((1, 10), 0.05))
    np.testing.assert_allclose(question.score(logs), [[5.5, 0.5]], rtol=1e-6)
    money = read_question(written(tmp_path, NUMBER | {"number": {"low": 0, "high": 5e6, "step": 1, "unit": "$"}}))
    assert money.answers == () and money.scale is not None and money.scale.count == 5_000_001


def test_a_pick_shows_two_documents_in_both_orders(tmp_path: Path) -> None:
    question = read_question(written(tmp_path, PICK))
    assert question.about("one\n---\ntwo") == "A:\none\nB:\ntwo\nWhich? A or B"
    assert question.swapped().about("one\n---\ntwo") == "A:\ntwo\nB:\none\nWhich? A or B"
    logs = np.log([[0.6, 0.2]])  # A is likely: in the one order that is the first document, in the other the second
    assert question.score(logs)[0, 0] == pytest.approx(0.75) and question.swapped().score(logs)[0, 0] == pytest.approx(
        0.25
    )
    other = read_question(written(tmp_path, PICK | {"other": "the rival"}))
    assert other.about("one").startswith("A:\none\nB:\nthe rival")
    with pytest.raises(ModelError, match="a line ---"):
        question.about("one")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (PLAIN | {"number": {"low": 1, "high": 2}}, "2 of them"),
        ({"prompt": "{text}"}, "0 of them"),
        (NUMBER | {"number": {"low": 1}}, '"high": 10'),
        (NUMBER | {"number": {"low": 5, "high": 1}}, "low below high"),
        (NUMBER | {"number": {"low": 1, "high": 10, "step": 4}}, "leads from low to high"),
        (NUMBER | {"number": {"low": 0, "high": 1e9}}, "in at most"),
        (NUMBER | {"number": {"low": 0, "high": 9, "unit": "m2"}}, "without digits"),
        (PICK | {"prompt": "{text}"}, r"\{first_text\} and \{second_text\}"),
        (PICK | {"pick": ["A", "A"]}, "two or more"),
        (PICK | {"pick": "A"}, "two labels"),
        (PLAIN | {"other": "x"}, "in a pick only"),
        (PLAIN | {"think": -1}, "tokens"),
        (PLAIN | {"think": 100, "marker": "Final:"}, "asks for it"),
        (PLAIN | {"marker": "Yes"}, "think"),
        (PLAIN | {"pattern": "Rating:"}, "once"),
        (PLAIN | {"system": 3}, "a text"),
    ],
)
def test_what_is_wrong_in_a_question_is_told(tmp_path: Path, content: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        read_question(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "meaning", "phrase", "unit"),
    [
        ({"choice": {"Yes": 1, "No": 0}}, "P(Yes) among Yes, No: Rent?", "chance of “Yes” to “Rent?”", "points"),
        ({"choice": {"No": 0, "Yes": 1}}, "P(Yes) among No, Yes: Rent?", "chance of “Yes” to “Rent?”", "points"),
        (
            {"choice": {"Reject": -1, "Wait": 0, "Accept": 2}},
            "the mean of Reject = −1, Wait = 0, Accept = 2: Rent?",
            "answer (−1 = Reject to 2 = Accept) to “Rent?”",
            "",
        ),
        (
            {"choice": {"Yes": 1, "Maybe": 0.5, "No": 0}},
            "the mean of Yes = 1, Maybe = 0.5, No = 0: Rent?",
            "answer (0 = No to 1 = Yes) to “Rent?”",
            "",
        ),
        (
            {"number": {"low": 0, "high": 2000, "step": 50, "unit": "$"}},
            "the mean answer, a number from 0 to 2000 in steps of 50 ($), to: Rent?",
            "answer (0 to 2000 $) to “Rent?”",
            "",
        ),
    ],
)
def test_a_score_is_told_as_what_it_is(tmp_path: Path, content: Any, meaning: str, phrase: str, unit: str) -> None:
    """A chance of the answer that counts 1, where the others count 0, in whatever order; else a mean on its scale."""
    asked = read_question(written(tmp_path, {"title": "Rent?", "prompt": "{text} Answer with {answers}."} | content))
    assert (asked.target.meaning, asked.target.phrase, asked.target.unit) == (meaning, phrase, unit)
