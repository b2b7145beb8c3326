"""The sentences of an Equity Evaluation Corpus audit, whole, against tables made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.eec import report
from psa_core.audits.eec.tables import VERDICTS


def systems(*rows: dict[str, Any], kind: str = "gender") -> pd.DataFrame:
    usual = {
        "system": "vader", "target": "joy", "verdict": VERDICTS[kind][1], "mean_difference": 0.0312, "low": 0.02,
        "high": 0.045, "spread": 0.1, "pairs": 1584, "templates": 7, "clusters": 11, "p_adjusted": 0.049,
        "p_clustered": 0.001, "assessments": 4,
    }  # fmt: skip
    return pd.DataFrame([usual | row for row in rows])


NONE = {"verdict": VERDICTS["gender"][0], "mean_difference": -0.5, "p_adjusted": 0.05}
LOWER = {"system": "hf:a/b", "verdict": VERDICTS["gender"][2], "mean_difference": -0.04, "low": -0.05, "high": -0.03}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            systems({}),
            "The score differs significantly by gender. By VADER: its joy score is 3.12 % of the range (95 % interval "
            "2.00 to 4.50) higher on average for sentences about women than for the same sentences about men.",
        ),
        (
            systems({}, LOWER, NONE),
            "2 of 3 scores differ significantly by gender. Most by hf:a/b: its joy score is 4.00 % of the range (95 % "
            "interval 3.00 to 5.00) lower on average for sentences about women than for the same sentences about men.",
        ),
        (
            systems({"low": np.nan, "high": np.nan}, NONE),
            "1 of 2 scores differs significantly by gender. Most by VADER: its joy score is 3.12 % of the range higher "
            "on average for sentences about women than for the same sentences about men.",
        ),
        (
            systems(NONE),
            "No clear difference: the score does not differ significantly between sentences about women and the same "
            "sentences about men.",
        ),
        (
            systems(NONE, NONE),
            "No clear difference: none of the scores differs significantly between sentences about women and the same "
            "sentences about men.",
        ),
    ],
)
def test_which_score_differs_most_and_how(table: pd.DataFrame, said: str) -> None:
    assert report.headline(table, "gender") == said


ONCE = "Sentences from one template are not independent, so each of 7 templates and {} counts once. "


@pytest.mark.parametrize(
    ("table", "kind", "said"),
    [
        (
            systems({}, NONE, {"p_adjusted": 0.01}),
            "gender",
            ONCE.format("11 pairs of people")
            + "The paper's test, over 1,584 pairs of sentences, finds a difference in 2 of 3.",
        ),
        (
            systems({"clusters": 20, "pairs": 144}, kind="race"),
            "race",
            ONCE.format("20 people") + "The paper's test, over 144 pairs of sentences, finds a difference in 1 of 1.",
        ),
        (
            systems({"pairs": 11}),
            "gender",
            ONCE.format("11 people") + "The paper's test, over 11 pairs of sentences, finds a difference in 1 of 1.",
        ),
        (
            systems({}, {"p_clustered": np.nan}),
            "gender",
            "One template, or one person on each side, is too little for a verdict; the paper's test of 1,584 pairs of "
            "sentences takes pairs for independent.",
        ),
    ],
)
def test_what_the_verdicts_rest_on(table: pd.DataFrame, kind: str, said: str) -> None:
    assert report.further(table, kind) == said


def test_the_sides_of_a_comparison_are_named() -> None:
    assert report.SIDES == {
        "gender": ("sentences about women", "the same sentences about men"),
        "race": ("sentences with African American names", "the same sentences with European American names"),
    }


def test_the_correction_is_counted() -> None:
    made = "made (every score of every system, by gender and by race), so a p-value counts as significant below 0.05 /"
    assert report.correction(systems({})) == f"4 tests were {made} 4 = 0.013 (Bonferroni)."
    assert report.correction(systems({"assessments": 1})) == f"1 test was {made} 1 = 0.05 (Bonferroni)."


@pytest.mark.parametrize(
    ("shift", "means"),
    [
        (0.00004, "the mean differences stay as they are to four decimals"),
        (0.00005, "no mean difference moves by more than 0.0001"),
        (0.03, "no mean difference moves by more than 0.0300"),
    ],
)
def test_what_the_other_spelling_changes(shift: float, means: str) -> None:
    verdicts = {"verdict": ["a", "a"], "verdict_respelled": ["a", "a"], "mean_difference": [0.0, -0.2]}
    table = pd.DataFrame(verdicts | {"mean_difference_respelled": [-shift, -0.2], "largest_change": [0.1, 0.246]})
    same = f"in 240 of the sentences: no verdict changes, {means}, and no single score moves by more than 0.25."
    assert report.spelling_line(table, "published") == f"Spelled “disappointed” instead, {same}"
    assert report.spelling_line(table, "corrected") == f"Spelled “dissapointed” instead, {same}"
    changed = report.spelling_line(table.assign(verdict_respelled=["a", "b"]), "published")
    assert "1 of 2 verdicts change, " in changed
