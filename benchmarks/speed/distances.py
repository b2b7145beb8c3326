"""How long the distances of the largest audit of the paper take: 10 templates × 29 values × 1,000 continuations."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.speed.table import Row
from psa_core.stats.fairness import measure
from psa_core.stats.transport import group_fairness, individual_fairness

SHAPE = (10, 29, 1000)
GOAL = 2.0


def rows() -> Iterator[Row]:
    """Measure, in processor time of one thread."""
    scores = np.random.default_rng(0).random(SHAPE).astype(np.float32)
    groups = [str(value) for value in range(SHAPE[1])]
    shape = " × ".join(f"{size:,}" for size in SHAPE)
    began = time.process_time()
    individual_fairness(scores), group_fairness(scores, groups)
    took = time.process_time() - began
    yield Row(f"W1, I.F. and G.F. of {shape} scores", f"< {GOAL:g} s", f"{took:.2f} s", took < GOAL)
    began = time.process_time()
    measure(scores, groups)
    yield Row("the same with floors, p-values and intervals", "", f"{time.process_time() - began:.1f} s")
