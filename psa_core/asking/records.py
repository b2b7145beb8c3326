"""A request to a language model and what comes back, in memory and as lines of files in OpenAI's batch format.

One bad answer is a record like any other: a refusal, nothing, an error. Whoever asked decides what it counts.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from psa_core.errors import ModelError, in_short

URL = "/v1/chat/completions"
Token = Mapping[str, Any]
FILTER = "content_filter"
# Kinds of parts of a message that are no answer.
THOUGHTS = ("thinking", "reasoning")
MAX_LINE = 16 * 2**20
EXPECTED = 'one JSON object a line: {"custom_id": …, "response": {"body": {"choices": […]}}}'
# What a provider says that does not pass a prompt, or its answer, on.
FILTERED = re.compile(r"content.?(filter|management|policy)|moderation|flagged|safety (system|policy)", re.IGNORECASE)


@dataclass(frozen=True)
class Request:
    """What one request asks: messages with ``role`` (system, user, assistant) and ``content``.

    The `options` are what else is sent, as OpenAI's interface names it: ``max_tokens``, ``temperature``, ``logprobs``,
    ``top_logprobs``, ``n``, ``seed``. The `tag` says which question it is, and begins the `custom_id`.

    Examples
    --------
    >>> request = Request(({"role": "user", "content": "Yes or no?"},), {"max_tokens": 1}, "q1")
    >>> request.body("smollm2")
    {'model': 'smollm2', 'messages': [{'role': 'user', 'content': 'Yes or no?'}], 'max_tokens': 1}
    >>> request.custom_id.startswith("q1-"), len(request.custom_id)
    (True, 35)
    """

    messages: tuple[Mapping[str, str], ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    tag: str = ""

    @property
    def custom_id(self) -> str:
        """The same for the same messages, so that its answer can be looked up in a file; at most 64 letters."""
        said = [[message["role"], message["content"]] for message in self.messages]
        found = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]
        return f"{self.tag}-{found}" if self.tag else found

    def body(self, model: str = "", api: str = "chat") -> dict[str, Any]:
        messages = [dict(message) for message in self.messages]
        said = {"messages": messages} if api == "chat" else {"prompt": messages[-1]["content"]}
        return ({"model": model} if model else {}) | said | dict(self.options)

    def line(self, model: str) -> dict[str, Any]:
        """One line of a file of requests, as OpenAI's batch interface takes it."""
        return {"custom_id": self.custom_id, "method": "POST", "url": URL, "body": self.body(model)}


@dataclass(frozen=True)
class Answer:
    """One answer of a model, as it came; `content` is empty where the model said nothing.

    `thought` is what it wrote before its answer, where the server keeps that apart, `refusal` the server's own field
    for one, `finish_reason` ``stop``, ``length`` (cut), ``content_filter`` … A row of `logprobs` is of one token, with
    ``token``, ``logprob``, ``top_logprobs`` (a list of ``token``, ``logprob``).
    """

    content: str = ""
    thought: str = ""
    refusal: str = ""
    finish_reason: str = ""
    logprobs: tuple[Token, ...] | None = None


@dataclass(frozen=True)
class Reply:
    """All answers to one request, and what they took; without answers, why there are none.

    Tokens are as the server counts them, 0 where it does not; `error` is in the provider's own words, cleaned, and
    empty where there are answers; `model` is what the server says that answered.
    """

    answers: tuple[Answer, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    error: str = ""
    model: str = ""


class Asker(Protocol):
    """Carries requests to a model; `shown` is where it asks, as messages may show it."""

    @property
    def shown(self) -> str: ...

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies in the order of the requests.

        Raises `ModelError` where nothing can go on: no connection, no permission, no money, a refused parameter.
        """
        ...


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """Answers that somebody fetched elsewhere, by the ids of their requests; one that failed holds the reason.

    Without any it stands for who would be asked, where requests are only written or counted.
    """

    shown: str
    replies: Mapping[str, Reply] = field(default_factory=dict, repr=False)
    sha256: str = ""

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies in the order of the requests; one that is not in the file says so."""
        missing = Reply(error=f"no answer in {self.shown}")
        return [self.replies.get(request.custom_id, missing) for request in requests]


def write_requests(requests: Iterable[Request], model: str, stream: IO[str]) -> int:
    """Write the requests, one a line, each once; returns how many there are."""
    written: set[str] = set()
    for request in requests:
        if request.custom_id not in written:
            written.add(request.custom_id)
            stream.write(json.dumps(request.line(model), ensure_ascii=False) + "\n")
    return len(written)


def read_answers(path: Path) -> AnswerFile:
    """The answers in a file of results; raises `ModelError` when there is none, or a line is no answer to a request."""
    replies, total = dict[str, Reply](), hashlib.sha256()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                total.update(line)
                if line.strip():
                    key, reply = _row(line, f"{path.name}, line {number}")
                    if key not in replies or replies[key].error:  # of one that was asked again, what it answered
                        replies[key] = reply
                    elif not reply.error:  # a server that gives one answer at a time was asked several times
                        replies[key] = joined(replies[key], reply)
    except OSError as error:
        got = f"{path.name} ({error.strerror or type(error).__name__})"
        raise ModelError("answers", got=got, expected="a file that exists and that you may read") from error
    if not replies:
        raise ModelError("answers", got=f"{path.name}, which is empty", expected=EXPECTED)
    return AnswerFile(path.name, replies, total.hexdigest())


def _row(line: bytes, where: str) -> tuple[str, Reply]:
    if len(line) > MAX_LINE:
        raise ModelError("answers", got=f"{where}: over {MAX_LINE // 2**20} MB", expected=EXPECTED)
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ModelError("answers", got=f"{where}: no JSON", expected=EXPECTED) from error
    if not isinstance(row, dict) or not isinstance(row.get("custom_id"), str):
        raise ModelError("answers", got=f"{where}: no custom_id", expected=EXPECTED)
    if "url" in row:
        fix = "This is the file of requests; take the one that the provider returned."
        raise ModelError("answers", got=f"{where}: a request", expected=EXPECTED, fix=fix)
    response = row.get("response")
    if row.get("error") or not isinstance(response, Mapping):
        return row["custom_id"], Reply(error=error_words(row.get("error")) or "an error without words")
    status = response.get("status_code", 200)
    if status != 200:
        return row["custom_id"], Reply(error=error_words(response.get("body")) or f"status {status!r}"[:20])
    return row["custom_id"], reply_of(response.get("body"))


def reply_of(content: Any, api: str = "chat") -> Reply:
    """A reply from what a server of OpenAI's kind sends; what cannot be understood is an error in it.

    What the provider's filter keeps back is a refusal, not an error: it may keep some names back more often.

    Examples
    --------
    >>> reply_of({"choices": [{"message": {"content": None, "refusal": "I cannot."}}]}).answers[0].refusal
    'I cannot.'
    >>> reply_of({"object": "list"}).error
    'an answer without choices'
    """
    choices = content.get("choices") if isinstance(content, Mapping) else None
    if not isinstance(choices, Sequence) or isinstance(choices, str) or not choices:
        words = error_words(content)
        if FILTERED.search(words):
            return Reply((Answer(refusal=words, finish_reason=FILTER),))
        return Reply(error=words or "an answer without choices")
    part, kind = ("message", Mapping) if api == "chat" else ("text", str)
    if not all(isinstance(choice, Mapping) and isinstance(choice.get(part), kind) for choice in choices):
        return Reply(error=f"a choice without a {part}")
    if api == "chat" and not all(isinstance(choice["message"].get("content"), str | list | None) for choice in choices):
        return Reply(error="a message without content")
    usage = content.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    read, written = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    answers = tuple(_answer(choice, api) for choice in choices)
    return Reply(answers, read, written, cached, model=_words(content.get("model")))


def joined(one: Reply, other: Reply) -> Reply:
    return Reply(
        one.answers + other.answers,
        one.tokens_in + other.tokens_in,
        one.tokens_out + other.tokens_out,
        one.tokens_cached + other.tokens_cached,
        one.error or other.error,
        one.model or other.model,
    )


def _answer(choice: Mapping[str, Any], api: str) -> Answer:
    message = choice["message"] if api == "chat" else {"content": choice["text"]}
    logprobs = choice.get("logprobs")
    listed = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    tokens = tuple(token for token in listed if isinstance(token, Mapping)) if isinstance(listed, list) else None
    return Answer(
        _words(message.get("content")),
        _words(message.get("reasoning_content") or message.get("reasoning")),
        _words(message.get("refusal")),
        _words(choice.get("finish_reason")),
        tokens or None,
    )


def error_words(content: Any) -> str:
    """A provider's words about an error, short and on one line; empty if there are none.

    Examples
    --------
    >>> error_words({"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}})
    'You exceeded your quota. (insufficient_quota)'
    """
    if isinstance(content, list):  # some send a list of errors, some a list of what is wrong with a request
        return in_short("; ".join(filter(None, map(error_words, content))))
    if isinstance(content, str):
        return in_short(content.strip())
    if not isinstance(content, Mapping):
        return ""
    if isinstance(content.get("error"), Mapping | list):
        return error_words(content["error"])
    words = next(filter(None, (error_words(content.get(key)) for key in ("message", "msg", "detail", "error"))), "")
    place = " ".join(map(str, content["loc"])) if isinstance(content.get("loc"), list) else _words(content.get("param"))
    code = _words(content.get("code")) or _words(content.get("type"))
    words = f"{place}: {words}" if place and place not in words else words
    return in_short(f"{words} ({code})" if words and code and code not in words else words or code)


def _words(value: Any) -> str:
    """Text, or the texts of the parts of a message that comes in parts; empty for anything else."""
    if isinstance(value, Mapping):
        value = value.get("content")
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, Mapping) and part.get("type") not in THOUGHTS]
        return "".join(_words(part.get("text")) for part in parts)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _count(value: Any) -> int:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return max(0, int(value)) if usable else 0
