from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from psa_core.asking import endpoint
from tests.asking.local_server import Answer, LocalServer


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], LocalServer]]:
    servers: list[LocalServer] = []

    def start(answer: Answer) -> LocalServer:
        servers.append(LocalServer(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long an endpoint would have waited each time; it does not."""
    seconds: list[float] = []
    monkeypatch.setattr(endpoint, "time", SimpleNamespace(sleep=seconds.append, monotonic=time.monotonic))
    return seconds
