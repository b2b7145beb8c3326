"""Read a language model's words strictly: the answer alone, JSON, or the reader's own pattern; else it is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from psa_core.models._judges.question import ANSWER, Question

#: Letters of a reply, from its end, in which an answer is looked for.
MAX_LETTERS = 20_000
KEYS = ("answer", "decision", "choice", "rating", "score", "value", "number")
_OPEN = re.compile(r"[<\[◁](think|thinking|thought|reasoning)[>\]▷]", re.IGNORECASE)
_CLOSED = re.compile(r"[<\[◁]/(think|thinking|thought|reasoning)[>\]▷]", re.IGNORECASE)
_THOUGHT = re.compile(f"{_OPEN.pattern}.*?{_CLOSED.pattern}", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-z]*\s*(.*?)\s*```", re.DOTALL)
#: Marks of a language of markup, and tokens that end a turn: ``<answer>``, ``</s>``, ``<|im_end|>``.
_TAG = re.compile(r"<[/|]?[\w-]{1,20}\|?>")
#: What may stand around an answer; the last two have no width.
AROUND = " \t\r\n\"'“”‘’«»`*_[]()<>\u200b\ufeff"
#: What may end it, beside that.
ENDS = ".!,:;…。"


def value_of(
    question: Question, content: str | None, *, thought: str = "", refusal: str = "", finish_reason: str = ""
) -> float | None:
    """What a reply counts, or None where it is no valid answer: refused, cut, or anything else than an answer.

    Parameters
    ----------
    content : str or None
        The reply's words; a thought may stand in them, between ``<think>`` and ``</think>`` or before the marker that
        the prompt asks for.
    thought : str
        What the provider itself split off as a thought.
    refusal, finish_reason : str
        As the provider says it.

    Examples
    --------
    >>> from psa_core.models._judges.question_file import read_question
    >>> loan = read_question("loan")
    >>> value_of(loan, "Yes."), value_of(loan, '{"answer": "no"}')
    (1.0, 0.0)
    >>> value_of(loan, "There is no reason to refuse, so yes.") is None
    True
    """
    if refusal or finish_reason == "content_filter" or not content:
        return None
    if finish_reason == "length" and question.think and content[-1].isalnum():  # No may be the beginning of Nothing
        return None
    words = _after_thought(question, content[-MAX_LETTERS:], thought)
    if words is None:
        return None
    if question.pattern:
        return _by_pattern(question, words)
    fenced = _FENCE.findall(words)
    found = _alone(question, words)
    return _in_json(question, fenced[0] if len(fenced) == 1 else words.strip()) if found is None else found


def _after_thought(question: Question, content: str, thought: str) -> str | None:
    """What follows the thought; None where the thought was cut, or no answer is announced behind it."""
    words = without_thought(content)
    if words is None:
        return None
    if not question.marker:
        return words
    place = words.casefold().rfind(question.marker.casefold())
    if place >= 0:
        return words[place + len(question.marker) :]
    return words if thought or words != content else None


def without_thought(content: str) -> str | None:
    """A reply's words behind its thought; None where the thought does not end."""
    words = _THOUGHT.sub("", content)
    return None if _OPEN.search(words) else _CLOSED.split(words)[-1]


def _alone(question: Question, words: str) -> float | None:
    """The value of an answer that stands alone but for quotes, emphasis and a full stop."""
    plain = _TAG.sub(" ", words).strip(AROUND).rstrip(AROUND + ENDS)
    if question.scale is not None:
        return question.scale.value(plain)
    same = [place for place, answer in enumerate(question.answers) if _letters(answer) == _letters(plain)]
    return question.values[same[0]] if same and plain else None


def _in_json(question: Question, words: str) -> float | None:
    """The value of an answer in a JSON object: under the target's name or a usual key, or as its only value."""
    if not words.startswith("{"):
        return None
    try:
        content: Any = json.loads(words)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, Mapping):
        return None
    lower = {str(key).casefold(): value for key, value in content.items()}
    named = [lower[key] for key in (question.target.name.casefold(), *KEYS) if key in lower]
    found = named or (list(content.values()) if len(content) == 1 else [])
    read = {_alone(question, str(each)) for each in found if not isinstance(each, bool | dict | list | None)} - {None}
    return read.pop() if len(read) == 1 else None  # two answers are none


def _by_pattern(question: Question, words: str) -> float | None:
    """The value of what stands in the place of ``{answer}``, the last time that the pattern is there."""
    before, after = (part.strip() for part in question.pattern.split(ANSWER))
    for line in reversed(words.splitlines()):
        place = line.casefold().rfind(before.casefold())
        if place < 0:
            continue
        rest = line[place + len(before) :]
        end = rest.casefold().find(after.casefold()) if after else len(rest)
        if end >= 0:
            return _alone(question, rest[:end])
    return None


def _letters(words: str) -> str:
    """As it is compared: without case, one space between words."""
    return " ".join(words.casefold().split())
