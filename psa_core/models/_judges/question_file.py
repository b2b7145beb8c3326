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
        _check(isinstance(content.get(field, ""), str), field, f"{content.get(field)!r:.80}", "a text")
    title = content.get("title") or stem
    prompt = _prompt(content, kind)
    scale = None
    if kind == "number":
        scale = _scale(content["number"])
        listed = scale.values if scale.count <= MAX_LISTED_NUMBERS else np.empty(0)  # too fine to list
        answers, values = tuple(map(written, listed)), tuple(map(float, listed))
        low, high, meaning = scale.low, scale.high, f"the mean answer, {scale.words}, to: {title}"
        unit = f" {scale.unit}" if scale.unit else ""
        phrase = f"answer ({_shown(low)} to {_shown(high)}{unit}) to “{title}”"
    else:
        answers, values = _choice(content[kind]) if kind == "choice" else _pick(content[kind])
        low, high = min(values), max(values)
        counted = dict(zip(values, answers, strict=True))
        meaning = (
            f"the mean of {', '.join(f'{a} = {_shown(v)}' for a, v in zip(answers, values, strict=True))}: {title}"
        )
        phrase = f"answer ({_shown(low)} = {counted[low]} to {_shown(high)} = {counted[high]}) to “{title}”"
        phrase = "" if content.get("target") else phrase  # a name of its own says more
    low, high = content.get("low", low), content.get("high", high)
    # One answer counts 1 and all others 0: the score is a chance, told in points of a hundred.
    is_chance = scale is None and sorted(values) == [0.0] * (len(values) - 1) + [1.0] and (low, high) == (0, 1)
    if kind == "pick":
        meaning, phrase = f"P(the first document is picked): {title}", "chance that the first document is picked"
    elif is_chance:
        yes = answers[values.index(1)]
        meaning, phrase = f"P({yes}) among {', '.join(answers)}: {title}", f"chance of “{yes}” to “{title}”"
    phrase = content.get("phrase") or phrase
    described = {"name": content.get("target") or stem, "low": low, "high": high}
    (target,) = as_targets([described | {"meaning": content.get("meaning") or meaning}], source="question")
    target = replace(target, phrase=phrase[:MAX_WORDS], unit="points" if is_chance else "")
    fit = all(target.low <= value <= target.high for value in values or (low, high))
    _check(fit, "answers", f"values {values}"[:200], f"{target.low:g} to {target.high:g}")
    system, pattern = content.get("system", ""), content.get("pattern", "")
    think, marker = _thought(content, prompt + system)
    fit = pattern.count(ANSWER) == 1 and len(pattern) <= MAX_WORDS and pattern.strip() != ANSWER
    expected = f"words with {ANSWER} once, such as 'Rating: {ANSWER}'"
    _check(not pattern or fit, "pattern", f"{pattern!r:.80}", expected)
    more = {"system": system, "scale": scale, "think": think, "marker": marker, "pattern": pattern}
    more |= {"summary": content.get("summary") or title, "other": content.get("other", "")}
    return Question(title, prompt=prompt, answers=answers, values=values, target=target, kind=kind, **more)


def _shown(value: float) -> str:
    """A value of an answer as a sentence has it, with a real minus sign."""
    return written(value).replace("-", "−")


def _check(holds: object, field: str, got: str, expected: str) -> None:
    if not holds:
        raise ModelError(f"question {field}", got=got, expected=expected)


def _prompt(content: dict[str, Any], kind: str) -> str:
    prompt = content.get("prompt")
    places = (FIRST, SECOND) if kind == "pick" else (TEXT,)
    fit = isinstance(prompt, str) and all(prompt.count(place) == 1 for place in places)
    _check(fit, "prompt", f"{prompt!r:.80}", f"a text that holds {' and '.join(places)} once")
    wrong = [place for place in (TEXT, FIRST, SECOND) if place not in places and place in str(prompt)]
    _check(not wrong, "prompt", "".join(wrong[:1]), f"{' and '.join(places)} in a {kind}")
    _check(not content.get("other") or kind == "pick", "other", f"one beside {kind}", "it in a pick only")
    return str(prompt)


def _pick(labels: Any) -> tuple[tuple[str, ...], tuple[float, ...]]:
    given = ["First", "Second"] if labels is True else labels
    fit = isinstance(given, list) and len(given) == 2 and all(isinstance(label, str) for label in given)
    _check(fit, "pick", f"{labels!r:.80}", 'true, or two labels such as ["A", "B"]')
    return _choice({given[0]: 1, given[1]: 0})


def _choice(choice: Any) -> tuple[tuple[str, ...], tuple[float, ...]]:
    _check(isinstance(choice, dict), "choice", f"{choice!r:.80}", 'answers and numbers: {"Yes": 1, "No": 0}')
    answers = tuple(str(answer) for answer in choice)
    _check(len(answers) <= MAX_ANSWERS, "answers", f"{len(answers):,}", f"at most {MAX_ANSWERS}")
    fit = len(answers) > 1 and all(each == each.strip() and 0 < len(each) <= MAX_ANSWER_LENGTH for each in answers)
    expected = f"two or more words or phrases of at most {MAX_ANSWER_LENGTH} letters"
    _check(fit, "answers", repr(list(answers))[:80], expected)
    for one, other in permutations(answers, 2):  # the probability of one would hold the other's
        differ = not other.casefold().startswith(one.casefold())
        got = f"{one[:80]!r}, which is how {other[:80]!r} begins"
        _check(differ, "answers", got, "answers that begin differently")
    try:
        values = tuple(float(value) for value in choice.values())
    except (TypeError, ValueError, OverflowError) as error:
        got = f"{list(choice.values())!r:.80}"
        raise ModelError("question answers", got=got, expected="a number for each answer") from error
    fit = len(set(values)) > 1 and all(abs(value) < MAX_VALUE for value in values)
    _check(fit, "answers", f"the values {values}"[:200], "at least two different numbers")
    return answers, values


def _scale(number: Any) -> Scale:
    """The scale of a number, which has ends, and a step that leads from one to the other."""
    example, got = '{"low": 1, "high": 10, "step": 1}', f"{number!r:.80}"
    fit = isinstance(number, dict) and not set(number) - {"low", "high", "step", "unit"}
    _check(fit, "number", got, f"{example}, and perhaps a unit")
    low, high, step = number.get("low"), number.get("high"), number.get("step", 1)
    are_numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (low, high, step))
    _check(are_numbers and all(abs(each) < MAX_VALUE for each in (low, high, step)), "number", got, example)
    _check(low < high and step > 0, "number", got, "low below high, and a step above 0")
    steps = (high - low) / step
    expected = f"a step that leads from low to high, in at most {MAX_NUMBERS:,}"
    _check(steps <= MAX_NUMBERS and abs(steps - round(steps)) <= 1e-6, "number", f"{steps:,.6g} steps", expected)
    unit = number.get("unit", "")
    fit = isinstance(unit, str) and len(unit) <= 20 and not any(letter.isdigit() for letter in unit)
    _check(fit, "number unit", f"{unit!r:.40}", "a short word or sign without digits")
    return Scale(float(low), float(high), float(step), unit)


def _thought(content: dict[str, Any], asked: str) -> tuple[int, str]:
    """Tokens of a thought, and the marker behind it if it is asked for."""
    think, marker = content.get("think", 0), content.get("marker", "").strip()
    fit = isinstance(think, int) and not isinstance(think, bool) and 0 <= think <= MAX_THOUGHT
    _check(fit, "think", f"{think!r:.40}", f"a number of tokens, 0 to {MAX_THOUGHT:,}")
    expected = "a prompt that asks for it" if think else "think (tokens) beside it"
    fit = think and marker in asked and len(marker) <= MAX_WORDS
    _check(not marker or fit, "marker", f"{marker!r:.80}", expected)
    return think, marker or (MARKER if think and MARKER in asked else "")
