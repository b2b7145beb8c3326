"""Conversations written in a tokenizer's chat template, up to where the model answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psa_core.errors import ModelError
from psa_core.inputs import bounded
from psa_core.models._transformers import foreign

Conversation = Sequence[Mapping[str, str]]


def written(tokenizer: Any, conversations: Sequence[Conversation], *, ours: bool = False) -> list[str]:
    """Each conversation (messages with ``role`` and ``content``) as the model reads it; see `in_template`.

    Raises `ModelError` when there is no template, it fails, or it changes what is said.
    """
    if not tokenizer.chat_template:
        fix = "Take an instruction-tuned model."
        raise ModelError("--lm", got="a model without a chat template", expected="one that answers messages", fix=fix)
    expected = "one that takes system and user messages"
    found = in_template(tokenizer, conversations, ours=ours, field="--lm", expected=expected)
    for text, chat in zip(found, conversations, strict=True):
        if any(message["content"].strip() not in text for message in chat):
            raise ModelError("--lm", got="a chat template that changes what is said", expected="one that keeps it")
    return found


def in_template(
    tokenizer: Any, chats: Sequence[Conversation], *, ours: bool, field: str, expected: str, fix: str = ""
) -> list[str]:
    """The conversations in the tokenizer's template; `ModelError` when there are several of them, or it fails.

    One that is not packaged (`ours`) is written within limits of memory and time.
    """
    with foreign(field, "chat templates to choose from", "one", fix):
        template = tokenizer.get_chat_template()
    write = render if ours else render_within_limits
    messages = [[dict(each) for each in chat] for chat in chats]
    return write(template, dict(tokenizer.special_tokens_map), messages, expected, fix)


def render(template: str, tokens: Mapping[str, Any], chats: list[list[dict[str, Any]]], *words: str) -> list[str]:
    """The conversations in a template; `words` say what is expected, and what to do, where it fails."""
    from transformers.utils.chat_template_utils import render_jinja_template

    with foreign("model", "a chat template that fails", *words):
        rendered = render_jinja_template(
            conversations=chats, chat_template=template, add_generation_prompt=True, enable_thinking=False, **tokens
        )
    return [str(text) for text in rendered[0]]


def render_within_limits(
    template: str, tokens: Mapping[str, Any], chats: list[list[dict[str, Any]]], *words: str
) -> list[str]:
    """The same in a process of its own: a loop in a template, or a long text that it makes, ends there."""
    return bounded.call(render, template, tokens, chats, *words, field="chat template", error=ModelError)
