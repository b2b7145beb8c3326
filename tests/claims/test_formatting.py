"""How the size of a change is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.claims.formatting import Words, duration, number, percent, score_digits, with_interval
from psa_core.stats import labels_at


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


def test_a_change_an_interval_and_a_threshold_are_in_the_unit_of_their_target() -> None:
    row = {"value": 0.091, "low": 0.0724, "high": 0.11}
    words = [Words("the toxicity score"), Words("the chance of “Yes”", "points")]
    assert [one.change(-0.012) for one in words] == ["−0.01", "−1 point"]
    assert [one.change(0.0912, digits=3) for one in words] == ["+0.091", "+9.1 points"]
    assert [one.exact(0.025) for one in words] == ["0.025", "2.5 points"]
    assert [one.at(0.07) for one in words] == ["0.07", "7 %"]
    assert [with_interval(row, "value", signed=True, words=one) for one in words] == [
        "+0.09 (95 % interval +0.07 to +0.11)",
        "+9 points (95 % interval +7 to +11)",
    ]
    assert with_interval({"value": 0.5}, "value", words=words[1]) == "50 points"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.01, "1 s"), (59.4, "59 s"), (59.6, "1 min"), (90, "2 min"), (3569, "59 min"), (3600, "1.0 h")],
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("score", "threshold", "written"),
    [
        (0.4976, 0.5, "0.498"),
        (0.5, 0.5, "0.50"),
        (0.502, 0.5, "0.50"),
        (0.49999997, 0.5, "0.49999997"),
        (-0.2504, -0.25, "−0.2504"),
        (0.506, 0.505, "0.51"),
        (0.1, 0.5, "0.10"),
    ],
)
def test_a_score_beside_a_threshold_is_seen_to_be_on_its_side(score: float, threshold: float, written: str) -> None:
    assert number(score, digits=score_digits([score], threshold)) == written


@given(st.floats(-1, 1, width=32), st.floats(-1, 1).map(lambda value: round(value, 3)))
def test_a_written_score_has_the_label_of_the_score(score: float, threshold: float) -> None:
    written = round(score, score_digits([score], threshold))
    assert bool(labels_at(written, threshold)) == bool(labels_at(score, threshold)) or abs(score - threshold) < 1e-7


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0 %"),
        (0.5, "50 %"),
        (0.995, "99.5 %"),
        (0.034, "3.4 %"),
        (0.0004, "0.04 %"),
        (0.0999, "10.0 %"),
        (1.0, "100 %"),
        (1e-7, "under 0.01 %"),
    ],
)
def test_a_share_is_never_written_as_a_power_of_ten(share: float, written: str) -> None:
    assert percent(share) == written
