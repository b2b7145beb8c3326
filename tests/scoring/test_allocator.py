"""Memory that was freed is used again without asking the system for its pages."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import resource
import numpy as np
from psa_core.scoring.backends.forward import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        blocks = [np.ones(1_000_000) for _ in range(10)]
        del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
given_back = faults()
kept = keep_freed_memory()
faults()
print(kept, given_back, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be asked")
def test_pages_are_asked_for_once():
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True, capture_output=True, text=True)
    kept, given_back, after = done.stdout.split()
    assert kept == "True"
    assert int(after) < int(given_back) / 10


def test_where_it_cannot_be_asked_it_says_so(monkeypatch):
    from psa_core.scoring.backends import forward

    monkeypatch.setattr(forward.ctypes, "CDLL", lambda name: object())
    assert forward.keep_freed_memory.__wrapped__() is False
