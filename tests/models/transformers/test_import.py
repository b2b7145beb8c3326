"""Threads that load models at once in a fresh process find transformers complete."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import threading
from psa_core.models._transformers import import_transformers
together, failed = threading.Barrier(3), []
def load(name):
    together.wait()
    try:
        import_transformers()
        exec(f"from transformers import {name}")
    except ImportError as error:
        failed.append(error)
names = ("AutoConfig", "AutoTokenizer", "CONFIG_MAPPING")
threads = [threading.Thread(target=load, args=(name,)) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


@pytest.mark.slow
def test_threads_that_import_it_at_once_find_all_of_it() -> None:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == "[]"
