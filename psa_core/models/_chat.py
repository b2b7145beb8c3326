"""A client for OpenAI-compatible chat completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from psa_core.errors import ModelError
from psa_core.models._endpoint import Endpoint

ANSWER = '{"choices": [{"message": {"content": …}}, …]}'
# What a server says that does not know, or does not want, something in a request.
REFUSED = (400, 404, 422, 501)


@dataclass(frozen=True)
class ChatServer:
    """Where ``/chat/completions`` is, and which of its models is meant.

    Attributes
    ----------
    endpoint : Endpoint
    model : str
        As the server calls it; servers of one model mostly do not look.
    """

    endpoint: Endpoint = field(repr=False)
    model: str = "default"

    @property
    def shown(self) -> str:
        """The address as messages may show it."""
        return self.endpoint.shown

    def choices(self, prompt: str, **options: Any) -> tuple[Mapping[str, Any], ...]:
        """The choices of one answer to one user message, each with a ``message``.

        Raises
        ------
        RefusedError
            When the server refuses this request, an option of it or the model's name.
        ModelError
            When it does not answer, or answers with something else.
        """
        question = {"model": self.model, "messages": [{"role": "user", "content": prompt}], **options}
        answer = self.endpoint.ask(question, refused=REFUSED)
        found = answer.get("choices") if isinstance(answer, Mapping) else None
        if not isinstance(found, Sequence) or isinstance(found, str) or not found:
            raise ModelError(self.shown, got="an answer without choices", expected=ANSWER)
        if not all(isinstance(choice, Mapping) and isinstance(choice.get("message"), Mapping) for choice in found):
            raise ModelError(self.shown, got="a choice without a message", expected=ANSWER)
        return tuple(found)


def said(choice: Mapping[str, Any], source: str) -> str:
    """The words of one choice.

    Raises
    ------
    ModelError
        When there are none.
    """
    content = choice["message"].get("content")
    if not isinstance(content, str):
        raise ModelError(source, got="a message without content", expected=ANSWER)
    return content


def completions_address(address: str) -> str:
    """Where chat completions are, from a server's base address (``http://localhost:8000/v1``) or from that itself."""
    base, mark, query = address.partition("?")
    base = base.rstrip("/")
    if not base.endswith("/chat/completions"):
        base += "/chat/completions"
    return base + mark + query
