"""How the size of a change is written."""

from __future__ import annotations

import pytest

from psa_core.claims.formatting import Words, duration


@pytest.mark.parametrize(
    ("value", "written"), [(0.09, "9 points"), (-0.01, "1 point"), (0.004, "0.4 points"), (0.0, "0 points")]
)
def test_points_have_as_many_digits_as_show_a_small_change(value: float, written: str) -> None:
    assert Words("the chance of “Yes”", "points").size(value) == written


def test_other_scores_have_two_digits_or_more_and_are_never_shown_as_zero() -> None:
    words = Words("the toxicity score")
    assert [words.size(value) for value in (0.5, -0.004, 0.0)] == ["0.50", "0.004", "0.00"]
    assert words.size(1e-9) == "less than 0.000001"
    assert Words("the chance of “Yes”", "points").size(1e-9) == "under 0.0001 points"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.01, "1 s"), (59.4, "59 s"), (59.6, "1 min"), (90, "2 min"), (3569, "59 min"), (3600, "1.0 h")],
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words
