"""What holds for all tests."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import Phase, settings

if TYPE_CHECKING:
    from tests.asking.local_server import Answer, LocalServer

# How long an example takes says how busy the machine is.
settings.register_profile("psa", deadline=None)
# Against a mutant any failing example will do, and the same ones each time.
EXAMPLES = (Phase.explicit, Phase.generate)
settings.register_profile("mutation", deadline=None, derandomize=True, database=None, phases=EXAMPLES)
# `make quick` tries fewer examples; what it misses, `make check` finds.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.load_profile("psa")

# A shell ignores Ctrl-C for what it runs in the background, and so would every program that a test starts and stops.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_random_numbers(request: pytest.FixtureRequest) -> None:
    """A module's ``RANDOM`` begins anew for each test, so that a test draws the same whatever ran before it."""
    random = getattr(request.module, "RANDOM", None)
    if isinstance(random, np.random.Generator):
        state = vars(request.module).setdefault("_RANDOM_STATE", random.bit_generator.state)
        random.bit_generator.state = state


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long an endpoint would have waited each time; it does not."""
    from psa_core.asking import endpoint

    seconds: list[float] = []
    monkeypatch.setattr(endpoint, "time", SimpleNamespace(sleep=seconds.append, monotonic=time.monotonic))
    return seconds


@pytest.fixture
def serve(waited: list[float]) -> Iterator[Callable[[Answer], LocalServer]]:
    """Starts servers of language models on this machine, which answer as a function says; nobody waits for them."""
    from tests.asking.local_server import LocalServer

    servers: list[LocalServer] = []

    def start(answer: Answer) -> LocalServer:
        servers.append(LocalServer(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Streamlit makes the page that it runs the main module, which every process that a later test starts would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
