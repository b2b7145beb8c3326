from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from psa_core.asking import Request
from psa_core.asking.records import read_answers
from psa_core.errors import ModelError

REQUEST = Request(({"role": "user", "content": "one"},), tag="abc")
GOOD = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7}}


def line(response: Any, error: Any = None, request: Request = REQUEST) -> str:
    return json.dumps({"custom_id": request.custom_id, "response": response, "error": error}) + "\n"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (line(None, {"code": "batch_expired", "message": "It was not done."}), "It was not done. (batch_expired)"),
        (line({"status_code": 400, "body": {"error": {"message": "No."}}}), "No."),
        (line({"status_code": 200, "body": {}}), "an answer without choices"),
        (line({"status_code": 200, "body": GOOD}, request=Request(())), "no answer in results.jsonl"),
    ],
)
def test_what_was_not_answered_says_why(written: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(written, "utf-8")
    (reply,) = read_answers(path).ask([REQUEST])
    assert reply.error == told and reply.answers == ()


def test_one_that_was_asked_again_is_taken_by_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    good, bad = line({"body": GOOD}), line(None, {"message": "later"})
    for written in (good + bad, bad + good):
        path.write_text(written, "utf-8")
        answers = read_answers(path)
        (reply,) = answers.ask([REQUEST])
        assert (reply.answers[0].content, reply.tokens_in) == ("Yes", 7)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "which is empty"),
        ("{", "line 1: no JSON"),
        ('{"a": 1}', "line 1: no custom_id"),
        (json.dumps(REQUEST.line("m")), "line 1: a request"),
    ],
)
def test_what_is_no_file_of_answers_is_told(content: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(content, "utf-8")
    with pytest.raises(ModelError, match=told):
        read_answers(path)
    with pytest.raises(ModelError, match="a file that exists"):
        read_answers(tmp_path / "none.jsonl")
