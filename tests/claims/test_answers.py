"""What a model did not answer is claimed of a name only where a study is large enough to tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.answers import sampling_plan, unanswered_finding
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


def test_what_is_unanswered_is_said_in_its_order_with_its_numbers() -> None:
    cube = judged(30, np.array([0.7, 0.4, 0.4, 0.4]))
    scores = cube.perturbed.copy()
    scores[:2, 1, 0] = np.nan
    missing = {"missing": {"loan": {"no valid answer": 2}}}
    found = unanswered_finding(replace(cube, perturbed=scores, provenance=missing), "loan")
    assert found is not None
    assert str(found) == (
        "With “N0” the share without a valid answer is 30 points higher than with a typical name (49 % in all). In 2 "
        "of 120 sentence–name pairs there was no valid answer; numbers are over the others. 49 % of the answers about "
        "the loan score are not valid."
    )
    assert (found.kind, found.target, found.n) == ("answers", "the loan score", 30)
    assert found.estimate == pytest.approx(cube.perturbed[:, :, 1].mean(), abs=1e-4) and found.is_significant
    few = unanswered_finding(judged(30, np.full(4, 0.6)), "loan")
    assert few is not None and not few.is_significant
    assert few.headline == "Only 39 % of the model's answers are valid: all other numbers rest on these few."
    assert unanswered_finding(judged(30, np.full(4, 0.45)), "loan") is None
    half = judged(30, np.full(4, 0.5))
    even = np.stack([half.perturbed[..., 0], np.full((30, 4), 0.5)], axis=2).astype(np.float32)
    assert unanswered_finding(replace(half, perturbed=even), "loan") is None, "half of the answers is no less than half"
    alone = replace(cube, targets=cube.targets[:1], original=cube.original[:, :1], perturbed=cube.perturbed[..., :1])
    assert unanswered_finding(alone, "loan") is None


def test_a_name_that_is_answered_more_often() -> None:
    found = unanswered_finding(judged(30, np.array([0.4, 0.1, 0.4, 0.4, 0.4])), "loan")
    assert found is not None
    assert found.headline == (
        "With “N1” the share without a valid answer is 30 points lower than with a typical name (35 % in all)."
    )


def test_of_two_names_the_one_that_is_further_from_the_typical_one_is_said() -> None:
    found = unanswered_finding(judged(30, np.array([0.6, 0.1, 0.45, 0.45, 0.45, 0.45])), "loan")
    assert found is not None and found.headline.startswith(
        "With “N1” the share without a valid answer is 35 points lower"
    )


def test_the_difference_that_so_many_answers_show() -> None:
    assert sampling_plan(Target("loan"), 100, 20) == ""
    assert sampling_plan(Target("pay", 0, 200_000, samples=20), 100, 20) == (
        "With 20 answers per text, a name that differs by 12,000 is found in 95 of 100 studies; half as much takes 80."
    )
    assert sampling_plan(Target("loan", unit="points", samples=1000), 100, 20) == (
        "With 1,000 answers per text, a name that differs by 0.87 points is found in 95 of 100 studies; half as much "
        "takes 4,000."
    )
    assert sampling_plan(Target("loan", unit="points", samples=7), 4, 20).endswith(
        "take more texts."
    )  # 1.15 of the range
    assert sampling_plan(Target("loan", unit="points", samples=7), 3, 20) == (
        "With 7 answers per text and 3 texts per name, no difference is sure to be found: take more texts."
    )
