"""One long text among many costs what it holds: no array of strings makes the others as wide."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.quality import semantic_similarity
from psa_core.cube import Target
from psa_core.inputs.groups import labels_of
from psa_core.mitigate import halves
from psa_core.retraining.measure import labelled_texts

LONG, OTHERS = "a" * 2**20, 60  # as strings of one width: 4 MB each, 250 MB
MAX_BYTES = 60e6


def _labels(place: Path) -> object:
    (place / "labelled.csv").write_text(
        "text,label\n" + "".join(f"He is {n}.,b\n" for n in range(OTHERS)) + f"I.,{LONG}"
    )
    return labelled_texts(str(place / "labelled.csv"), most=100)


def _groups(_: Path) -> object:
    names = pd.DataFrame({"name": [f"n{n}" for n in range(OTHERS + 1)], "group": [LONG, *["b"] * OTHERS]})
    return labels_of(names, "group")


def _halves(_: Path) -> object:
    return halves(pd.DataFrame({"name": [f"n{n}" for n in range(OTHERS + 1)], "group": [LONG, *["b"] * OTHERS]}))


def _continuations(_: Path) -> object:
    texts = np.array([[[LONG, *[f"{n} left." for n in range(OTHERS)]]] * 2], object)
    scores = np.zeros((*texts.shape, 1), np.float32)
    values = pd.DataFrame({"value": ["Ann", "Bo"]})
    cube = GenerationCube(pd.DataFrame({"template": ["{value}"]}), values, (Target("mood"),), texts, scores)
    return semantic_similarity(cube, _ones)


def _ones(texts: Sequence[str]) -> np.ndarray:
    return np.ones((len(texts), 1), np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("use", [_labels, _groups, _halves, _continuations])
def test_one_long_text_widens_no_other(use: Callable[[Path], object], tmp_path: Path) -> None:
    tracemalloc.start()
    use(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MAX_BYTES
