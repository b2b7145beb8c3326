"""Which range a file's scores are taken to have, from where on they are labelled, and which lie far from all others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.models._answers import FoundRange

SOME = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("scores", "words", "threshold"),
    [
        (SOME.random(999), "0 to 1", None),
        (SOME.integers(0, 2, 999), "0 to 1", None),
        ([0.5, 1.0000005, -0.0000003], "0 to 1", None),
        ([-1, 0.25, 1], "-1 to 1", None),
        ([0.2, 99.7], "0 to 100, from the values in the file; flagged at 50 and above", 50),
        (
            [-7.5, *SOME.normal(-2, 1, 99).clip(-7, 5), 5.5],
            "-8 to 6, from the values in the file; flagged at 0 and above",
            0,
        ),
        ([1, 2, 3, 4, 5], "1 to 5, from the values in the file; flagged at 3 and above", 3),
        ([-3, 11.5], "-3 to 12, from the values in the file; flagged at 0 and above", 0),
        ([-9.5, -0.5], "-10 to 0, from the values in the file; flagged at -5 and above", -5),
        ([3], "3 to 4, from the values in the file; flagged at 3.5 and above", 3.5),
    ],
)
def test_a_range_says_where_it_is_from(scores: list[float], words: str, threshold: float | None) -> None:
    found = FoundRange.of(np.array(scores, np.float32))
    assert found.words.replace("−", "-") == words
    assert found.threshold == threshold
    assert found.warning("joy", np.array(scores), pd.Series(["text"] * len(scores))) == ""


@pytest.mark.parametrize(("wild", "shown"), [(1e6, "1,000,000"), (-1e6, "−1,000,000")])
def test_a_wild_score_is_told_and_moves_no_threshold(wild: float, shown: str) -> None:
    scores = SOME.random(10_000).astype(np.float32)
    scores[17] = wild
    found = FoundRange.of(scores)
    assert {found.low, found.high} >= {wild} and found.threshold == 0.5
    assert found.warning("joy", scores, pd.Series([f"text {i}" for i in range(10_000)])) == (
        "joy: 1 of 10,000 scores is far from the others, which lie within 0 to 1; the farthest is "
        f"{shown}, of 'text 17'. If that is a mistake, correct the file and use it again."
    )


def test_a_declared_range_is_called_so_and_has_its_own_middle() -> None:
    found = FoundRange.of(np.array([0.5] * 20 + [90.0])).declared(0, 100)
    assert (found.words, found.threshold) == ("0 to 100, as declared", None)
    assert found.warning("joy", np.zeros(21), pd.Series([""] * 21)) == ""
