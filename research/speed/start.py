"""How soon a transformer answers after a start: the first time on a machine, and the second time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import numpy as np

from psa_core import models, scoring
from psa_core.inputs import names
from research.speed.table import Row

#: What *Try it* opens with: one sentence with each of a few names.
TEXTS, STARTS, GOAL = 20, 5, 1.0


def rows() -> Iterator[Row]:
    """Measure."""
    first, later = [], []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as folder:
            first.append(_start(folder))
            later.append(_start(folder))
    yield Row(f"first start: {TEXTS} texts by a transformer whose weights are loaded", "", f"{np.median(first):.2f} s")
    got = float(np.median(later))
    yield Row("second start: the same", f"≤ {GOAL:g} s", f"{got:.2f} s", got <= GOAL)


def measure() -> float:
    """Seconds until the first answer of a model whose weights are loaded."""
    card = next(card for card in models.cards() if card.id.startswith("minilm-"))
    scorer = models.load(card.id)
    _ = scorer.model  # type: ignore[attr-defined]  # reads the weights
    texts = [f"I hate {name}." for name in names.load("demo").table["name"][:TEXTS]]
    began = time.perf_counter()
    scoring.score(scorer, texts)
    return time.perf_counter() - began


def _start(folder: str) -> float:
    """A start of its own, with what earlier starts in this folder remembered."""
    program = "import json; from research.speed.start import measure; print(json.dumps(measure()))"
    environment = {**os.environ, "PSA_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    return float(json.loads(done.stdout))
