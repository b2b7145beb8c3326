"""A request to a language model and what comes back, whoever carries it: a server, a file of answers, a journal.

One bad answer is a record like any other: a refusal, nothing, an error. Whoever asked decides what it counts.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from psa_core.errors import in_short

URLS = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}
Token = Mapping[str, Any]
FILTER = "content_filter"
# Kinds of parts of a message that are no answer.
THOUGHTS = ("thinking", "reasoning")
# What a provider says that does not pass a prompt, or its answer, on.
FILTERED = re.compile(r"content.?(filter|management|policy)|moderation|flagged|safety (system|policy)", re.IGNORECASE)


@dataclass(frozen=True)
class Request:
    """What one request asks.

    Attributes
    ----------
    messages : tuple of mappings
        ``role`` (system, user, assistant) and ``content``.
    options : mapping
        What else is sent, as OpenAI's interface names it: ``max_tokens``, ``temperature``, ``logprobs``,
        ``top_logprobs``, ``n``, ``seed``.
    tag : str
        What the `custom_id` begins with: which question it is.

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
        """The JSON that is sent."""
        said: dict[str, Any] = {"messages": [dict(message) for message in self.messages]}
        if api == "completions":
            said = {"prompt": self.messages[-1]["content"]}
        return ({"model": model} if model else {}) | said | dict(self.options)

    def line(self, model: str) -> dict[str, Any]:
        """One line of a file of requests, as OpenAI's batch interface takes it."""
        return {"custom_id": self.custom_id, "method": "POST", "url": URLS["chat"], "body": self.body(model)}


@dataclass(frozen=True)
class Answer:
    """One answer of a model, as it came.

    Attributes
    ----------
    content : str
        Empty where the model said nothing.
    thought : str
        What it wrote before its answer, where the server keeps that apart.
    refusal : str
        The server's own field for a refusal.
    finish_reason : str
        ``stop``, ``length`` (cut), ``content_filter`` …
    logprobs : tuple or None
        Per token: ``token``, ``logprob``, ``top_logprobs`` (a list of ``token``, ``logprob``).
    """

    content: str = ""
    thought: str = ""
    refusal: str = ""
    finish_reason: str = ""
    logprobs: tuple[Token, ...] | None = None


@dataclass(frozen=True)
class Reply:
    """All answers to one request, and what they took; without answers, why there are none.

    Attributes
    ----------
    answers : tuple of Answer
    tokens_in, tokens_out, tokens_cached : int
        As the server counts them; 0 where it does not.
    error : str
        In the provider's own words, cleaned; empty where there are answers.
    model : str
        What the server says that answered.
    """

    answers: tuple[Answer, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    error: str = ""
    model: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether the provider withheld the whole answer."""
        return any(answer.finish_reason == FILTER and not answer.content for answer in self.answers)


class Asker(Protocol):
    """Whoever carries requests to a model."""

    @property
    def shown(self) -> str:
        """Where it asks, as messages may show it."""
        ...

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies in the order of the requests.

        Raises
        ------
        ModelError
            Where nothing can go on: no connection, no permission, no money, a parameter that is refused.
        """
        ...


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
    return Reply(
        tuple(_answer(choice, api) for choice in choices),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0,
        model=_words(content.get("model")),
    )


def joined(one: Reply, other: Reply) -> Reply:
    """Two replies to one request as one."""
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
