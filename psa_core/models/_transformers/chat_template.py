"""Conversations written in a tokenizer's chat template, up to where the model answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psa_core.errors import ModelError
from psa_core.inputs import bounded
from psa_core.models._transformers import foreign

Conversation = Sequence[Mapping[str, str]]


def written(tokenizer: Any, conversations: Sequence[Conversation], *, ours: bool = False) -> list[str]:
    """Each conversation, a sequence of messages with ``role`` and ``content``, as the model reads it.

    A template that is not packaged (`ours`) is written within limits of memory and time. Raises `ModelError` when there
    is no template, it fails, or it changes what is said.
    """
    if not tokenizer.chat_template:
        fix = "Take an instruction-tuned model."
        raise ModelError("--lm", got="a model without a chat template", expected="one that answers messages", fix=fix)
    with foreign("--lm", "chat templates to choose from", "one"):
        template = tokenizer.get_chat_template()
    chats = [[dict(message) for message in conversation] for conversation in conversations]
    tokens = dict(tokenizer.special_tokens_map)
    if ours:
        found = render(template, tokens, chats)
    else:
        found = bounded.call(render, template, tokens, chats, field="chat template", error=ModelError)
    for text, chat in zip(found, chats, strict=True):
        if any(message["content"].strip() not in text for message in chat):
            raise ModelError("--lm", got="a chat template that changes what is said", expected="one that keeps it")
    return found


def render(template: str, tokens: Mapping[str, Any], chats: Sequence[Sequence[Mapping[str, str]]]) -> list[str]:
    """The conversations in a template; raises `ModelError` when the template fails."""
    from transformers.utils.chat_template_utils import render_jinja_template

    conversations: list[list[dict[str, Any]]] = [[dict(message) for message in chat] for chat in chats]
    with foreign("model", "a chat template that fails", "one that takes system and user messages"):
        rendered = render_jinja_template(
            conversations=conversations,
            chat_template=template,
            add_generation_prompt=True,
            enable_thinking=False,
            **tokens,
        )
    return [str(text) for text in rendered[0]]
