"""Runs of a test are its own, and its workers are gone when it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from psa_core import jobs
from psa_core.jobs import _queue


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PSA_HISTORY", raising=False)
    yield
    for place in jobs.run_status.run_folders():  # what waits for its turn is not to be started by a worker that ends
        (place / jobs.CANCEL).touch()
    for child in _queue._children:
        child.wait()
    _queue._children.clear()


class Pretended:
    """Workers that only hold their run's lock, in the order in which they were started."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self._locks: dict[str, int] = {}

    def spawn(self, place: Path, _job: object, lock: int) -> SimpleNamespace:
        self.started.append(place.name)
        self._locks[place.name] = os.dup(lock)
        return SimpleNamespace(poll=lambda: 0, wait=lambda: 0)

    def end(self, run_id: str) -> None:
        """End one without a word, as a worker that is killed does."""
        os.close(self._locks.pop(run_id))


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pretended]:
    """Runs that get a pretended worker when their turn comes."""
    pretended = Pretended()
    monkeypatch.setattr(_queue, "_spawn", pretended.spawn)
    yield pretended
    for run_id in list(pretended._locks):
        pretended.end(run_id)
