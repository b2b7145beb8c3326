"""A question for judges: what is asked about a text, in which orders, and what each answer counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from psa_core.cube import ORDER, SPREAD, SPREAD_OF_ANSWERS, UNANSWERED, Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._base import digest

TEXT, ANSWERS, FIRST, SECOND = "{text}", "{answers}", "{first_text}", "{second_text}"
#: The place of the answer in a reader's own pattern.
ANSWER = "{answer}"
#: Numbers on a scale whose probabilities can be added up.
MAX_LISTED_NUMBERS = 1_001
SAME = 1e-9
#: A log-probability at which an answer is never given.
IMPOSSIBLE = -500.0
ORDERS = ("given", "swapped", "averaged")
#: The line between the two documents of a pick.
BETWEEN = "\n---\n"
_LINE = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Scale:
    """The numbers that are valid answers: ``low``, ``low + step`` … ``high``.

    Examples
    --------
    >>> Scale(1, 10).value("7"), Scale(1, 10).value("7.5"), Scale(0, 2000, 50, "$").value("$1,250")
    (7.0, None, 1250.0)
    """

    low: float
    high: float
    step: float = 1.0
    unit: str = ""

    @property
    def count(self) -> int:
        return round((self.high - self.low) / self.step) + 1

    @property
    def values(self) -> np.ndarray:
        """All numbers on the scale, ascending: float64 (count,)."""
        return np.round(self.low + self.step * np.arange(self.count), 9)

    @property
    def words(self) -> str:
        """The scale as a prompt names it: *a number from 1 to 10*."""
        steps = "" if self.step == 1 else f" in steps of {self.step:g}"
        unit = f" ({self.unit})" if self.unit else ""
        return f"a number from {written(self.low)} to {written(self.high)}{steps}{unit}"

    def value(self, words: str) -> float | None:
        """The number that somebody wrote, with or without the unit; None where it is no number of the scale."""
        unit = self.unit.casefold()
        plain = words.strip().casefold().removeprefix(unit).removesuffix(unit).strip()
        plain = re.sub("^[\u2212\u2013]", "-", plain)
        # Thousands: 45,000, or with a (narrow, unbreakable) space or an apostrophe; 45.000 would be 45.
        if not re.fullmatch(r"[-+]?(\d+|\d{1,3}([, '’\u00a0\u202f]\d{3})+)(\.\d+)?", plain):
            return None
        number = float(re.sub(r"[^-+.\d]", "", plain))
        steps = (number - self.low) / self.step
        on_scale = self.low - SAME <= number <= self.high + SAME and abs(steps - round(steps)) < 1e-6
        return number if on_scale else None


@dataclass(frozen=True)
class Question:
    """What a judge is asked about a text, and what counts as an answer.

    The target is the sum of P(answer) x value over the `answers`: in the order in which the prompt lists them; of a
    number the numbers, or none where there are very many.
    """

    title: str
    summary: str
    prompt: str  # holds {text} once, or {first_text} and {second_text}, and {answers} where these are to be listed
    answers: tuple[str, ...]
    values: tuple[float, ...]
    target: Target
    kind: str = "choice"  # or number, pick
    system: str = ""
    scale: Scale | None = None  # of a number
    think: int = 0  # most tokens before the answer; 0 where the answer is asked for at once
    marker: str = ""  # what stands between a thought and the answer, where the prompt asks for it
    pattern: str = ""  # the reader's own form of an answer, "Rating: {answer}"
    other: str = ""  # of a pick: the second document, where a text holds only the first
    is_swapped: bool = False  # whether a pick shows its documents in the opposite order

    @cached_property
    def listed(self) -> str:
        """The answers as a prompt lists them: *Yes or No*, *a number from 1 to 10*."""
        if self.scale is not None:
            return self.scale.words
        return " or ".join(filter(None, [", ".join(self.answers[:-1]), self.answers[-1]]))

    @property
    def has_orders(self) -> bool:
        return self.kind != "number"

    def parts(self) -> tuple[str, str]:
        """What the prompt says before and after the text; of a pick, before the first and after the second document."""
        first, last = (FIRST, SECOND) if self.kind == "pick" else (TEXT, TEXT)
        if self.kind == "pick" and self.prompt.index(FIRST) > self.prompt.index(SECOND):
            first, last = last, first
        before, after = self.prompt[: self.prompt.index(first)], self.prompt[self.prompt.index(last) + len(last) :]
        return before.replace(ANSWERS, self.listed), after.replace(ANSWERS, self.listed)

    def inner(self, text: str) -> str:
        """What the prompt says between its two `parts` about a text: the text itself, or the two documents of a pick.

        These are a text's two parts with a line ``---`` between them, or the text and `other`. Raises `ModelError`
        where a pick finds one document only.
        """
        if self.kind != "pick":
            return text
        shown = [part.strip("\n") for part in _LINE.split(text)]
        if self.other and len(shown) == 1:
            shown = [text, self.other]
        if len(shown) != 2:
            got = f"a text with {len(shown)} document{'s' * (len(shown) != 1)}: {text[:60]!r}"
            raise ModelError("pick", got=got, expected="two, with a line --- between them, or “other” in the question")
        (start, first), (end, _) = sorted((self.prompt.index(place), place) for place in (FIRST, SECOND))
        between = self.prompt[start + len(first) : end].replace(ANSWERS, self.listed)
        one, two = shown if (first == FIRST) != self.is_swapped else shown[::-1]
        return one + between + two

    def about(self, text: str) -> str:
        before, after = self.parts()
        return before + self.inner(text) + after

    def messages(self, text: str) -> tuple[dict[str, str], ...]:
        """What a chat is sent about one text: the system message, if any, and the question."""
        system = ({"role": "system", "content": self.instruction},) if self.system else ()
        return (*system, {"role": "user", "content": self.about(text)})

    @property
    def instruction(self) -> str:
        """The system message, with the answers in their order."""
        return self.system.replace(ANSWERS, self.listed)

    def told(self, system: str) -> Question:
        """The same question behind one more system message."""
        return replace(self, system="\n\n".join(filter(None, [self.system, system])))

    def swapped(self) -> Question:
        """The same question with its answers listed, or its documents shown, in the opposite order."""
        if self.kind == "pick":
            return replace(self, is_swapped=not self.is_swapped, values=self.values[::-1])
        return replace(self, answers=self.answers[::-1], values=self.values[::-1])

    @property
    def key(self) -> str:
        """Tells this question, its answers and their order from others: what ids of requests begin with."""
        return digest(self.identity)[:8]

    @property
    def identity(self) -> tuple[str, ...]:
        """All of it that scores depend on."""
        said = (self.about("\0") if self.kind != "pick" else self.prompt, repr(self.answers), repr(self.values))
        rest = (self.kind, self.system, repr(self.scale), self.think, self.marker, self.pattern, self.other)
        return (*said, *map(str, rest), str(self.is_swapped))

    def targets(self, how: str, samples: int = 0) -> tuple[Target, ...]:
        """The question's target and, beside it, how much of what was answered is no answer.

        `how` says in plain words how an answer is measured; `samples` are answers to each text, 0 where its
        probabilities are known.
        """
        name, width = self.target.name, self.target.high - self.target.low
        share = "share of answers that" if samples else "chance of an answer that"
        phrase = f"{'share' if samples else 'chance'} of no valid answer to “{self.title}”"
        meaning = f"{share} is none of: {self.listed}"
        more: dict[str, Any] = {"phrase": phrase[:200], "unit": "points", "samples": samples}
        unanswered = Target(name + UNANSWERED, 0.0, 1.0, meaning, **more)
        main = replace(self.target, meaning=f"{self.target.meaning}; {how}", samples=samples)
        if not samples or self.is_two_valued:
            return (main, unanswered)
        meaning = f"{SPREAD_OF_ANSWERS} about one text, on the scale of {name}"
        return (main, unanswered, Target(name + SPREAD, 0.0, width / 2, meaning, unit=main.unit))

    @property
    def is_two_valued(self) -> bool:
        """Whether answers count as one of two numbers, so that a share says how they are spread."""
        return self.scale is None and len(set(self.values)) == 2

    def score(self, logs: np.ndarray) -> np.ndarray:
        """The targets from log-probabilities of the answers (B, A): float32 (B, 2).

        The expected value over the answers, whatever their sum, and what their sum leaves to anything else.
        """
        from scipy.special import logsumexp, softmax

        logs = np.asarray(logs, np.float64)
        none = logs.max(axis=1) < IMPOSSIBLE
        expected = softmax(logs, axis=1) @ np.array(self.values)
        missing = -np.expm1(np.minimum(logsumexp(logs, axis=1), 0.0))
        value = np.where(none, np.nan, np.clip(expected, self.target.low, self.target.high))
        return np.stack([value, missing], axis=1).astype(np.float32)

    def score_samples(self, values: list[float | None]) -> np.ndarray:
        """The targets from the values of sampled answers, None for no valid one: float32 (T,); NaN where none is."""
        valid = np.array([value for value in values if value is not None], np.float64)
        mean = valid.mean() if len(valid) else np.nan
        row = [mean, 1 - len(valid) / len(values) if values else 1.0]
        if not self.is_two_valued:
            row.append(valid.std() if len(valid) else np.nan)
        return np.array(row, np.float32)


def paired(first: str, second: str) -> str:
    """The text about which a pick is asked; a line inside a document like the one between them is written otherwise."""
    return BETWEEN.join(_LINE.sub("- - -", document) for document in (first, second))


def written(number: float) -> str:
    """A number as people write it: 7, 7.5, 1000."""
    return f"{number:.9f}".rstrip("0").rstrip(".")


def in_order(question: Question, order: str = "") -> list[Question]:
    """The questions that are asked: one, or for ``averaged`` two; `ModelError` for an unknown order.

    Without an order the one that is given, but both for a pick: models that cannot decide pick by the place.
    """
    order = order or ("averaged" if question.kind == "pick" else "given")
    if order not in ORDERS:
        raise ModelError("model option order", got=repr(order), expected=", ".join(ORDERS))
    if order != "given" and not question.has_orders:
        raise ModelError("model option order", got=f"{order}, of {question.listed}", expected="given")
    orders = {"given": [question], "swapped": [question.swapped()], "averaged": [question, question.swapped()]}
    return orders[order]


@dataclass(frozen=True)
class Averaged:
    """One judge asked in both orders of the answers, or of two documents: the mean, and how much the order matters.

    `given` and `swapped` have the same targets: the question's, `<target>_unanswered` and perhaps `<target>_spread`.
    """

    given: Any
    swapped: Any

    @property
    def fingerprint(self) -> str:
        return f"{self.given.fingerprint}+{self.swapped.fingerprint}"

    @property
    def targets(self) -> tuple[Target, ...]:
        target, *others = self.given.targets
        width = target.high - target.low
        is_pick = self.given.question.kind == "pick"
        place = "the first document shown first" if is_pick else "the answers as they are listed"
        meaning = f"{target.name} with {place} minus {target.name} in the opposite order"
        mean = replace(target, meaning=f"{target.meaning}; mean over both orders", samples=2 * target.samples)
        phrase = f"effect of the order on {target.name}"
        order = Target(target.name + ORDER, -width, width, meaning, phrase=phrase, unit=target.unit)
        return (mean, *(replace(other, samples=2 * other.samples) for other in others), order)

    @property
    def about(self) -> str:
        return f"{getattr(self.given, 'about', '')}; each text is asked about twice, in both orders"

    @property
    def batch(self) -> int:
        return int(getattr(self.given, "batch", 16))

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Means over both orders, then the difference of the target: float32 array (len(texts), T).

        A text that was answered in one order only has no score: the order's effect would stand in for the name's.
        """
        texts = as_texts(texts)
        first, second = self.given.score(texts), self.swapped.score(texts)
        mean = (first + second) / 2
        mean[:, 2:] = np.sqrt((first[:, 2:] ** 2 + second[:, 2:] ** 2) / 2)  # how answers spread within an order
        return np.hstack([mean, first[:, :1] - second[:, :1]]).astype(np.float32)
