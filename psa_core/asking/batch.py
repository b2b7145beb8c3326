"""A file of requests at a provider's batch interface, which answers within a day for about half the price.

What was sent is noted beside the file at once, so that the same command goes on waiting days later and sends nothing
twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.asking.endpoint import without_keys
from psa_core.asking.provider import Provider
from psa_core.asking.records import URLS
from psa_core.errors import ModelError, OptionError, in_short

#: Seconds between two looks.
PAUSE = 30.0
ENDED = ("failed", "expired", "cancelled")


@dataclass(frozen=True)
class Batch:
    """A file of requests, and who answers it.

    Attributes
    ----------
    provider : Provider
    requests : Path
        In OpenAI's batch format.
    """

    provider: Provider
    requests: Path

    @property
    def results(self) -> Path:
        """Where the answers go, for ``--model answers:…``."""
        return self.requests.with_suffix(".results.jsonl")

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

        Raises
        ------
        OptionError
            When other requests were sent under this name.
        ModelError
            When the provider does not take it; with its own words.
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
            sent = self.client.create_batch(input_file_path=str(self.requests), endpoint=URLS["chat"])
        atomic.write(self.note, json.dumps({"id": sent.id, "sha256": digest, "provider": self.provider.name}))
        return str(sent.id)

    def wait(self, told: Callable[[str], None]) -> Path:
        """Wait until the provider has answered, and write its answers; `told` hears how far it is.

        Raises
        ------
        ModelError
            When the batch failed, expired or was cancelled; it may be sent again then.
        """
        batch_id, last = self.submit(), ""
        while not self.results.is_file():
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
                atomic.write(self.results, "".join(json.dumps(_line(row)) + "\n" for row in rows))
            else:
                self.provider.sleep(PAUSE)
        return self.results

    def cancel(self) -> str:
        """End the batch that was sent under this name; returns its id.

        Raises
        ------
        OptionError
            When none was.
        """
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
    """One line of a file of results."""
    if row.result is None:
        return {"custom_id": row.custom_id, "error": {"message": row.error.message, "code": row.error.code}}
    body = row.result.model_dump(mode="json", exclude_none=True)
    return {"custom_id": row.custom_id, "response": {"status_code": 200, "body": body}, "error": None}
