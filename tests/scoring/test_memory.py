"""Memory grows in proportion to the cells, and slowly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from psa_core.cache import ScoreCache
from psa_core.cube import Target
from psa_core.scoring import score, score_cells

class Lengths:
    fingerprint = "lengths-1"
    targets = (Target("length", 0, 200),)
    def score(self, texts):
        return np.fromiter(map(len, texts), dtype=np.float32).reshape(-1, 1)

class Cells:
    names = tuple(f"Person Number {i}" for i in range(1000))
    def __init__(self, sentences):
        self.sentences = sentences
    def originals(self):
        return [f"I met them when I was in town {i} times." for i in range(self.sentences)]
    def row(self, i):
        return [f"I met {name} when I was in town {i} times." for name in self.names]

score(Lengths(), ["warm up"])
# getrusage would go on from the peak of the process that started this one.
peak = lambda: int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
before = peak()
scores = score_cells(Lengths(), Cells(int(sys.argv[1])), cache=ScoreCache.open())
assert scores.texts_scored == int(sys.argv[1]) * 1001
print(peak() - before)
"""


def peak_mib(sentences, cache, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(cache))
    command = [sys.executable, "-c", PROGRAM, str(sentences)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux's /proc")
def test_a_million_cells_take_less_than_300_mib_and_memory_is_linear(tmp_path, monkeypatch):
    quarter, half, whole = (peak_mib(n, tmp_path / str(n), monkeypatch) for n in (250, 500, 1000))
    assert (
        60 <= whole <= 300
    )  # a million scores and digests are 20 MB at least: less would mean that nothing was measured
    assert whole - half <= 1.3 * 2 * max(half - quarter, 20)
