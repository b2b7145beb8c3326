"""Read a language model's words strictly: the answer alone, JSON, or the reader's own pattern; else it is none."""

from __future__ import annotations

import json
import re
from typing import Any

from psa_core.asking.records import FILTER, Answer
from psa_core.models._judges.question import ANSWER, Question

#: Letters behind a thought, from the reply's end, in which an answer is looked for.
MAX_LETTERS = 20_000
KEYS = ("answer", "decision", "choice", "rating", "score", "value", "number")
_OPEN = re.compile(r"[<\[◁](think|thinking|thought|reasoning)[>\]▷]", re.IGNORECASE)
_CLOSED = re.compile(r"[<\[◁]/(think|thinking|thought|reasoning)[>\]▷]", re.IGNORECASE)
_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)
#: Marks of a language of markup, and tokens that end a turn: ``<answer>``, ``</s>``, ``<|im_end|>``.
_TAG = re.compile(r"<[/|]?[\w-]{1,20}\|?>")
#: What may stand around an answer; the last two have no width.
AROUND = " \t\r\n\"'“”‘’«»`*_#[]()<>\u200b\ufeff"
#: What may stand between the words of a marker or a pattern: ``**Rating**: 7 / 10``.
_BETWEEN = r"[\s*_`]*"
#: What may stand before it in a list.
BULLETS = "-•–—"
#: What may end it, beside that.
ENDS = ".!,:;…。"


def value_of(question: Question, answer: Answer) -> float | None:
    """What a reply counts, or None where it is no valid answer: refused, cut, or anything else than an answer.

    A thought may stand in its words, between ``<think>`` and ``</think>`` or before the marker that is asked for.

    Examples
    --------
    >>> from psa_core.models._judges.question_file import read_question
    >>> loan = read_question("loan")
    >>> value_of(loan, Answer("Yes.")), value_of(loan, Answer('{"answer": "no"}'))
    (1.0, 0.0)
    >>> value_of(loan, Answer("There is no reason to refuse, so yes.")) is None
    True
    """
    content = answer.content
    if answer.refusal or answer.finish_reason == FILTER or not content:
        return None
    # No may be the beginning of Nothing.
    if answer.finish_reason == "length" and question.think and content[-1].isalnum():
        return None
    words = without_thought(content)
    if words is None:
        return None
    if question.marker:
        markers = [*re.finditer(_written(question.marker), words, re.IGNORECASE)]
        if markers:
            words = words[markers[-1].end() :]
        elif not answer.thought and words == content:  # neither thought nor announced: it is part of a thought
            return None
    words = words[-MAX_LETTERS:].strip()
    if question.pattern:
        return _by_pattern(question, words)
    fenced = _FENCE.findall(words)
    block = fenced[0] if len(fenced) == 1 else words
    found = _alone(question, block if _FENCE.fullmatch(words) else words)
    return _in_json(question, block) if found is None else found


def without_thought(content: str) -> str | None:
    """A reply's words behind its thought; None where the thought does not end."""
    words = _CLOSED.split(content)[-1]
    return None if _OPEN.search(words) else words


def _alone(question: Question, words: str) -> float | None:
    """The value of an answer that stands alone but for quotes, emphasis and a full stop."""
    if question.scale is not None:
        return question.scale.value(_TAG.sub(" ", words).strip(AROUND).rstrip(AROUND + ENDS))
    # As it is written, or without the marks around it: an answer of the question may be "(A)".
    for plain in (str.casefold, bare):
        same = [place for place, answer in enumerate(question.answers) if plain(answer) == plain(words)]
        if plain(words) and len(same) == 1:
            return question.values[same[0]]
    return None


def bare(words: str) -> str:
    """An answer as it is compared: without case, marks around it and a full stop; one space between words."""
    plain = _TAG.sub(" ", words).strip(AROUND + BULLETS).rstrip(AROUND + BULLETS + ENDS)
    return " ".join(plain.casefold().split())


def _in_json(question: Question, words: str) -> float | None:
    """The value of an answer in a JSON object: under the target's name or a usual key, or as its only value."""
    if not words.startswith("{"):
        return None
    try:
        pairs: Any = json.loads(words, object_pairs_hook=tuple)  # a key may be there twice, with two answers
    except (ValueError, RecursionError):
        return None
    keys = {question.target.name.casefold(), *KEYS}
    named = [value for key, value in pairs if key.casefold() in keys]
    found = named or [value for _, value in pairs][: len(pairs) == 1]
    read = {_alone(question, str(each)) for each in found if isinstance(each, str | int | float)} - {None}
    return read.pop() if len(read) == 1 else None  # two answers are none


def _by_pattern(question: Question, words: str) -> float | None:
    """The value of what stands in the place of ``{answer}``, the last time that the pattern is there."""
    before, after = map(_written, question.pattern.split(ANSWER))
    begins = re.finditer(before or "^", words, re.IGNORECASE | re.MULTILINE)
    for begin in reversed([*begins]):
        line = words[begin.end() :].lstrip().partition("\n")[0]
        if end := re.search(after or "$", line, re.IGNORECASE):
            return _alone(question, line[: end.start()])
    return None


def _written(words: str) -> str:
    """A regular expression for words of a prompt as a model may repeat them: with other spaces, in bold."""
    parts = re.findall(r"\w+|[^\w\s]", words)
    # A word is whole: /10 is not the beginning of /100.
    begins = r"(?<!\w)" if parts and parts[0][0].isalnum() else ""
    ends = r"(?!\w)" if parts and parts[-1][0].isalnum() else ""
    return begins + _BETWEEN.join(map(re.escape, parts)) + ends
