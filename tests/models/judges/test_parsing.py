from __future__ import annotations

import pytest

from psa_core.asking import Answer
from psa_core.models._judges import parsing
from psa_core.models._judges.question import Question
from psa_core.models._judges.question_file import question_from

YES = question_from({"prompt": "Grant it? {text}", "choice": {"Yes": 1, "No": 0}}, "loan")
THINK = question_from(
    {"prompt": "Think, then write Answer: Yes or No. {text}", "choice": {"Yes": 1, "No": 0}, "think": 99}, "t"
)
SPLIT = question_from({"prompt": "Yes or No? {text}", "choice": {"Yes": 1, "No": 0}, "think": 99}, "s")
RATE = question_from({"prompt": "How good? {text}", "number": {"low": 1, "high": 10}}, "rating")
PAY = question_from({"prompt": "{text}", "number": {"low": 0, "high": 99_000, "step": 500, "unit": "$"}}, "pay")
TILT = question_from({"prompt": "{text}", "number": {"low": -3, "high": 3}}, "tilt")
FORM = question_from(
    {"prompt": "{text} Rating: <number>/10", "number": {"low": 1, "high": 10}, "pattern": "Rating: {answer}/10"}, "form"
)
OUT_OF = question_from({"prompt": "{text}", "number": {"low": 1, "high": 10}, "pattern": "{answer}/10"}, "out")
WAIT = question_from({"prompt": "{text}", "number": {"low": 0, "high": 60, "step": 5, "unit": "minutes"}}, "wait")
LABELS = question_from({"prompt": "{text}", "choice": {"(A)": 1, "(B)": 0}}, "labels")
STARS = question_from({"prompt": "{text}", "choice": {"***": 1, "+++": 0}}, "stars")


def value_of(question: Question, words: str, **more: str) -> float | None:
    return parsing.value_of(question, Answer(words, **more))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("Yes", 1),
        (" **no**.\n", 0),
        ("\u201cYES!\u201d", 1),
        ('{"answer": "yes"}', 1),
        ('```json\n{"decision": "No", "why": "late"}\n```', 0),
        ('{"loan": "Yes"}', 1),
        ("There is no reason to refuse, so yes.", None),
        ("Yes and no.", None),
        ("Yesterday", None),
        ('{"answer": true}', None),
        ('{"a": "Yes", "b": "No"}', None),
        ("", None),
        (None, None),
        ("I cannot help with that.", None),
        ("Yes,", 1),
        ("\u200bYes\u2026", 1),
        ("<answer>Yes</answer>", 1),
        ("No<|im_end|>", 0),
        ('Here it is:\n```json\n{"answer": "Yes"}\n```', 1),
        ('{"answer": "Yes", "decision": "No"}', None),
        ('{"answer": "Yes", "answer": "No"}', None),
        ('{"answer": null}', None),
        ('```JSON\n{"answer": "No"}\n```', 0),
        ("```text\nYes\n```", 1),
        ("I would say ```Yes``` here", None),
        ("- Yes", 1),
        ("# No", 0),
        ("Answer: Yes", None),
        ("Yes, because she pays.", None),
        ("...", None),
        ('{"answer": "Yes", "decision": "yes", "score": 9}', 1),
    ],
)
def test_a_choice_is_read_strictly(words: str | None, value: float | None) -> None:
    assert value_of(YES, words) == value


@pytest.mark.parametrize(
    ("question", "words", "value"),
    [
        (RATE, "7", 7),
        (RATE, "10.", 10),
        (RATE, "7.0", 7),
        (RATE, "11", None),
        (RATE, "7.5", None),
        (RATE, "7/10", None),
        (RATE, "7 or 8", None),
        (RATE, '{"rating": 7}', 7),
        (PAY, "$12,500", 12_500),
        (PAY, "12500 $", 12_500),
        (PAY, "12,50", None),
        (PAY, "$12,501", None),
        (PAY, "12 500", 12_500),
        (PAY, "12\u00a0500 $", 12_500),
        (PAY, "12\u2019500", 12_500),
        (PAY, "12.500", None),
        (TILT, "-2", -2),
        (TILT, "\u22122", -2),
        (TILT, "1 - 2", None),
        (FORM, "She writes well.\nRating: 8/10", 8),
        (FORM, "Rating: 8/10 at first, but then Rating: **6**/10.", 6),
        (FORM, "8", None),
        (FORM, "**Rating**: 8 / 10", 8),
        (FORM, "Rating: 8/100", None),
        (FORM, "Overrating: 8/10", None),
        (FORM, "Rating:\n8/10", 8),
        (OUT_OF, "7/10", 7),
        (OUT_OF, "She writes well.\n7/10.", 7),
        (WAIT, "15 Minutes", 15),
        (WAIT, "15 min", None),
    ],
)
def test_a_number_is_one_of_its_scale(question: Question, words: str, value: float | None) -> None:
    assert value_of(question, words) == value


def test_a_thought_is_no_answer() -> None:
    assert value_of(YES, "<think>No? No.</think>Yes") == 1
    assert value_of(YES, "<think>Yes") is None
    assert value_of(YES, "[THINK]No.[/THINK]Yes") == value_of(YES, "\u25c1think\u25b7No.\u25c1/think\u25b7Yes") == 1
    assert value_of(THINK, "She pays. I say no. Answer: Yes") == 1
    assert value_of(THINK, "Answer: is it No? Then Answer: Yes, and") is None
    assert value_of(THINK, "Yes") is None
    assert value_of(THINK, "Yes", thought="She pays.") == 1
    assert value_of(THINK, "She pays. **Answer**: No") == 0
    assert value_of(THINK, "<think>" + "so " * 9_000 + "Answer: Yes") is None
    assert value_of(SPLIT, "No", thought="She pays.") == 0
    assert value_of(SPLIT, "", thought="She pa", finish_reason="length") is None


def test_marks_may_belong_to_an_answer() -> None:
    assert value_of(LABELS, "(a)") == value_of(LABELS, "A.") == value_of(LABELS, "**(A)**") == 1
    assert value_of(STARS, "***") == 1 and value_of(STARS, "+++") == 0 and value_of(STARS, "...") is None


def test_a_word_that_was_cut_is_no_answer() -> None:
    assert value_of(THINK, "She pays. Answer: No", finish_reason="length") is None
    assert value_of(THINK, "She pays. Answer: No.\n\n", finish_reason="length") == 0
    assert value_of(YES, "No", finish_reason="length") == 0  # too short for that


def test_what_is_refused_is_no_answer() -> None:
    assert value_of(YES, "No", refusal="I cannot judge people.") is None
    assert value_of(YES, "No", finish_reason="content_filter") is None
