"""What holds for all tests."""

import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings

# How long an example takes says how busy the machine is.
settings.register_profile("psa", deadline=None)
# Against a mutant any failing example will do, and the same ones each time.
EXAMPLES = (Phase.explicit, Phase.generate)
settings.register_profile("mutation", deadline=None, derandomize=True, database=None, phases=EXAMPLES)
settings.load_profile("psa")

# A shell ignores Ctrl-C for what it runs in the background, and so would every program that a test starts and stops.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Streamlit makes the page that it runs the main module, which every process that a later test starts would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
