"""What a difference between answers is called, in both directions, and when a report lists it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.chats import measures, report
from psa_core.audits.chats.measures import Measure, of_grader, of_scorer

#: The size of a difference of 0.1 to 0.3 around 0.2, in the words of each kind of measure, where the first mean is 2.
RELATIVE, SHARE, PLAIN = "10 % [5, 15]", "20 points of 100 [10, 30]", "0.2 school grades [0.1, 0.3]"


@pytest.mark.parametrize(
    ("measure", "more", "less", "title"),
    [
        (measures.WORDS, f"{RELATIVE} longer", f"{RELATIVE} shorter", "length in words"),
        (
            measures.SENTENCES,
            f"with {RELATIVE} more sentences",
            f"with {RELATIVE} fewer sentences",
            "number of sentences",
        ),
        (measures.GRADE, f"{PLAIN} harder to read", f"{PLAIN} easier to read", "reading level (school grade)"),
        (
            measures.REFUSAL,
            f"refusals more often, by {SHARE}",
            f"refusals less often, by {SHARE}",
            "share of refusals",
        ),
        (
            measures.DISTANCE,
            f"{SHARE} further from the others’ answers",
            f"{SHARE} nearer to the others’ answers",
            "distance from the answers to others",
        ),
        (
            measures.NUMBER,
            f"{RELATIVE} higher in the number asked for",
            f"{RELATIVE} lower in the number asked for",
            "number that was asked for",
        ),
        (
            measures.NO_NUMBER,
            f"more often without the number, by {SHARE}",
            f"less often without the number, by {SHARE}",
            "share without the number",
        ),
        (
            of_scorer("vader", "senti{ment}"),
            f"{SHARE} higher in sentiment by VADER",
            f"{SHARE} lower in sentiment by VADER",
            "senti{ment} by VADER",
        ),
        (
            of_grader("help"),
            f"picked more often by the grader (help), by {SHARE}",
            f"picked less often by the grader (help), by {SHARE}",
            "picked by the grader (help)",
        ),
    ],
)
def test_each_measure_is_told_in_both_directions(measure: Measure, more: str, less: str, title: str) -> None:
    row = {"difference": 0.2, "low": 0.1, "high": 0.3, "mean_a": 2.0}
    assert report.clause(row, measure) == more and measure.title == title
    turned = row | {"difference": -0.2, "low": -0.3, "high": -0.1}
    assert report.clause(turned, measure) == less
    _, interval = report.size_words(turned, measure, signed=True)
    assert [end.startswith("−") for end in interval.strip("[]").split(", ")] == [True, True]


def gaps(**columns: object) -> pd.DataFrame:
    row = {
        "measure": "words", "column": "gender", "group_a": "male", "group_b": "female", "people_a": 8, "people_b": 8,
        "mean_a": 40.0, "mean_b": 41.0, "difference": 1.0, "low": 0.4, "high": 2.0, "tasks_low": 0.2, "tasks_high": 2.4,
        "floor": 0.8, "repeat_floor": np.nan, "corrected": 0.4, "p_value": 0.01, "p_adjusted": 0.049, "same_sign": 30,
        "tasks": 40,
    }  # fmt: skip
    return pd.DataFrame([row | columns])


def test_each_cell_of_a_difference_is_in_the_unit_of_its_measure() -> None:
    shown = report._gaps(gaps(), {"words": measures.WORDS}).iloc[0]
    assert shown.to_dict() == {
        "measure": "length in words", "answers to": "people read as women", "against": "people read as men",
        "p": 0.01, "p, Holm": 0.049, "difference": "+2 %", "95 % interval": "[1, 5]", "noise": "2 %",
        "sampling alone": "–", "corrected": "1.0 %", "tasks alike": "30 of 40",
    }  # fmt: skip
    at_edge = report._gaps(gaps(p_adjusted=0.05), {"words": measures.WORDS}).iloc[0]
    assert at_edge["corrected"] == ""


def test_a_difference_that_other_tasks_might_not_show() -> None:
    said = {
        low: report.finding(gaps(tasks_low=low), {"words": measures.WORDS}, {}, shape=(40, 16, 5)).evidence
        for low in (-0.1, 0.0, 0.1)
    }
    doubt = "30 of 40 tasks differ in this direction. It is shown for these tasks; other tasks might not show it. "
    assert [text.startswith(doubt) for text in said.values()] == [True, True, False]
    assert said[-0.1] == doubt + (
        "40 tasks, 16 people, 5 answers to each; 1 comparison, p corrected for their number (Holm) and found by "
        "exchanging people. In brackets: 95 % intervals over people."
    )
    turned = gaps(difference=-1.0, low=-2.0, high=-0.4, tasks_low=-2.4, tasks_high=0.0)
    assert "other tasks might not" in report.finding(turned, {"words": measures.WORDS}, {}, shape=(40, 16, 5)).evidence


def test_no_two_groups() -> None:
    assert str(report.finding(gaps().iloc[:0], {}, {}, shape=(1, 1200, 1))) == (
        "No two groups of people can be compared: the list has no column with two groups of two people or more. 1 "
        "task, 1,200 people, 1 answer to each."
    )


def test_ten_of_a_unit_has_no_decimals() -> None:
    plain = Measure("grade", "grade", "plain", "higher by {size}", "lower by {size}", unit="grades")
    ten = {"difference": 10.0, "low": 9.0, "high": 11.0, "mean_a": 40.0}
    assert report.size_words(ten, plain) == ("10 grades", "[9, 11]")


def test_a_sentence_is_about_two_groups_alone() -> None:
    """Of what else differs between one of them and a third group, or by another column, there is the number only."""
    first = {"column": "race", "group_a": "Asian", "group_b": "Black", "p_adjusted": 0.001}
    others = [
        {"group_b": "White"}, {"group_a": "White"}, {"column": "ethnicity"},
        {"measure": "refusal", "p_adjusted": 0.002},
    ]  # fmt: skip
    table = pd.concat([gaps(**first), *(gaps(**first | {"p_adjusted": 0.01} | other) for other in others)])
    titles = {"words": measures.WORDS, "refusal": measures.REFUSAL}
    found = report.finding(table.reset_index(drop=True), titles, {}, shape=(40, 16, 5))
    assert found.headline == (
        "Answers to people with Black names are 2 % [1, 5] longer and refusals more often, by 100 points of 100 "
        "[40, 200] than to people with Asian names; 3 other differences are above noise too."
    )


@pytest.mark.parametrize(
    ("p", "difference", "graders", "verdict"),
    [
        (0.049, 0.2, {}, "are 10 % [5, 15] longer than to people read as men, beyond chance (p = 0.049, corrected)."),
        (0.05, 0.2, {}, "are 10 % [5, 15] longer than to people read as men, which could be chance (p = 0.05, "
         "corrected)."),
        (0.01, 0.2, {"words": {"believed": False}}, "are 10 % [5, 15] longer than to people read as men, which could "
         "be chance (p = 0.01, corrected)."),
        (1.0, 0.0, {}, "do not differ from those to people read as men in length in words."),
    ],
)  # fmt: skip
def test_a_chosen_square_says_whether_it_could_be_chance(
    p: float, difference: float, graders: dict[str, dict[str, bool]], verdict: str
) -> None:
    row = pd.Series(
        {"measure": "words", "column": "gender", "group_a": "male", "group_b": "female", "mean_a": 2.0,
         "difference": difference, "low": 0.1, "high": 0.3, "p_value": p, "p_adjusted": p}
    )  # fmt: skip
    told = report.gap_words(row, measures.WORDS, graders)
    assert told == f"On average, answers to people read as women {verdict}"


def test_a_number_that_was_asked_for_is_read_in_its_unit() -> None:
    assert measures.NUMBER.of_one.format("118") == "118 % of the task's median"
    assert measures.WORDS.of_one.format("118") == "118"
