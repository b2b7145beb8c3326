"""What the transformers plug-ins share: the import, what foreign files raise, conversations in a chat template."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from psa_core import trust
from psa_core.errors import ModelError, PsaError
from psa_core.inputs import bounded
from psa_core.models._answers import reason

#: What a fault in the tokenizers library's own language is called; it is no `Exception`, and cannot be imported.
PANIC = "PanicException"
_importing = threading.Lock()
Conversation = Sequence[Mapping[str, str]]


def import_transformers() -> None:
    """Import transformers, to be called before each import from it, by one thread at a time.

    It puts another module in its own place while it is imported, so a thread that comes upon the first one, waits and
    goes on with it, as Python lets it, finds none of the names that it wants.
    """
    with _importing:
        import transformers


@contextmanager
def foreign(field: str, got: str, expected: str, fix: str = "") -> Iterator[None]:
    """Say in one sentence what a model's own files make a library raise in this block, which may be anything.

    Raises `ModelError` with what was raised in brackets after `got`; a `PsaError` and a lack of memory pass as they
    are.
    """
    try:
        yield
    except (PsaError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        raise ModelError(field, got=f"{got} ({reason_of(error)})", expected=expected, fix=fix) from error


def foreign_rules() -> AbstractContextManager[None]:
    """For a block that reads a text by a tokenizer's rules, which may give up or have no token for a word."""
    fix = "Save it again with tokenizer.save_pretrained."
    return foreign("tokenizer", "rules that fail at a text", "a token for everything", fix)


def reason_of(error: BaseException) -> str:
    """What an error says; a visitor is not told where the server keeps its models."""
    words = reason(error)
    return re.sub(r"(/[^/\s'\"]+)+/", "", words) if trust.current() >= trust.Origin.VISITOR else words


def written(tokenizer: Any, conversations: Sequence[Conversation], *, ours: bool = False) -> list[str]:
    """Each conversation (messages with ``role`` and ``content``) as the model reads it; see `in_template`.

    Raises `ModelError` when there is no template, it fails, or it changes a message.
    """
    if not tokenizer.chat_template:
        fix = "Take an instruction-tuned model."
        raise ModelError("--lm", got="a model without a chat template", expected="one that answers messages", fix=fix)
    expected = "one that takes system and user messages"
    found = in_template(tokenizer, conversations, ours=ours, field="--lm", expected=expected)
    for text, chat in zip(found, conversations, strict=True):
        if any(message["content"].strip() not in text for message in chat):
            raise ModelError("--lm", got="a chat template that changes the messages", expected="one that keeps them")
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
