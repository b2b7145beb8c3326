"""Questions for judges as files: JSON with what is asked and what counts as an answer, checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.inputs import json_file
from psa_core.models._answers import as_targets, reason
from psa_core.models._judges.question import ANSWER, FIRST, MAX_LISTED_NUMBERS, SECOND, TEXT, Question, Scale, written
from psa_core.registry import ASSETS

FOLDER = ASSETS / "questions"
KINDS = ("choice", "number", "pick")
WORDS = ("title", "summary", "system", "target", "meaning", "phrase", "pattern", "marker", "other")
KEYS = ("prompt", *KINDS, "answers", *WORDS, "think", "low", "high")
MARKER = "Answer:"
MAX_BYTES = 64 * 2**10
MAX_ANSWERS, MAX_ANSWER_LENGTH, MAX_VALUE, MAX_WORDS, MAX_THOUGHT = 100, 200, 1e30, 200, 32_768
#: Numbers on a scale that may be asked for.
MAX_NUMBERS = 10_000_000
EXPECTED = "a JSON object with a prompt, one of choice, number and pick, and perhaps " + ", ".join(
    (*WORDS, "think", "low", "high")
)


def packaged() -> dict[str, Path]:
    """The questions that come with the project, by id."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.json"))}


def read_question(name: str) -> Question:
    """A packaged question by its id, or any by its file; raises `ModelError` when there is none, or it is not one."""
    path = packaged().get(name, Path(name))
    if not path.is_file():
        expected = f"one of {', '.join(packaged())}, or a .json file"
        raise ModelError("question", got=f"{name!r}, which is neither", expected=expected)
    try:
        content = json_file.read(path, MAX_BYTES)
    except ValueError as error:
        got = f"{path.name}, which is no JSON of a question ({reason(error)})"
        raise ModelError("question", got=got, expected=EXPECTED) from error
    return question_from(content, path.stem)


def needs_of_question(options: Mapping[str, str]) -> tuple[trust.Need, ...]:
    """What reading the question that the options of a model name does: nothing for a packaged one."""
    name = options.get("question", "")
    return () if not name or name in packaged() else (trust.Need(trust.Kind.PATH, name),)


def question_from(content: dict[str, Any], stem: str) -> Question:
    """A question from the content of its file; `stem` is its name where it gives none.

    Raises `ModelError` with one sentence that names the field, what it got, and what was expected.

    Examples
    --------
    >>> content = {"prompt": "How good is this, {answers}? {text}", "number": {"low": 1, "high": 10}}
    >>> question_from(content, "so").about("Fine.")
    'How good is this, a number from 1 to 10? Fine.'
    """
    content = {("choice" if key == "answers" else key): value for key, value in content.items()}
    given = [kind for kind in KINDS if content.get(kind, False) is not False]
    if len(given) != 1 or set(content) - set(KEYS):
        unknown = ", ".join(sorted(set(content) - set(KEYS)))[:80]
        got = f"{stem}, which is not laid out as one ({f'unknown: {unknown}' if unknown else f'{len(given)} of them'})"
        raise ModelError("question", got=got, expected=EXPECTED)
    (kind,) = given
    for field in WORDS:
        if not isinstance(content.get(field, ""), str):
            raise ModelError(f"question {field}", got=f"{content[field]!r:.80}", expected="a text")
    prompt = _prompt(content, kind)
    scale = _scale(content["number"]) if kind == "number" else None
    answers, values = _answers(content, kind, scale)
    low, high = (scale.low, scale.high) if scale else (min(values), max(values))
    low, high = content.get("low", low), content.get("high", high)
    title = content.get("title") or stem
    meaning = content.get("meaning") or _meaning(kind, title, answers, scale)
    described = {"name": content.get("target") or stem, "low": low, "high": high, "meaning": meaning}
    # One answer counts 1 and all others 0: the score is a chance, told in points of a hundred.
    is_chance = scale is None and values[0] == 1 and not any(values[1:]) and (low, high) == (0, 1)
    chance = (
        f"chance of “{answers[0]}” to “{title}”" if kind == "choice" else "chance that the first document is picked"
    )
    phrase = content.get("phrase") or (chance if is_chance else f"answer to “{title}”" if scale else "")
    (described_target,) = as_targets([described], source="question")
    target = replace(described_target, phrase=phrase[:MAX_WORDS], unit="points" if is_chance else "")
    if not all(target.low <= value <= target.high for value in values or (low, high)):
        raise ModelError(
            "question answers", got=f"values {values}"[:200], expected=f"{target.low:g} to {target.high:g}"
        )
    system = content.get("system", "")
    think, marker = _thought(content, prompt + system)
    pattern = content.get("pattern", "")
    if pattern and (pattern.count(ANSWER) != 1 or len(pattern) > MAX_WORDS or pattern.strip() == ANSWER):
        got, expected = f"{pattern!r:.80}", f"words with {ANSWER} once, such as 'Rating: {ANSWER}'"
        raise ModelError("question pattern", got=got, expected=expected)
    more = {"system": system, "scale": scale, "think": think, "marker": marker, "pattern": pattern}
    summary = content.get("summary") or title
    other = content.get("other", "")
    return Question(title, summary, prompt, answers, values, target, kind, other=other, **more)


def _meaning(kind: str, title: str, answers: tuple[str, ...], scale: Scale | None) -> str:
    if kind == "pick":
        return f"P(the first document is picked): {title}"
    if scale is not None:
        return f"the mean answer, {scale.words}, to: {title}"
    return f"P({answers[0]}) among {', '.join(answers)}: {title}"


def _prompt(content: dict[str, Any], kind: str) -> str:
    prompt = content.get("prompt")
    places = (FIRST, SECOND) if kind == "pick" else (TEXT,)
    if not isinstance(prompt, str) or any(prompt.count(place) != 1 for place in places):
        raise ModelError(
            "question prompt", got=f"{prompt!r:.80}", expected=f"a text that holds {' and '.join(places)} once"
        )
    wrong = [place for place in (TEXT, FIRST, SECOND) if place not in places and place in prompt]
    if wrong:
        raise ModelError("question prompt", got=wrong[0], expected=f"{' and '.join(places)} in a {kind}")
    if content.get("other") and kind != "pick":
        raise ModelError("question other", got=f"one beside {kind}", expected="it in a pick only")
    return prompt


def _answers(content: dict[str, Any], kind: str, scale: Scale | None) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The answers and what each counts; none of a scale that is too fine to list."""
    if scale is not None:
        listed = scale.values if scale.count <= MAX_LISTED_NUMBERS else np.empty(0)
        return tuple(map(written, listed)), tuple(map(float, listed))
    choice = content[kind]
    if kind == "pick":
        labels = ["First", "Second"] if choice is True else choice
        if not isinstance(labels, list) or len(labels) != 2 or not all(isinstance(label, str) for label in labels):
            raise ModelError("question pick", got=f"{choice!r:.80}", expected='true, or two labels such as ["A", "B"]')
        choice = {labels[0]: 1, labels[1]: 0}
    if not isinstance(choice, dict):
        raise ModelError("question choice", got=f"{choice!r:.80}", expected='answers and numbers: {"Yes": 1, "No": 0}')
    answers = tuple(str(answer) for answer in choice)
    if len(answers) > MAX_ANSWERS:
        raise ModelError("question answers", got=f"{len(answers):,}", expected=f"at most {MAX_ANSWERS}")
    fit = all(answer == answer.strip() and 0 < len(answer) <= MAX_ANSWER_LENGTH for answer in answers)
    if len(answers) < 2 or not fit:
        expected = f"two or more words or phrases of at most {MAX_ANSWER_LENGTH} letters"
        raise ModelError("question answers", got=repr(list(answers))[:80], expected=expected)
    for one, other in permutations(answers, 2):  # the probability of one would hold the other's
        if other.casefold().startswith(one.casefold()):
            got = f"{one[:80]!r}, which is how {other[:80]!r} begins"
            raise ModelError("question answers", got=got, expected="answers that begin differently")
    return answers, _values(choice)


def _scale(number: Any) -> Scale:
    """The scale of a number; raises `ModelError` when it has no ends, or no step leads from one to the other."""
    example = '{"low": 1, "high": 10, "step": 1}'
    if not isinstance(number, dict) or set(number) - {"low", "high", "step", "unit"}:
        raise ModelError("question number", got=f"{number!r:.80}", expected=f"{example}, and perhaps a unit")
    low, high, step = number.get("low"), number.get("high"), number.get("step", 1)
    are_numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (low, high, step))
    if not are_numbers or not all(abs(each) < MAX_VALUE for each in (low, high, step)):  # type: ignore[arg-type]
        raise ModelError("question number", got=f"{number!r:.80}", expected=example)
    if not (low < high and step > 0):  # type: ignore[operator]
        raise ModelError("question number", got=f"{number!r:.80}", expected="low below high, and a step above 0")
    steps = (high - low) / step  # type: ignore[operator]
    if steps > MAX_NUMBERS or abs(steps - round(steps)) > 1e-6:
        expected = f"a step that leads from low to high, in at most {MAX_NUMBERS:,}"
        raise ModelError("question number", got=f"{steps:,.6g} steps", expected=expected)
    unit = number.get("unit", "")
    if not isinstance(unit, str) or len(unit) > 20 or any(letter.isdigit() for letter in unit):
        raise ModelError("question number unit", got=f"{unit!r:.40}", expected="a short word or sign without digits")
    return Scale(float(low), float(high), float(step), unit)  # type: ignore[arg-type]


def _thought(content: dict[str, Any], asked: str) -> tuple[int, str]:
    """Tokens of a thought, and the marker behind it if it is asked for; raises `ModelError` for what is neither."""
    think = content.get("think", 0)
    if not isinstance(think, int) or isinstance(think, bool) or not 0 <= think <= MAX_THOUGHT:
        raise ModelError("question think", got=f"{think!r:.40}", expected=f"a number of tokens, 0 to {MAX_THOUGHT:,}")
    marker = content.get("marker", "").strip()
    if marker and (not think or marker not in asked or len(marker) > MAX_WORDS):
        why = "a prompt that asks for it" if think else "think (tokens) beside it"
        raise ModelError("question marker", got=f"{marker!r:.80}", expected=why)
    return think, marker or (MARKER if think and MARKER in asked else "")


def _values(choice: dict[str, object]) -> tuple[float, ...]:
    try:
        values = tuple(float(value) for value in choice.values())  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        got = f"{list(choice.values())!r:.80}"
        raise ModelError("question answers", got=got, expected="a number for each answer") from error
    if len(set(values)) < 2 or not all(abs(value) < MAX_VALUE for value in values):
        raise ModelError(
            "question answers", got=f"the values {values}"[:200], expected="at least two different numbers"
        )
    return values
