"""Pages of a study in which a language model did not always answer, and of one that says Yes and No at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core.cube import ScoreCube, Target
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
SAMPLES = 20


def asked(seed: int = 0) -> ScoreCube:
    """The usual study's sentences and names, judged at random; the first name is refused more often."""
    cube = result_studies.cube()
    random = np.random.default_rng(seed)
    cells = np.empty((cube.shape[0], cube.shape[1] + 1, 2), np.float32)
    chances = np.full(cells.shape[:2], 0.98)
    chances[:, 1] = 0.1
    valid = random.binomial(SAMPLES, chances)
    valid[::3, 1] = 0
    cells[:, :, 0] = np.where(valid, random.binomial(valid, 0.5) / np.maximum(valid, 1), np.nan)
    cells[:, :, 1] = 1 - valid / SAMPLES
    targets = (
        Target("interview", unit="points", phrase="chance of a Yes", samples=SAMPLES),
        Target("interview_unanswered", unit="points", samples=SAMPLES),
    )
    missing = {"interview": {"no valid answer": int(np.isnan(cells).sum())}}
    found = {**cube.provenance, "targets": [vars(target) for target in targets], "missing": missing}
    return replace(cube, targets=targets, original=cells[:, 0], perturbed=cells[:, 1:], provenance=found)


@pytest.mark.parametrize("page", ["study", "names", "thresholds", "sentences", "compare", "report", "present"])
def test_every_page_opens_and_no_chance_is_called_a_difference(page: str, open_page: OpenPage, words_of: Words) -> None:
    said = words_of(open_page(page, run=result_studies.keep(asked())))
    if page == "study":
        first = said.index("the share without a valid answer is")
        assert first < said.index("No name is shown to change the chance of a Yes")
    if page in ("study", "report"):
        assert (
            "No clear difference: changing the name moves the chance of a Yes no more than asking again does." in said
        )
