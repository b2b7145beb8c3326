"""What bookkeeping costs: a scorer that takes no time, from ten thousand to ten million cells, new and known."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from psa_core.cache import ScoreCache
from psa_core.cube import Target
from psa_core.scoring import score_cells
from research.speed.table import Row
from research.speed.texts import Grid

#: What a run may take beyond the start, by cells.
MAX_MIB = {1_000_000: 300, 10_000_000: 1_200}


class Lengths:
    """A scorer that takes next to no time."""

    fingerprint = "benchmark-lengths-1"
    targets = (Target("length", 0, 500),)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Characters of each text: float32 array (n, 1)."""
        return np.fromiter(map(len, texts), dtype=np.float32, count=len(texts)).reshape(-1, 1)


def rows() -> Iterator[Row]:
    """Measure."""
    growth = []
    for sentences, names in ((100, 100), (1_000, 100), (1_000, 1_000), (10_000, 1_000)):
        found = _apart("measure", sentences, names)
        growth.append(found)
        most = MAX_MIB.get(sentences * names)
        goal, met = (f"≤ {most:,} MiB", found["mib"] <= most) if most else ("", None)
        cells = f"{sentences * names:,} cells of a cheap scorer, cache written"
        yield Row(cells, goal, f"{found['seconds']:.1f} s, {found['mib']:.0f} MiB beyond the start", met)
    seconds, mib = ((growth[-1][what] - growth[-2][what]) / 9 for what in ("seconds", "mib"))
    yield Row("each million cells more, from 1 to 10 million", "", f"{seconds:.1f} s, {mib:.0f} MiB")
    known = _apart("measure_again", 1_000, 100)
    yield Row(
        "100,000 cells again, all known",
        "≤ 1 s, 0 texts scored",
        f"{known['seconds']:.2f} s, {known['scored']:.0f} texts scored",
        known["seconds"] <= 1 and known["scored"] == 0,
    )
    more = int(known["one_more_scored"])
    yield Row("one more name on 1,000 × 100", "≤ 1,000 texts scored", f"{more:,} texts scored", more <= 1_000)


def measure(sentences: int, names: int) -> dict[str, float]:
    """Score a grid in this process and a new store."""
    with tempfile.TemporaryDirectory() as folder:
        start = _peak_mib()
        cache = ScoreCache(Path(folder))
        seconds = score_cells(Lengths(), Grid(sentences, names), cache=cache).seconds
        cache.close()
    return {"seconds": seconds, "mib": _peak_mib() - start}


def measure_again(sentences: int, names: int) -> dict[str, float]:
    """Score a known grid, then one with one more name."""
    with tempfile.TemporaryDirectory() as folder:
        cache = ScoreCache(Path(folder))
        score_cells(Lengths(), Grid(sentences, names), cache=cache)
        began = time.perf_counter()
        again = score_cells(Lengths(), Grid(sentences, names), cache=cache)
        seconds = time.perf_counter() - began
        more = score_cells(Lengths(), Grid(sentences, names + 1), cache=cache)
        cache.close()
    return {"seconds": seconds, "scored": again.texts_scored, "one_more_scored": more.texts_scored}


def _peak_mib() -> float:
    """The most memory this process ever held."""
    status = Path("/proc/self/status")
    if status.exists():  # the other count goes on from that of the process that started this one
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def _apart(work: str, sentences: int, names: int) -> dict[str, float]:
    """A measurement in a process of its own, whose memory nothing else has touched."""
    program = (
        f"import json; from research.speed.cells import {work} as work; print(json.dumps(work({sentences}, {names})))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found
