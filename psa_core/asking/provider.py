"""A provider of language models by its name (``openai``, ``anthropic``, ``mistral`` …), in its own protocol.

The library any-llm, the extra ``providers``, translates and reads the key from the variable that the provider
documents. Everything else is as for an address: retries, limits, the journal, what is spent. A batch is a file of
requests that a provider answers within a day, for about half the price.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.asking.endpoint import Endpoint, without_keys
from psa_core.asking.records import URL
from psa_core.asking.server import PASSING, ChatServer
from psa_core.errors import ModelError, OptionError, in_short
from psa_core.trust.addresses import allowed

BEGINS = "provider:"
EXAMPLE = f"{BEGINS}anthropic/claude-sonnet-4-5"
#: Seconds between two looks at a batch.
PAUSE = 30.0
ENDED = ("failed", "expired", "cancelled")


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
            expected = f"a provider and its key, as for {EXAMPLE}"
            raise ModelError(self.shown, got=str(error), expected=expected) from error

    def _post(self, question: Any) -> tuple[int, Mapping[str, str], bytes]:
        import httpx
        from any_llm.exceptions import AnyLLMError, UnsupportedParameterError

        def as_json(words: str) -> bytes:
            return json.dumps({"error": {"message": words}}).encode()

        try:
            said = self.client.completion(**question)
        except AnyLLMError as error:
            # An option that this provider's interface does not have.
            if isinstance(error, UnsupportedParameterError) or isinstance(error.original_exception, TypeError):
                return 400, {}, as_json(error.message)
            if error.status_code is None:
                raise httpx.TransportError(error.message) from error
            response = getattr(error.original_exception, "response", None)
            headers, content = getattr(response, "headers", {}), getattr(response, "content", b"")
            return error.status_code, headers, content or as_json(f"{error.message} ({error.code})")
        return 200, {}, said.model_dump_json(exclude_none=True).encode()

    def _fix(self, status: int, reason: str) -> str:
        return f"Is the key for {self.name} valid?" if status in (401, 403) else super()._fix(status, reason)


def provider_of(argument: str, numbers: Mapping[str, float]) -> ChatServer:
    """Who is asked as ``provider:<name>/<model>``.

    ``PSA_HTTP_ALLOW``, where it is set, lists providers by their names as it lists hosts; for a visitor a wildcard is
    not enough, since the key is the server's (`trust.permit`). Raises `ModelError` when no model is named, or the
    provider is not allowed here, unknown, or without a key.
    """
    name, _, model = argument.removeprefix(BEGINS).partition("/")
    # For some providers an address in the place of the model is where the key is sent.
    if not name.replace("_", "").isalnum() or not model or "://" in model:
        raise ModelError("provider", got=repr(argument), expected=f"a provider and its model, such as {EXAMPLE}")
    allowed(address_of(argument))
    place = Provider.at(BEGINS + name, numbers, asks="a chat", answers="a chat's answer", passing=PASSING)
    place.client  # noqa: B018 - so that a missing key is told before anything is asked
    return ChatServer(place, model)


def address_of(argument: str) -> str:
    """What a provider counts as where addresses are permitted: its name is the host."""
    return f"https://{argument.removeprefix(BEGINS).partition('/')[0]}"


@dataclass(frozen=True)
class Batch:
    """A file of `requests` in OpenAI's batch format, and the provider that answers it.

    What was sent is noted beside the file at once, so that the same command goes on waiting days later and sends
    nothing twice.
    """

    provider: Provider
    requests: Path

    @property
    def note(self) -> Path:
        """What was sent: the batch's id, and which requests it holds."""
        return self.requests.with_suffix(".batch.json")

    @cached_property
    def client(self) -> Any:
        """The library's client, which retries."""
        return self.provider.opened(self.provider.retries)

    def submit(self) -> str:
        """Send the file, unless that was done before; returns the batch's id.

        Raises `OptionError` when other requests were sent under this name, `ModelError` when the provider does not
        take it, with its own words.
        """
        digest = hashlib.sha256(self.requests.read_bytes()).hexdigest()
        if self.note.is_file():
            sent = json.loads(self.note.read_text("utf-8"))
            if sent["sha256"] != digest:
                fix = "Cancel that one with --cancel, or take another name."
                got = f"{self.requests.name}, under which other requests were sent as {sent['id']}"
                raise OptionError("--out", got=got, expected="the same requests", fix=fix)
            return str(sent["id"])
        with self._told():
            sent = self.client.create_batch(input_file_path=str(self.requests), endpoint=URL)
        atomic.write(self.note, json.dumps({"id": sent.id, "sha256": digest, "provider": self.provider.name}))
        return str(sent.id)

    def wait(self, told: Callable[[str], None]) -> Path:
        """Wait until the provider has answered, and write its answers, for ``--model answers:…``; `told` hears of it.

        Raises `ModelError` when the batch failed, expired or was cancelled; it may be sent again then.
        """
        batch_id, last = self.submit(), ""
        results = self.requests.with_suffix(".results.jsonl")
        while not results.is_file():
            with self._told():
                batch = self.client.retrieve_batch(batch_id)
            counts = batch.request_counts
            now = f"{batch.status}, {counts.completed:,} of {counts.total:,} answered" if counts else str(batch.status)
            if now != last:
                told(f"{batch_id}: {now}")
            last = now
            if batch.status in ENDED:
                self.note.unlink()
                words = "; ".join(error.message or "" for error in (batch.errors and batch.errors.data) or [])
                got = in_short(without_keys(f"the batch {batch_id}, which is {batch.status} {words}".strip()))
                raise ModelError(self.provider.shown, got=got, expected="a batch that is answered")
            if batch.status == "completed":
                with self._told():
                    rows = self.client.retrieve_batch_results(batch_id).results
                atomic.write(results, "".join(json.dumps(_line(row)) + "\n" for row in rows))
            else:
                self.provider.sleep(PAUSE)
        return results

    def cancel(self) -> str:
        """End the batch that was sent under this name; returns its id. Raises `OptionError` when none was."""
        if not self.note.is_file():
            raise OptionError("--cancel", got=f"{self.requests.name}, which was not sent", expected="a batch")
        batch_id = json.loads(self.note.read_text("utf-8"))["id"]
        with self._told():
            self.client.cancel_batch(batch_id)
        self.note.unlink()
        return str(batch_id)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The provider's own words where it refuses."""
        self.client  # noqa: B018 - says first whether the library is there
        from any_llm.exceptions import AnyLLMError

        try:
            yield
        except (AnyLLMError, NotImplementedError) as error:
            words = in_short(without_keys(str(error)))
            raise ModelError(self.provider.shown, got=words, expected="a provider that takes batches") from error


def _line(row: Any) -> dict[str, Any]:
    if row.result is None:
        return {"custom_id": row.custom_id, "error": {"message": row.error.message, "code": row.error.code}}
    body = row.result.model_dump(mode="json", exclude_none=True)
    return {"custom_id": row.custom_id, "response": {"status_code": 200, "body": body}, "error": None}
