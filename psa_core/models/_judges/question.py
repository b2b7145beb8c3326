"""Questions for judges: JSON files with a prompt, the possible answers and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs import json_file
from psa_core.models._answers import as_targets, reason
from psa_core.registry import ASSETS

FOLDER = ASSETS / "questions"
KEYS = ("title", "summary", "prompt", "answers", "target", "meaning", "low", "high")
TEXT, ANSWERS = "{text}", "{answers}"
MAX_BYTES = 64 * 2**10
MAX_ANSWERS, MAX_ANSWER_LENGTH, MAX_VALUE = 100, 200, 1e30
EXPECTED = f"a JSON object with {', '.join(KEYS[2:5])} (and {', '.join((*KEYS[:2], *KEYS[5:]))})"


@dataclass(frozen=True)
class Question:
    """What a judge is asked about a text.

    Attributes
    ----------
    prompt : str
        Holds ``{text}`` once, and ``{answers}`` where the answers are to be listed.
    answers : tuple of str
        In the order in which the prompt lists them.
    values : tuple of float
        What each answer counts; the target is the sum of P(answer) x value.
    target : Target
    """

    title: str
    summary: str
    prompt: str
    answers: tuple[str, ...]
    values: tuple[float, ...]
    target: Target

    @cached_property
    def listed(self) -> str:
        """The answers as a prompt lists them: *Yes or No*."""
        return " or ".join(filter(None, [", ".join(self.answers[:-1]), self.answers[-1]]))

    @cached_property
    def around(self) -> tuple[str, str]:
        """What stands before and after the text."""
        before, after = (part.replace(ANSWERS, self.listed) for part in self.prompt.split(TEXT))
        return before, after

    def about(self, text: str) -> str:
        """The whole question about one text."""
        before, after = self.around
        return before + text + after

    def swapped(self) -> Question:
        """The same question with its answers listed in the opposite order."""
        return Question(self.title, self.summary, self.prompt, self.answers[::-1], self.values[::-1], self.target)

    def score(self, logs: np.ndarray) -> np.ndarray:
        """The target from log-probabilities of the answers (B, A), which need not add up to 1: float32 (B, 1)."""
        from scipy.special import softmax

        expected = softmax(np.asarray(logs, np.float64), axis=1) @ np.array(self.values)
        return np.clip(expected, self.target.low, self.target.high).astype(np.float32)[:, np.newaxis]


def packaged() -> dict[str, Path]:
    """The questions that come with the project, by id."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.json"))}


def read_question(name: str) -> Question:
    """A packaged question by its id, or any by its file.

    Raises
    ------
    ModelError
        When there is none, or it is not one.
    """
    path = packaged().get(name, Path(name))
    if not path.is_file():
        expected = f"one of {', '.join(packaged())}, or a .json file"
        raise ModelError("question", got=f"{name!r}, which is neither", expected=expected)
    try:
        content = json_file.read(path, MAX_BYTES)
    except ValueError as error:
        got = f"{path.name}, which is no JSON of a question ({reason(error)})"
        raise ModelError("question", got=got, expected=EXPECTED) from error
    return _question(content, path.stem)


def _question(content: dict[str, Any], stem: str) -> Question:
    if not isinstance(content.get("answers"), dict) or set(content) - set(KEYS):
        raise ModelError("question", got=f"{stem}, which is not laid out as one", expected=EXPECTED)
    answers = tuple(str(answer) for answer in content["answers"])
    prompt = content.get("prompt")
    if not isinstance(prompt, str) or prompt.count(TEXT) != 1:
        raise ModelError("question prompt", got=f"{prompt!r:.80}", expected=f"a text that holds {TEXT} once")
    _check_answers(answers)
    values = _values(content)
    low, high = content.get("low", min(values)), content.get("high", max(values))
    title = str(content.get("title") or stem)
    meaning = str(content.get("meaning") or f"P({answers[0]}) among {', '.join(answers)}: {title}")
    described = {"name": str(content.get("target") or stem), "low": low, "high": high, "meaning": meaning}
    (target,) = as_targets([described], source="question")
    if not all(target.low <= value <= target.high for value in values):
        raise ModelError(
            "question answers", got=f"values {values}"[:200], expected=f"{target.low:g} to {target.high:g}"
        )
    return Question(title, str(content.get("summary") or title), prompt, answers, values, target)


def _values(content: dict[str, dict[str, object]]) -> tuple[float, ...]:
    try:
        values = tuple(float(value) for value in content["answers"].values())  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        got = f"{list(content['answers'].values())!r:.80}"
        raise ModelError("question answers", got=got, expected="a number for each answer") from error
    if len(set(values)) < 2 or not all(abs(value) < MAX_VALUE for value in values):
        raise ModelError(
            "question answers", got=f"the values {values}"[:200], expected="at least two different numbers"
        )
    return values


def _check_answers(answers: Sequence[str]) -> None:
    """No answer may begin another one: its probability would hold the other's."""
    if len(answers) > MAX_ANSWERS:
        raise ModelError("question answers", got=f"{len(answers):,}", expected=f"at most {MAX_ANSWERS}")
    if len(answers) < 2 or any(
        answer != answer.strip() or not 0 < len(answer) <= MAX_ANSWER_LENGTH for answer in answers
    ):
        expected = f"two or more words or phrases of at most {MAX_ANSWER_LENGTH} letters"
        raise ModelError("question answers", got=repr(list(answers))[:80], expected=expected)
    for one in answers:
        for other in answers:
            if one is not other and other.casefold().startswith(one.casefold()):
                got = f"{one[:80]!r}, which is how {other[:80]!r} begins"
                raise ModelError("question answers", got=got, expected="answers that begin differently")
