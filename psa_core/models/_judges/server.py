"""A remote language model as a judge, by log-probabilities where offered, else by sampling."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._chat import ChatServer, said
from psa_core.models._endpoint import RefusedError
from psa_core.models._judges.question import Question

MAX_LISTED = 20
PROBE = "Alice left."
ANSWER = '{"choices": [{"logprobs": {"content": [{"top_logprobs": [{"token": …, "logprob": …}]}]}}]}'
# Words of a sampled answer that are looked through for one of the answers.
WORDS = 16


@dataclass(frozen=True)
class ChatJudge:
    """A question, asked of a server about each text.

    Attributes
    ----------
    server : ChatServer
    question : Question
    fingerprint : str
    samples : int
        Answers drawn per text at temperature 1; 0 = by the log-probabilities of the first token.
    parallel : int
        Requests under way at once.
    """

    server: ChatServer
    question: Question
    fingerprint: str
    samples: int = 0
    parallel: int = 4

    @property
    def targets(self) -> tuple[Target, ...]:
        """The question's one target; how it was measured is part of its meaning."""
        target = self.question.target
        return (replace(target, meaning=f"{target.meaning}; {self.how}"),)

    @property
    def how(self) -> str:
        """How an answer is measured, in plain words."""
        if self.samples:
            return f"the share over {self.samples} sampled answers, in steps of {1 / self.samples:.3g}"
        return f"from the log-probabilities of the {MAX_LISTED} likeliest first tokens that the server lists"

    @property
    def batch(self) -> int:
        """Texts between two looks at whether to stop."""
        return self.parallel

    @property
    def about(self) -> str:
        """Who is asked what, in plain words."""
        asked = f"asked “{self.question.title}” with the answers {self.question.listed}"
        return f"{self.server.model} at {self.server.shown}, {asked}; {self.how}"

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores in the order of the texts: float32 array (len(texts), 1).

        Raises
        ------
        ModelError
            When the server does not answer, refuses, or answers with something else.
        """
        texts = as_texts(texts)
        if not texts:
            return np.empty((0, 1), np.float32)
        with ThreadPoolExecutor(self.parallel, thread_name_prefix="judge") as pool:
            asked = [pool.submit(self._logs, text) for text in texts]
            try:
                logs = np.stack([answer.result() for answer in asked])
            finally:
                for answer in asked:  # when one fails, the others are not sent
                    answer.cancel()
        return self.question.score(logs)

    def _logs(self, text: str) -> np.ndarray:
        return self._shares(text) if self.samples else self._listed(text)

    def _listed(self, text: str) -> np.ndarray:
        """Log-probability of each answer's first token among those that the server lists: float64 (A,)."""
        options = {"max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": MAX_LISTED}
        listed = first_tokens(self.server.choices(self.question.about(text), **options)[0])
        if listed is None:
            raise ModelError(self.server.shown, got="an answer without logprobs", expected=ANSWER)
        return answer_logs(listed, self.question.answers, source=self.server.shown)

    def _shares(self, text: str) -> np.ndarray:
        """Log of the share of each answer among those sampled: float64 (A,)."""
        counts = np.zeros(len(self.question.answers))
        words = [""]
        for seed in range(self.samples):
            options = {"max_tokens": WORDS, "temperature": 1.0, "seed": seed}
            words = [
                said(choice, self.server.shown) for choice in self.server.choices(self.question.about(text), **options)
            ]
            chosen = which_answer(words[0], self.question.answers)
            if chosen is not None:
                counts[chosen] += 1
        if not counts.any():
            got = f"{self.samples} answers such as {_plain(words[0])!r}"
            raise ModelError(self.server.shown, got=got, expected=f"{self.question.listed} in one of them")
        with np.errstate(divide="ignore"):
            return np.log(counts / counts.sum())


def first_tokens(choice: Mapping[str, Any]) -> dict[str, float] | None:
    """Log-probability of the likeliest first tokens of a choice, or None where the server gives none."""
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    try:
        rows = content[0]["top_logprobs"] or [content[0]]  # type: ignore[index]
        found: dict[str, float] = {}
        for row in rows:
            number = float(row["logprob"])
            if not number <= 0.001 or math.isnan(number):
                return None
            found[str(row["token"])] = max(number, found.get(str(row["token"]), -math.inf))
    except (TypeError, KeyError, IndexError, ValueError):
        return None
    return found or None


def answer_logs(listed: Mapping[str, float], answers: Sequence[str], *, source: str) -> np.ndarray:
    """Log-probability of each answer from listed first tokens: float64 (A,).

    A token counts for the answer that it begins, or that it is. An answer that no listed token begins is less likely
    than each of them, and than all that they leave over; it counts as the smaller of the two.

    Raises
    ------
    ModelError
        When no listed token begins an answer.
    """
    shares = np.zeros(len(answers))
    for token, log in listed.items():
        begun = [i for i, answer in enumerate(answers) if token.strip() and answer.startswith(token.strip())]
        if len(begun) == 1:
            shares[begun[0]] += math.exp(log)
    if not shares.any():
        got = f"first words such as {_plain(max(listed, key=listed.__getitem__))!r}"
        raise ModelError(source, got=got, expected=f"one of {', '.join(answers)} among the {len(listed)} likeliest")
    likely = np.exp(list(listed.values()))
    unlisted = max(min(likely.min(), 1 - likely.sum()), np.finfo(float).tiny)
    return np.log(np.where(shares > 0, shares, unlisted))


def which_answer(words: str, answers: Sequence[str]) -> int | None:
    """Which answer somebody gave: the first that is there as a whole word; None where there is none."""
    plain = f" {_letters(words)} "
    places = [plain.find(f" {_letters(answer)} ") for answer in answers]
    there = [(place, i) for i, place in enumerate(places) if place >= 0]
    return min(there)[1] if there else None


def open_judge(server: ChatServer, question: Question, *, fingerprint: str, samples: int, parallel: int) -> ChatJudge:
    """A judge that asks in the better way that the server offers.

    Parameters
    ----------
    samples : int
        Answers per text where the server offers no log-probabilities.

    Raises
    ------
    ModelError
        When the server answers neither way.
    """
    judge = ChatJudge(server, question, f"{fingerprint}-logprobs", 0, parallel)
    options = {"max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": MAX_LISTED}
    try:
        offered = first_tokens(server.choices(question.about(PROBE), **options)[0])
    except RefusedError:
        offered = None
    if offered is None:
        judge = ChatJudge(server, question, f"{fingerprint}-{samples}-samples", samples, parallel)
        said(server.choices(question.about(PROBE), max_tokens=WORDS, temperature=1.0, seed=0)[0], server.shown)
    return judge


def _letters(words: str) -> str:
    """Lower case, one space for everything between words."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in words.casefold()).split())


def _plain(words: str) -> str:
    """Some words of a server, short and without what a terminal might obey."""
    return "".join(letter for letter in words[:40] if unicodedata.category(letter)[0] != "C")
