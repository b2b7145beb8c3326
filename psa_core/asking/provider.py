"""A provider of language models by its name (``openai``, ``anthropic``, ``mistral`` …), in its own protocol.

The library any-llm, the extra ``providers``, translates and reads the key from the variable that the provider
documents. Everything else is as for an address: retries, limits, the journal, what is spent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from psa_core.asking.endpoint import Endpoint
from psa_core.asking.flow import Flow
from psa_core.asking.server import PASSING, ChatServer
from psa_core.errors import ModelError
from psa_core.trust.addresses import allowed

BEGINS = "provider:"
EXAMPLE = f"{BEGINS}anthropic/claude-sonnet-4-5"


@dataclass(frozen=True, eq=False)
class Provider(Endpoint):
    """A provider to ask; its ``address`` is ``provider:<name>``."""

    @property
    def name(self) -> str:
        """As any-llm calls it."""
        return self.address.removeprefix(BEGINS)

    @cached_property
    def client(self) -> Any:
        """The library's client, which tries once: `Endpoint` asks again."""
        return self.opened(0)

    def opened(self, retries: int) -> Any:
        """A client of the library for this provider; raises `ModelError` where there is none, or no key."""
        try:
            from any_llm import AnyLLM
            from any_llm.exceptions import AnyLLMError, UnsupportedParameterError
        except ImportError as error:
            fix = "Install it: pip install 'psa-dashboard[providers]'"
            raise ModelError("provider", got="no any-llm-sdk", expected="the extra providers", fix=fix) from error
        try:
            try:
                return AnyLLM.create(self.name, unified_exceptions=True, max_retries=retries, timeout=self.timeout)
            except (TypeError, UnsupportedParameterError):  # a provider whose own client has neither setting
                return AnyLLM.create(self.name, unified_exceptions=True)
        except (AnyLLMError, ImportError) as error:
            raise ModelError(
                self.shown, got=str(error), expected=f"a provider and its key, as for {EXAMPLE}"
            ) from error

    def _post(self, question: Any) -> tuple[int, Mapping[str, str], bytes]:
        import httpx
        from any_llm.exceptions import AnyLLMError, UnsupportedParameterError

        try:
            said = self.client.completion(**question)
        except AnyLLMError as error:
            # An option that this provider's interface does not have.
            if isinstance(error, UnsupportedParameterError) or isinstance(error.original_exception, TypeError):
                return 400, {}, _as_json(error.message)
            if error.status_code is None:
                raise httpx.TransportError(error.message) from error
            response = getattr(error.original_exception, "response", None)
            headers, content = getattr(response, "headers", {}), getattr(response, "content", b"")
            return error.status_code, headers, content or _as_json(f"{error.message} ({error.code})")
        return 200, {}, said.model_dump_json(exclude_none=True).encode()

    def _fix(self, status: int, reason: str) -> str:
        return f"Is the key for {self.name} valid?" if status in (401, 403) else super()._fix(status, reason)


def _as_json(words: str) -> bytes:
    return json.dumps({"error": {"message": words}}).encode()


def provider_of(argument: str, numbers: Mapping[str, float]) -> ChatServer:
    """Who is asked as ``provider:<name>/<model>``.

    ``PSA_HTTP_ALLOW``, where it is set, lists providers by their names as it lists hosts; for a visitor a wildcard is
    not enough, since the key is the server's (`trust.permit`).

    Raises
    ------
    ModelError
        When no model is named, or the provider is not allowed here, unknown, or without a key.
    """
    name, _, model = argument.removeprefix(BEGINS).partition("/")
    # For some providers an address in the place of the model is where the key is sent.
    if not name.replace("_", "").isalnum() or not model or "://" in model:
        raise ModelError("provider", got=repr(argument), expected=f"a provider and its model, such as {EXAMPLE}")
    allowed(address_of(argument))
    parallel = int(numbers.get("parallel", 1))
    place = Provider(
        BEGINS + name,
        timeout=numbers["timeout"],
        retries=int(numbers["retries"]),
        pace=numbers["per_second"],
        asks="a chat",
        answers="a chat's answer",
        passing=PASSING,
        flow=Flow(parallel),
    )
    place.client  # noqa: B018 - so that a missing key is told before anything is asked
    return ChatServer(place, model, parallel=parallel)


def address_of(argument: str) -> str:
    """What a provider counts as where addresses are permitted: its name is the host."""
    return f"https://{argument.removeprefix(BEGINS).partition('/')[0]}"
