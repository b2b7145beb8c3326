"""The request that a draw is, for whoever carries it to a model."""

from __future__ import annotations

from psa_core.asking.records import Request
from psa_core.generators._base import Draw


def request_of(draw: Draw, **options: object) -> Request:
    """The request of one draw: its messages, or its prompt as a user's message."""
    said = draw.messages or (("user", draw.prompt),)
    return Request(tuple({"role": role, "content": content} for role, content in said), options, "chat")
