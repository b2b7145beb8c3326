"""Requests as a file, and the file of their answers: OpenAI's batch format, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from psa_core.asking.records import Reply, Request, error_words, joined, reply_of
from psa_core.errors import ModelError

MAX_LINE = 16 * 2**20
EXPECTED = 'one JSON object a line: {"custom_id": …, "response": {"body": {"choices": […]}}}'


@dataclass(frozen=True)
class Nobody:
    """Where requests go that are only written or counted; `shown` is who would be asked."""

    shown: str = "a file"

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """Raises `ModelError`: nobody is asked."""
        raise ModelError("model", got=f"{len(requests)} requests for a file", expected="a model to ask")


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """Answers that somebody fetched elsewhere, by the ids of their requests; an `Asker`.

    Attributes
    ----------
    shown : str
        The file's name.
    replies : mapping
        Of each ``custom_id``; one that failed holds the reason.
    sha256 : str
        Of the file.
    """

    shown: str
    replies: Mapping[str, Reply] = field(repr=False)
    sha256: str = ""

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies in the order of the requests; one that is not in the file says so."""
        missing = Reply(error=f"no answer in {self.shown}")
        return [self.replies.get(request.custom_id, missing) for request in requests]

    @property
    def tags(self) -> list[str]:
        """What the ids of the requests begin with: one for each question that was asked."""
        return list(dict.fromkeys(key.rpartition("-")[0] for key in self.replies))


def write(requests: Iterable[Request], model: str, stream: IO[str]) -> int:
    """Write the requests, one a line, each once; returns how many there are."""
    written: set[str] = set()
    for request in requests:
        if request.custom_id not in written:
            written.add(request.custom_id)
            stream.write(json.dumps(request.line(model), ensure_ascii=False) + "\n")
    return len(written)


def read(path: Path) -> AnswerFile:
    """The answers in a file of results.

    Raises
    ------
    ModelError
        When there is no such file, or a line of it is no answer to a request.
    """
    import hashlib

    replies, total = dict[str, Reply](), hashlib.sha256()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                total.update(line)
                if line.strip():
                    key, reply = _row(line, f"{path.name}, line {number}")
                    if key not in replies or replies[key].error:  # of one that was asked again, what it answered
                        replies[key] = reply
                    elif not reply.error:  # a server that gives one answer at a time was asked several times
                        replies[key] = joined(replies[key], reply)
    except OSError as error:
        got = f"{path.name} ({error.strerror or type(error).__name__})"
        raise ModelError("answers", got=got, expected="a file that exists and that you may read") from error
    if not replies:
        raise ModelError("answers", got=f"{path.name}, which is empty", expected=EXPECTED)
    return AnswerFile(path.name, replies, total.hexdigest())


def _row(line: bytes, where: str) -> tuple[str, Reply]:
    if len(line) > MAX_LINE:
        raise ModelError("answers", got=f"{where}: over {MAX_LINE // 2**20} MB", expected=EXPECTED)
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ModelError("answers", got=f"{where}: no JSON", expected=EXPECTED) from error
    if not isinstance(row, dict) or not isinstance(row.get("custom_id"), str):
        raise ModelError("answers", got=f"{where}: no custom_id", expected=EXPECTED)
    if "url" in row:
        fix = "This is the file of requests; take the one that the provider returned."
        raise ModelError("answers", got=f"{where}: a request", expected=EXPECTED, fix=fix)
    return row["custom_id"], _reply(row)


def _reply(row: Mapping[str, Any]) -> Reply:
    response = row.get("response")
    if row.get("error") or not isinstance(response, Mapping):
        return Reply(error=error_words(row.get("error")) or "an error without words")
    status = response.get("status_code", 200)
    if status != 200:
        return Reply(error=error_words(response.get("body")) or f"status {status!r}"[:20])
    return reply_of(response.get("body"))
