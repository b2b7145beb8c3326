"""Each sentence about groups of names, whole, against a table made by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from psa_core.claims.formatting import Words
from psa_core.claims.groups import (
    ABOUT_SELECTION,
    _without_extreme,
    condition_finding,
    interaction_finding,
    selection_finding,
)

CONDITIONS = pd.DataFrame(
    {
        "condition": ["told", "told", "kind"],
        "group": ["black", "white", "black"],
        "names": [6, 6, 6],
        "n": [24, 24, 24],
        "before": [-0.08, 0.08, -0.08],
        "before_low": [-0.09, 0.07, -0.09],
        "before_high": [-0.07, 0.09, -0.07],
        "after": [-0.05, 0.05, -0.08],
        "after_low": [-0.06, 0.04, -0.09],
        "after_high": [-0.04, 0.06, -0.07],
        "difference": [0.03, -0.03, 0.0],
        "difference_low": [0.02, -0.04, -0.01],
        "difference_high": [0.04, -0.02, 0.01],
        "level_before": 0.6,
        "level": 0.62,
        "p_adjusted": [0.001, 0.001, 1.0],
        "above_noise": [True, True, False],
    }
)
CONDITIONS.attrs = {"first": "none"}
EVIDENCE = (
    "Under “none” it is −0.08 (95 % interval −0.09 to −0.07), under “told” −0.05 (95 % interval −0.06 to −0.04); the "
    "change is +0.03 (95 % interval +0.02 to +0.04), of the same 24 texts with the same names, tested over texts and "
    "over names and corrected for 3 comparisons. The mean score goes from 0.60 to 0.62."
)


def test_a_difference_that_falls_under_a_condition() -> None:
    found = condition_finding(CONDITIONS, "loan", column="race")
    assert found.headline == (
        "Under “told”, the difference in the loan score between “black” names and the other names falls from 0.08 to "
        "0.05."
    )
    assert found.evidence == EVIDENCE and found.is_significant
    assert (found.estimate, found.low, found.high, found.p_adjusted, found.n) == (0.03, 0.02, 0.04, 0.001, 24)


def test_a_difference_that_was_not_there_before_a_condition() -> None:
    new = CONDITIONS[:1].assign(before=0.001, before_low=-0.01, before_high=0.01, after=0.03)
    new.attrs = CONDITIONS.attrs | {"reference": "white"}
    found = condition_finding(new, "loan", column="race")
    assert found.headline == "Under “told”, the loan score of “black” names goes up by 0.03 against “white” names."


def test_a_difference_of_0_in_different_texts_is_none_by_definition() -> None:
    gone = CONDITIONS[:1].assign(after=0.0, after_low=-0.01, after_high=0.01, difference=0.08)
    gone.attrs = CONDITIONS.attrs
    assert condition_finding(gone, "loan", column="race").headline.endswith("falls from 0.08 to 0.00.")
    same = gone.assign(after_low=0.0, after_high=0.0)
    same.attrs = CONDITIONS.attrs
    headline = condition_finding(same, "loan", column="race").headline
    assert headline.endswith("falls from 0.08 to 0.00, by definition: all names make the same text.")


@pytest.mark.parametrize(
    ("difference", "left", "is_one_name"),
    [
        *((0.4, 0.3, False), (-0.4, -0.3, False), (0.4, 0.2, False)),
        *((0.4, 0.19, True), (-0.4, -0.19, True), (0.4, -0.3, True), (-0.4, 0.3, True)),
    ],
)
def test_a_difference_of_which_less_than_half_is_left_is_one_names(
    difference: float, left: float, is_one_name: bool
) -> None:
    words = _without_extreme(pd.Series({"difference": difference, "without_furthest": left}), 2, Words("score"))
    assert words.endswith("is one name's difference, not the group's.") is is_one_name
    assert f"{'+' if left > 0 else '−'}{abs(left):.2f} is left" in words


def test_no_condition_changes_a_difference_beyond_chance() -> None:
    found = condition_finding(CONDITIONS.assign(above_noise=False), "loan", column="race")
    assert found.headline == "No condition is shown to change how the loan score differs between groups by race."
    assert found.evidence == f"The largest change is that of “black” names. {EVIDENCE}" and not found.is_significant
    few = condition_finding(CONDITIONS.assign(n=5), "loan", column="race")
    assert few.headline == "5 sentences are too few to say anything. Results come from 12 on." and few.n == 5


CROSSING = pd.DataFrame(
    {
        "part": ["cells", "interaction", "interaction"],
        "group": ["female*green"] * 2 + ["male*green"],
        "names": [6, 6, 6],
        "n": [40, 40, 40],
        "difference": [0.5, 0.2, -0.1],
        "difference_low": [0.4, 0.1, -0.2],
        "difference_high": [0.6, 0.3, 0.0],
        "noise_low": -0.05,
        "noise_high": 0.05,
        "without_furthest": [0.5, 0.19, -0.04],
        "p_adjusted": [0.001, 0.01, 0.3],
        "above_noise": [True, True, False],
    }
)


def test_an_interaction_and_none() -> None:
    found = interaction_finding(CROSSING, "toxicity", columns="gender*colour")
    assert found.headline == (
        "With “female × green” names, the toxicity score is 0.20 higher than gender and colour alone add up to."
    )
    assert found.evidence == (
        "For “female × green” names it is +0.20 (95 % interval +0.10 to +0.30). Without the one name that makes most "
        "of it, +0.19 is left. Where names differ by their two groups and by chance alone, it is −0.05 to +0.05 "
        "(40 sentences)."
    )
    assert found.is_significant and found.estimate == 0.2
    nothing = interaction_finding(CROSSING.assign(above_noise=False), "toxicity", columns="gender*colour")
    assert nothing.headline == "No clear interaction of gender and colour in the toxicity score."
    assert nothing.evidence == found.evidence and not nothing.is_significant


def test_an_interaction_of_few_sentences_or_of_no_names() -> None:
    few = interaction_finding(CROSSING.assign(n=3), "toxicity", columns="gender*colour")
    assert few.headline.startswith("3 sentences are too few") and few.kind == "interaction"
    untold = interaction_finding(CROSSING[:1], "toxicity", columns="gender*colour")
    assert untold.headline == "Whether gender and colour add up cannot be told: too few names have both."


def test_a_group_that_is_never_selected_is_compared_with_one_that_is() -> None:
    table = pd.DataFrame({"group": ["a", "b"], "names": 2, "n": 100, "rate": [0.6, 0.0], "impact_ratio": [1.0, 0.0]})
    table = table.assign(low=[1.0, 0.0], high=[1.0, 0.05], p_adjusted=0.001, is_lower=[False, True])
    found = selection_finding(table, "loan", column="race")
    assert found.headline == "Of 100 identical texts, 60 are selected with “a” names and 0 with “b” names."
    nobody = selection_finding(table.assign(rate=0.0, is_lower=False), "loan", column="race")
    assert nobody.headline == "No text is selected by the loan score, with any name."


def test_a_study_of_selection_rates_is_no_bias_audit() -> None:
    for words in (
        "a group's selection rate over the highest group's.",
        "has such ratios published and sets no limit; 0.8 is the four-fifths rule of thumb",
        "test data with names put in: they are no bias audit under that law, and say nothing of real applicants.",
    ):
        assert words in ABOUT_SELECTION


def test_selection_rates_that_are_lower_or_not() -> None:
    table = pd.DataFrame(
        {
            "group": ["female", "male"],
            "names": [3, 2],
            "n": [100, 100],
            "rate": [0.6, 0.42],
            "impact_ratio": [1.0, 0.7],
            "low": [1.0, 0.6],
            "high": [1.0, 0.79],
            "p_adjusted": [1.0, 0.001],
            "is_lower": [False, True],
        }
    )
    ratio = "The impact ratio is 0.70 (95 % interval 0.60 to 0.79) (100 texts, 2 and 3 names)."
    found = selection_finding(table, "loan", column="gender")
    assert found.headline == "Of 100 identical texts, 60 are selected with “female” names and 42 with “male” names."
    assert found.evidence == f"{ratio} That is below 0.8, the EEOC's four-fifths rule of thumb."
    unclear = selection_finding(table.assign(is_lower=False), "loan", column="gender")
    assert unclear.headline == "No clear difference in how often groups by gender are selected."
    assert unclear.evidence == f"Of 100 identical texts, 60 with “female” names and 42 with “male” names. {ratio}"
    assert found.is_significant and not unclear.is_significant


@pytest.mark.parametrize(
    ("bounds", "after", "words"),
    [
        (
            (-0.09, -0.07),
            -0.05,
            "the difference in the loan score between “black” names and the other names falls from",
        ),
        (
            (-0.09, -0.07),
            -0.09,
            "the difference in the loan score between “black” names and the other names grows from",
        ),
        ((-0.09, -0.07), 0.0, "the difference in the loan score between “black” names and the other names falls from"),
        ((-0.09, -0.07), 0.05, "the loan score of “black” names goes up by"),
        ((-0.09, 0.0), -0.05, "the loan score of “black” names goes up by"),
        ((0.0, 0.07), -0.05, "the loan score of “black” names goes up by"),
    ],
)
def test_a_difference_grows_or_falls_only_where_it_was_there_and_keeps_its_side(
    bounds: tuple[float, float], after: float, words: str
) -> None:
    table = CONDITIONS[:1].assign(before_low=bounds[0], before_high=bounds[1], after=after)
    table.attrs = CONDITIONS.attrs
    assert words in condition_finding(table, "loan", column="race").headline


@pytest.mark.parametrize(("p", "is_said"), [(0.049, True), (0.05, False)])
def test_a_group_at_the_edge_of_chance(p: float, is_said: bool) -> None:
    assert interaction_finding(CROSSING.assign(p_adjusted=p), "toxicity", columns="a*b").is_significant is is_said
