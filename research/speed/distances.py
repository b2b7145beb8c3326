"""How long LabelDist at all thresholds takes, and the distances of an audit as large as the largest of the paper."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from psa_core import metrics
from psa_core.stats.fairness import measure
from psa_core.stats.wasserstein import group_fairness, individual_fairness
from research.speed.table import Row

SHAPE = (10, 29, 1000)
GOAL = 2.0


def rows() -> Iterator[Row]:
    """Measure; an audit's, 10 templates × 29 values × 1,000 continuations, in processor time of one thread."""
    yield _label_dist()
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


def _label_dist() -> Row:
    rng = np.random.default_rng(0)
    original, perturbed = rng.random(1_000, np.float32), rng.random((1_000, 500), np.float32)
    thresholds = np.unique(np.concatenate([original, perturbed.ravel()]))
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        metrics.label_dist(original, perturbed, thresholds)
        seconds.append(time.perf_counter() - began)
    title = f"LabelDist at every threshold ({len(thresholds):,}), 1,000 × 500"
    return Row(title, "≤ 0.1 s", f"{np.median(seconds):.3f} s", bool(np.median(seconds) <= 0.1))
