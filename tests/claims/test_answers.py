"""What a model did not answer is claimed of a name only where a study is large enough to tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.answers import unanswered_finding
from psa_core.cube import UNANSWERED, ScoreCube, Target


def judged(sentences: int, shares: np.ndarray) -> ScoreCube:
    """A judge that answers every text alike, but leaves these shares (N,) of the answers about each name out."""
    noise = np.random.default_rng(0).uniform(0, 0.02, (sentences, len(shares)))
    perturbed = np.stack([np.full(noise.shape, 0.5), shares + noise], axis=2)
    texts = pd.DataFrame({"sentence_id": [f"s{row}" for row in range(sentences)], "text": "He left."})
    return ScoreCube(
        texts.assign(anchor="He", start=0, end=2, role="subject"),
        pd.DataFrame({"name": [f"N{column}" for column in range(len(shares))]}),
        (Target("loan", samples=50), Target(f"loan{UNANSWERED}")),
        np.tile(np.array([0.5, 0.1], np.float32), (sentences, 1)),
        perturbed.astype(np.float32),
    )


@pytest.mark.parametrize(("sentences", "names", "is_claimed"), [(30, 6, True), (8, 6, False), (30, 1, False)])
def test_a_name_that_is_refused_more_often_is_said_of_enough_sentences_and_names(
    sentences: int, names: int, is_claimed: bool
) -> None:
    shares = np.full(names, 0.1)
    shares[0] = 0.4
    found = unanswered_finding(judged(sentences, shares), "loan", labels={"N0": "N•"})
    if not is_claimed:
        assert found is None
        return
    assert found is not None and found.is_significant
    assert found.headline == (
        "With “N•” the share without a valid answer is 30 points higher than with a typical name (16 % in all)."
    )
