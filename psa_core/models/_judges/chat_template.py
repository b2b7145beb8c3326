"""A model's chat template written around what a user says; it is a small program, so it has limits.

Imported where one is needed: the library that it comes from takes seconds to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateError
from transformers.utils.chat_template_utils import render_jinja_template

from psa_core.errors import ModelError
from psa_core.inputs import bounded

FAULTS = (TemplateError, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def render(template: str, tokens: Mapping[str, Any], content: str) -> str:
    """A user's message in a template, up to where the model answers.

    Raises
    ------
    ModelError
        When the template fails.
    """
    chat = [{"role": "user", "content": content}]
    try:
        rendered = render_jinja_template(
            conversations=[chat], chat_template=template, add_generation_prompt=True, enable_thinking=False, **tokens
        )
    except FAULTS as error:
        got = f"a chat template that fails ({error!s:.120})"
        raise ModelError("model", got=got, expected="one that takes a question", fix="Add template=0.") from error
    return str(rendered[0][0])


def render_within_limits(template: str, tokens: Mapping[str, Any], content: str) -> str:
    """The same in a process of its own: a loop in a template, or a long text that it makes, ends there."""
    return bounded.call(render, template, dict(tokens), content, field="chat template", error=ModelError)
