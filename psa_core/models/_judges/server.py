"""A remote language model as a judge, by log-probabilities where offered, else by sampling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from psa_core.asking import Answer, Asker, Reply, Request
from psa_core.asking.endpoint import RefusedError
from psa_core.asking.server import ANSWERS, ChatServer
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._judges.parsing import AROUND, ENDS, value_of, without_thought
from psa_core.models._judges.question import Question, paired

MAX_LISTED = 20
PROBE = "Alice left."
# Least tokens that a sampled answer may take.
WORDS = 16
# Tokens to look for the answer's first one in: it may stand behind a quotation mark or an asterisk.
FIRST = 3
# What stands around an answer as tokens show it: two signs for a space and one for a new line, too.
AROUND_A_TOKEN = AROUND + "\u0120\u2581\u010a"
# Of more numbers than are listed: the share of the model's probability that those listed must have.
SEEN = 0.9


@dataclass(frozen=True)
class ChatJudge:
    """A question, asked about each text of whoever carries requests to a model (a server, a file of answers)."""

    asker: Asker
    question: Question
    fingerprint: str
    samples: int = 0  # answers drawn per text at temperature 1; 0 = by the log-probabilities of the first token
    batch: int = 4  # texts between two looks at whether to stop
    of: str = ""  # the model, as people call it
    chunk_seconds: float = 8.0  # how long the requests of one call of `score` should take together

    @property
    def targets(self) -> tuple[Target, ...]:
        return self.question.targets(self.how, self.samples)

    @property
    def how(self) -> str:
        if self.samples:
            return f"the mean over {self.samples} sampled answers"
        return f"from the log-probabilities of the {MAX_LISTED} likeliest first tokens that the server lists"

    @property
    def about(self) -> str:
        asked = f"asked “{self.question.title}” with the answers {self.question.listed}"
        return f"{self.of} at {self.asker.shown}, {asked}; {self.how}"

    def requests(self, text: str) -> list[Request]:
        options: dict[str, Any] = {"max_tokens": FIRST, "temperature": 0, "logprobs": True, "top_logprobs": MAX_LISTED}
        if self.samples:
            longest = max(WORDS, *map(len, self.question.answers or ("",)))
            options = {"max_tokens": self.question.think + longest, "temperature": 1.0, "seed": 0}
            options |= {"n": self.samples} if self.samples > 1 else {}
        return [Request(self.question.messages(text), options, self.question.key)]

    def read(self, reply: Reply) -> np.ndarray:
        """The targets of one text from the reply to what is asked about it: float32 array (T,).

        NaN where no answer is valid; then `<target>_unanswered` is 1. All NaN where there is no reply at all.
        """
        if reply.error:
            return np.full(len(self.targets), np.nan, np.float32)
        if self.samples:
            return self.question.score_samples([value_of(self.question, answer) for answer in reply.answers])
        (answer, *_), listed = reply.answers, first_tokens(reply.answers[0])
        if listed is None:  # an answer without log-probabilities says nothing of how likely it was
            was_given = answer.content and not answer.refusal and answer.finish_reason != "content_filter"
            return np.array([np.nan, np.nan if was_given else 1.0], np.float32)
        return listed_score(listed, self.question)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores in the order of the texts: float32 array (len(texts), T), NaN where no answer was valid.

        Raises `ModelError` when nothing can go on, or there is a reply about none of the texts.
        """
        replies = self.asker.ask([request for text in as_texts(texts) for request in self.requests(text)])
        errors = [reply.error for reply in replies if reply.error]
        if errors and len(errors) == len(replies):
            raise ModelError(self.asker.shown, got=errors[0], expected=ANSWERS["chat"])
        return np.array([self.read(reply) for reply in replies], np.float32).reshape(-1, len(self.targets))


def first_tokens(answer: Answer) -> dict[str, float] | None:
    """Log-probability of the likeliest first tokens of an answer, or None where the server gives none.

    Behind a mark such as a quotation mark, those that follow it are counted too: each with the probability of both.
    """
    found: dict[str, float] = {}
    before, mark = 0.0, ""
    try:
        for position in answer.logprobs or ():
            found.pop(mark, None)
            for row in position.get("top_logprobs") or [position]:
                number, token = float(row["logprob"]), str(row["token"])
                if not number <= 0.001 or math.isnan(number):
                    return None
                found[token] = float(np.logaddexp(before + number, found.get(token, -math.inf)))
            mark = str(position.get("token", ""))
            if not mark or mark.strip(AROUND_A_TOKEN):
                break
            before += float(position["logprob"])
    except (TypeError, KeyError, ValueError):
        return None
    return found or None


def listed_score(listed: Mapping[str, float], question: Question) -> np.ndarray:
    """The targets from listed first tokens: float32 (2,), the expected value and what is on no valid answer.

    A token counts for the answer that it begins, however that is written (case, spaces, quotes). An answer of a choice
    that no listed token begins is less likely than each of them, and than all that they leave over; it counts as the
    smaller of the two. Without any valid answer the value is NaN.

    Examples
    --------
    >>> from psa_core.models._judges.question_file import read_question
    >>> listed = {"yes": -1.2039728, " No": -1.2039728, "Maybe": -0.9162907}
    >>> listed_score(listed, read_question("loan")).round(3).tolist()
    [0.5, 0.4000000059604645]
    """
    shares = np.zeros(len(question.answers))
    for token, log in listed.items():
        begun = _begun(token, question)
        if len(begun) == 1:
            shares[begun[0]] += math.exp(log)
    seen = min(1.0, shares.sum())
    if not seen:
        return np.array([np.nan, 1.0], np.float32)
    if question.scale is None:
        likely = np.exp(list(listed.values()))
        shares = np.where(shares > 0, shares, max(min(likely.min(), 1 - likely.sum()), 0.0))
    value = shares @ np.array(question.values) / shares.sum()
    return np.array([np.clip(value, question.target.low, question.target.high), 1 - seen], np.float32)


def _begun(token: str, question: Question) -> list[int]:
    """Places of the answers that a token begins; the one answer that it is, where there is one."""
    begins = token.strip(AROUND_A_TOKEN).rstrip(AROUND_A_TOKEN + ENDS).casefold()
    plain = [answer.strip(AROUND_A_TOKEN).casefold() for answer in question.answers]
    whole = [i for i, answer in enumerate(plain) if answer == begins]
    return whole or [i for i, answer in enumerate(plain) if begins and answer.startswith(begins)]


def may_be_told_apart(question: Question) -> bool:
    """Whether the first token of an answer could say which one it is.

    Words do that begin differently, and whole numbers that a token can hold, which is three digits at most.
    """
    if not question.answers or question.think or question.pattern:
        return False
    if question.scale is None:
        return len({answer.casefold().split()[0] for answer in question.answers}) == len(question.answers)
    return all(answer.isdecimal() and len(answer) <= 3 for answer in question.answers)


def are_told_apart(question: Question, listed: Mapping[str, float]) -> bool:
    """Whether the first token of an answer says which one it is, and one is among those listed.

    A token such as "Re" does not, of Reject and Recommend. Numbers of more than one digit do where the server's tokens
    are seen to hold several; and more numbers than a server lists, where those listed are nearly all that it would say.
    """
    if not may_be_told_apart(question):
        return False
    unseen = listed_score(listed, question)[1]
    if unseen >= 1:
        return False
    if question.scale is None:
        unclear = sum(math.exp(log) for token, log in listed.items() if len(_begun(token, question)) > 1)
        return unclear <= 1 - SEEN
    tokens = {token.strip(AROUND_A_TOKEN) for token in listed}
    are_whole = any(len(token) > 1 and token.isdecimal() for token in tokens)
    all_listed = len(question.answers) <= MAX_LISTED or bool(unseen <= 1 - SEEN)
    return all_listed and (are_whole or all(len(answer) == 1 for answer in question.answers))


def open_judge(server: ChatServer, question: Question, fingerprint: str, samples: int) -> ChatJudge:
    """A judge that asks in the better way that the server offers: `samples` answers where it has no log-probabilities.

    Raises `ModelError` when the server answers neither way.
    """
    text = paired(PROBE, PROBE) if question.kind == "pick" else PROBE
    judge = ChatJudge(server, question, f"{fingerprint}-logprobs", 0, server.parallel, server.model)
    try:
        offered = server.reply(judge.requests(text)[0])
    except RefusedError:
        offered = Reply(error="refused")
    listed = first_tokens(offered.answers[0]) if offered.answers else None
    if listed is None or not are_told_apart(question, listed):
        judge = replace(judge, fingerprint=f"{fingerprint}-{samples}-samples", samples=samples)
        reply = server.reply(replace(judge, samples=1).requests(text)[0])
        if reply.error:
            raise ModelError(server.shown, got=reply.error, expected=ANSWERS["chat"])
        one = reply.answers[0]
        if one.finish_reason == "length" and not without_thought(one.content) and not question.think:
            got = f"a reply that was cut after {WORDS} tokens, before it said anything"
            fix = 'The model thinks first: add "think", the tokens of a thought, to the question; for example 2000.'
            raise ModelError(server.shown, got=got, expected="an answer", fix=fix)
    return judge
