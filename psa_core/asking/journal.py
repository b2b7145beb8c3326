"""Every answer on disk as it comes, as the server sent it: a run that is killed asks nothing again that was answered.

A line of the journal is a line of a file of results (`records.read_answers`), with the request beside it; so
``answers:`` reads a journal too, and transcripts are read from it.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from psa_core import atomic
from psa_core.asking.prices import Purse
from psa_core.asking.records import Reply, joined, reply_of
from psa_core.errors import OptionError

#: What a result folder calls its answers.
FILE = "answers.jsonl"
_current: ContextVar[Journal | None] = ContextVar("journal", default=None)


@dataclass(eq=False)
class Journal:
    """The answers that one result folder is made of; nothing is on the disk before a server is to be asked.

    The result `folder` may not exist yet; until it does, answers are in a hidden file beside it. The `purse` holds what
    they have cost, those of earlier parts of the run too, and what may be spent.
    """

    folder: Path
    purse: Purse = field(default_factory=Purse)
    _file: IO[bytes] | None = field(default=None, repr=False)
    _opened: ExitStack = field(default_factory=ExitStack, repr=False)
    _places: dict[str, _Place] = field(default_factory=dict, repr=False)
    _used: set[tuple[str, str]] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def path(self) -> Path:
        """Where answers are written while a run goes on."""
        place = self.folder.resolve()
        return place.with_name(f".psa-answers-{hashlib.sha256(place.name.encode()).hexdigest()[:16]}.jsonl")

    def begin(self) -> None:
        """Find what was answered before, and make ready to write; `OptionError` as `appending`."""
        if self._file:
            return
        self._file = self._opened.enter_context(appending(self.path, self.folder, "asking"))
        for path in (self.folder / FILE, self.path):
            with suppress(FileNotFoundError), path.open("rb") as lines:
                end = 0
                for line in lines:
                    start, end = end, end + len(line)
                    # The last line may be one that was being written when a run was killed.
                    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
                        row = json.loads(line)
                        took = replace(reply_of(row["response"]["body"]), answers=())
                        question = _question_of(row["custom_id"], row["request"])
                        self._places[str(row["key"])] = _Place(path, start, question, took)

    def known(self, key: str, custom_id: str, asked: Mapping[str, Any]) -> Any:
        """What a server answered to this request before; None where it did not.

        From the first request of a question on, the earlier answers to it count as this run's: they are kept, and
        were paid for, with its own.
        """
        question = _question_of(custom_id, asked)
        with self._lock:
            if question not in self._used:
                self._used.add(question)
                earlier = [place.took for place in self._places.values() if place.question == question]
                if earlier:
                    self.purse.pay(0.0, reduce(joined, earlier), question[0], len(earlier))
            found = self._places.get(key)
        return json.loads(found.line())["response"]["body"] if found else None

    def write(self, key: str, custom_id: str, asked: Mapping[str, Any], answer: Any) -> None:
        """Append an answer; it is out of this process when this returns."""
        row = {"custom_id": custom_id, "key": key, "request": asked, "response": {"status_code": 200, "body": answer}}
        line = json.dumps(row, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            assert self._file is not None
            self._places[key] = _Place(self.path, self._file.tell(), _question_of(custom_id, asked))
            self._file.write(line)
            self._file.flush()

    @property
    def account(self) -> dict[str, Any]:
        """What was asked and spent, for a manifest; empty where nobody was asked."""
        return {"asked": self.purse.account} if self.purse.requests else {}

    def copy_to(self, folder: Path) -> None:
        """Put what the models of this run answered to its questions into a result folder; no file where they did not.

        That is more than this run asked for: scores that it found in the cache come from answers of an earlier part.
        """
        if kept := [place for place in self._places.values() if place.question in self._used]:
            with (folder / FILE).open("wb") as file:
                file.writelines(place.line() for place in kept)

    def discard(self) -> None:
        """Remove what is beside the folder; its content is in the folder now."""
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Place:
    """Where a line is, which question of which model it answers, and what an answer of an earlier run took."""

    path: Path
    start: int
    question: tuple[str, str]
    took: Reply = field(default=Reply(), repr=False)

    def line(self) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self.start)
            return file.readline()


def _question_of(custom_id: Any, asked: Mapping[str, Any]) -> tuple[str, str]:
    return str(asked.get("model", "")), str(custom_id).rpartition("-")[0]


def current() -> Journal | None:
    """The journal of the block that this thread is in, ready to be written to."""
    journal = _current.get()
    if journal:
        journal.begin()
    return journal


def key_of(address: str, body: Mapping[str, Any]) -> str:
    """Tells a request from others: who is asked, and everything that is sent."""
    content = f"{address}\0{json.dumps(body, sort_keys=True)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:32]


@contextmanager
def kept_for(folder: Path, most: float | None = None) -> Iterator[Journal]:
    """Keep what servers answer in this block for a result folder; the models that are to be asked are loaded in it.

    `most` is what may be spent, in dollars; nothing is asked beyond that.
    """
    journal = Journal(Path(folder), Purse(most))
    token = _current.set(journal)
    try:
        with journal._opened:  # the place is given free at the end; what was answered stays there
            yield journal
    finally:
        _current.reset(token)


@contextmanager
def appending(path: Path, folder: Path, doing: str) -> Iterator[IO[bytes]]:
    """A file beside a result folder to append lines to, readable by its owner only; one without any is removed.

    Raises `OptionError` when another run is `doing` the same for the folder, or the place cannot be written to.
    """
    guard = FileLock(f"{path}.lock", timeout=0, mode=atomic.ONLY_MINE_FILE)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        guard.acquire()
        path.touch(atomic.ONLY_MINE_FILE)
        path.chmod(atomic.ONLY_MINE_FILE)
        file = path.open("a+b")
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")  # a run was killed while it wrote: what follows begins on a line of its own
                file.flush()
    except Timeout as error:
        got = f"{folder}, for which another run is {doing}"
        raise OptionError("--out", got=got, expected="one run at a time") from error
    except OSError as error:
        got = f"{folder} ({error.strerror or error})"
        raise OptionError("--out", got=got, expected="a folder to write to") from error
    try:
        yield file
    finally:
        file.close()
        if path.is_file() and not path.stat().st_size:
            path.unlink()
        guard.release()
        Path(guard.lock_file).unlink(missing_ok=True)
