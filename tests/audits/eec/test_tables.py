"""Tables 5 to 7, the data of the figures and the drill-down, by hand on a design of four sentences."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from psa_core.audits._running import Running
from psa_core.audits.eec import corpus, findings, significance, tables
from psa_core.audits.eec.clusters import words
from psa_core.cube import Target
from psa_core.errors import CorpusError
from psa_core.scoring import Progress

PEOPLE = pd.DataFrame(
    [
        ("my mom", "my mom", "herself", "female", "", "1"),
        ("my dad", "my dad", "himself", "male", "", "1"),
        ("Ebony", "Ebony", "herself", "female", "African-American", ""),
        ("Jamel", "Jamel", "himself", "male", "African-American", ""),
        ("Ellen", "Ellen", "herself", "female", "European", ""),
        ("Frank", "Frank", "himself", "male", "European", ""),
    ],
    columns=["person", "object", "reflexive", "gender", "race", "pair"],
)
DESIGN = corpus.Design(
    pd.DataFrame([("{person} feels {word}.", "state"), ("I saw {object}.", "")], columns=["template", "kind"]),
    PEOPLE,
    pd.DataFrame([("state", "joy", "glad"), ("state", "anger", "cross")], columns=["kind", "emotion", "word"]),
)
SCORES = np.float32(
    [
        [0.8, 0.2, 0.6, 0.4, 0.4, 0.0],
        [0.5, 0.1, 0.5, 0.5, 0.5, 0.5],
        [0.1, 0.3, 0.0, 0.0, 0.0, 0.0],
    ]
)


@pytest.fixture(scope="module")
def systems():
    """One score from 0 to 1, and the same twice as wide."""
    one = corpus.cube(DESIGN, (Target("joy"),), SCORES[:, :, None])
    wide = corpus.cube(DESIGN, (Target("valence", -1, 1),), 2 * SCORES[:, :, None])
    return {"one": one, "wide": wide}


def test_differences_are_shares_of_the_range(systems):
    deltas = tables.delta_table(systems, "gender", "all")
    by_hand = [0.6, 0.3, 0.4, 0.0, -0.2, 0.0]
    for system in systems:
        assert deltas.loc[deltas["system"] == system, "delta"].tolist() == pytest.approx(by_hand, abs=1e-6)
    race = tables.delta_table(systems, "race", "all")
    assert race.loc[race["system"] == "one", "delta"].tolist() == pytest.approx([0.3, 0, 0], abs=1e-6)


def test_system_table(systems):
    row = tables.system_table(significance.assess(systems), "gender", "all").iloc[1]
    assert (row["system"], row["pairs"], row["assessments"]) == ("wide", 6, 4)
    assert row["mean_difference"] == pytest.approx(1.1 / 6, abs=1e-6)
    assert row["mean_positive"] == pytest.approx(1.3 / 3, abs=1e-6)
    assert row["mean_negative"] == pytest.approx(-0.2, abs=1e-6)
    assert row["spread"] == pytest.approx(0.8, abs=1e-6)


def test_the_best_at_its_task_comes_first_and_unknown_ones_last(systems):
    table = tables.system_table(significance.assess(systems | {"new": systems["one"]}), "gender", "all")
    ordered = tables.by_task_score(table, {"one": 0.25, "wide": 0.5})
    assert ordered["system"].tolist() == ["wide", "one", "new"]


def test_a_template_counts_once_however_many_words_fill_it(systems):
    gender = significance.assess(systems)["one/joy"]["gender"]
    # Mean differences of the two templates: (0.6 + 0.3 + 0.4 + 0) / 4 and (-0.2 + 0) / 2.
    assert gender["templates"] == 2
    assert gender["p_templates"] == pytest.approx(ttest_1samp([0.325, -0.1], 0).pvalue, abs=1e-6)
    assert gender["p_people"] == pytest.approx(ttest_1samp([0.8 / 3, 0.1], 0).pvalue, abs=1e-6)


def test_a_part_without_pairs_is_left_out(systems):
    assert tables.parts_of(systems["one"]) == ["all", "neutral", "joy", "anger"]
    assessed = significance.assess(systems)
    assert len(tables.system_table(assessed, "gender", "neutral")) == 2
    assert tables.system_table(assessed, "race", "neutral").empty  # one pair is no test
    assert tables.system_table(assessed, "race", "fear").empty


def test_group_table_averages_over_systems():
    tested = pd.DataFrame(
        {
            "target": ["joy", "joy", "joy"],
            "verdict": ["F↑–M↓", "F↑–M↓", "F=M not significant"],
            "mean_positive": [0.2, 0.4, None],
            "mean_negative": [-0.1, None, -0.3],
        }
    )
    table = tables.group_table(tested, "gender").set_index("group")
    assert table["systems"].to_dict() == {"F=M not significant": 1, "F↑–M↓": 2, "F↓–M↑": 0, "All": 3}
    assert table.loc["F↑–M↓", "mean_positive"] == pytest.approx(0.3)
    assert table.loc["All", "mean_negative"] == pytest.approx(-0.2)
    assert np.isnan(table.loc["F↓–M↑", "mean_positive"])


def test_the_pairs_that_differ_most(systems):
    table = tables.pair_table(DESIGN, systems["one"], "joy", "gender")
    first = table.iloc[0]
    assert (first["first_text"], first["second_text"]) == ("My mom feels glad.", "My dad feels glad.")
    assert first["delta"] == pytest.approx(0.6, abs=1e-6)
    average = table[table["pair"].str.contains("average")].iloc[0]
    assert (average["first_text"], average["second_text"]) == ("Ebony feels glad.", "Frank feels glad.")
    assert average["first"] == pytest.approx(0.5, abs=1e-6)
    assert len(tables.pair_table(DESIGN, systems["one"], "joy", "gender", "neutral")) == 2


def test_people_by_their_mean_score(systems):
    table = tables.person_table(systems["one"], "joy")
    assert table["person"].iloc[0] == "my mom"
    assert table["score"].iloc[0] == pytest.approx(1.4 / 3, abs=1e-6)


def test_the_finding_in_words(systems):
    tested = tables.system_table(significance.assess(systems), "gender", "all")
    assert findings.finding(tested, "gender").startswith("None of the scores differs significantly between sentences")
    sure = tested.assign(p_adjusted=[0.001, 0.9])
    words = findings.finding(sure, "gender")
    assert words.startswith("1 of 2 scores differ significantly by gender. Most by one: its joy score is 18.33 %")
    assert "A single pair differs by up to 60.0 %. Sentences of one template hang together" in words
    assert "4 tests were made" in findings.correction(tested) and "0.05 / 4 = 0.013" in findings.correction(tested)


def test_the_other_spelling(systems):
    respelled = {"one": corpus.cube(DESIGN, (Target("joy"),), np.float32(SCORES[:, :, None]) * 0.5)}
    table = significance.spelling_table(systems, respelled)
    assert table["comparison"].tolist() == ["gender", "race"]
    assert table["mean_difference_respelled"].tolist() == pytest.approx((table["mean_difference"] / 2).tolist())
    assert table["largest_change"].iloc[0] == pytest.approx(0.4)
    assert "“disappointed” instead" in findings.spelling_line(table, "published")


def test_rounding_of_averages_is_no_difference():
    """Twenty equal scores do not always average to themselves in floating point."""
    deltas = np.full(36, 0.1) - np.array([np.mean([0.1] * 20 + [0.1] * n) for n in range(36)])
    got = significance.compare(deltas, "race", 2)
    assert (got.p_value, got.verdict) == (1.0, "AA=EA not significant")


def test_progress_of_several_systems_is_one_gauge():
    told = []
    running = Running(on_window=told.append)
    window = Progress(6, 12, 30, 60, 1.0, 30.0, 1.0, _partial=lambda: None)
    running.part(0, 3).on_window(window)
    running.part(2, 3).on_window(window)
    assert [(w.sentences_done, w.sentences_total, w.texts_done, w.texts_total) for w in told] == [
        (6, 36, 30, 180),
        (30, 36, 150, 180),
    ]
    assert [w.seconds_left for w in told] == [None, 1.0]
    assert running.part(0, 1) is running


def test_a_design_of_too_many_sentences_is_refused(monkeypatch):
    monkeypatch.setattr(corpus, "MAX_SENTENCES", 17)
    with pytest.raises(CorpusError, match="3 templates with words × 6 people"):
        corpus.Design(DESIGN.templates, DESIGN.people, DESIGN.words)


def test_the_largest_difference_is_a_significant_one_where_there_is_any() -> None:
    rows = pd.DataFrame(
        {"system": ["a", "b", "c"], "mean_difference": [0.9, -0.2, 0.1], "p_adjusted": [1.0, 0.001, 0.001]}
    )
    assert findings.largest(rows)["system"] == "b"
    assert findings.largest(rows.assign(p_adjusted=1.0))["system"] == "a"


def test_what_remains_when_templates_count_once_says_of_whom():
    assert "pair of people" in words("gender", 1, 3)
    assert "pair" not in words("race", 1, 3) and "person" in words("race", 1, 3)
    assert "1 of 3" in words("race", 1, 3) and "2 of 3" in words("race", 2, 3)


def test_the_correction_says_below_what_a_p_value_counts():
    said = findings.correction(pd.DataFrame({"assessments": [10, 10]}))
    assert said.startswith("10 tests were") and "below 0.05 / 10 = 0.005" in said
    assert findings.correction(pd.DataFrame({"assessments": [1]})).startswith("1 test was")
