"""Tables 5 to 7, the data of the figures and the drill-down, by hand on a design of four sentences."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from psa_core.audits._running import Running
from psa_core.audits.eec import corpus, report, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CorpusError, CubeError
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
SCORES = np.float32([[0.8, 0.2, 0.6, 0.4, 0.4, 0.0], [0.5, 0.1, 0.5, 0.5, 0.5, 0.5], [0.1, 0.3, 0.0, 0.0, 0.0, 0.0]])


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
    row = tables.system_table(tables.assess(systems), "gender", "all").iloc[1]
    assert (row["system"], row["pairs"], row["assessments"]) == ("wide", 6, 4)
    assert row["mean_difference"] == pytest.approx(1.1 / 6, abs=1e-6)
    assert row["mean_positive"] == pytest.approx(1.3 / 3, abs=1e-6)
    assert row["mean_negative"] == pytest.approx(-0.2, abs=1e-6)
    assert row["spread"] == pytest.approx(0.8, abs=1e-6)


def test_the_best_at_its_task_comes_first_and_unknown_ones_last(systems):
    table = tables.system_table(tables.assess(systems | {"new": systems["one"]}), "gender", "all")
    ordered = tables.by_task_score(table, {"one": 0.25, "wide": 0.5})
    assert ordered["system"].tolist() == ["wide", "one", "new"]


def test_a_template_counts_once_however_many_words_fill_it(systems):
    gender = tables.assess(systems)["one/joy"]["gender"]
    # Mean differences of the two templates: (0.6 + 0.3 + 0.4 + 0) / 4 and (-0.2 + 0) / 2.
    assert gender["templates"] == 2
    assert gender["p_templates"] == pytest.approx(ttest_1samp([0.325, -0.1], 0).pvalue, abs=1e-6)
    assert gender["p_people"] == pytest.approx(ttest_1samp([0.8 / 3, 0.1], 0).pvalue, abs=1e-6)


def test_a_part_without_pairs_is_left_out(systems):
    assert tables.parts_of(systems["one"]) == ["all", "neutral", "joy", "anger"]
    assessed = tables.assess(systems)
    assert len(tables.system_table(assessed, "gender", "neutral")) == 2
    assert tables.system_table(assessed, "race", "neutral").empty  # one pair is no test
    assert tables.system_table(assessed, "race", "fear").empty


def test_group_table_averages_over_systems():
    tested = pd.DataFrame(
        {
            "target": ["joy", "joy", "joy", "joy"],
            "verdict": ["F↑–M↓", "F↑–M↓", "F↑–M↓", "F=M not significant"],
            "mean_positive": [0.2, 0.4, 0.9, None],
            "mean_negative": [-0.1, None, None, -0.3],
        }
    )
    table = tables.group_table(tested, "gender").set_index("group")
    assert table["systems"].to_dict() == {"F=M not significant": 1, "F↑–M↓": 3, "F↓–M↑": 0, "All": 4}
    assert table.loc["F↑–M↓", "mean_positive"] == pytest.approx(0.5)
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
    tested = tables.system_table(tables.assess(systems), "gender", "all")
    none = "No clear difference: none of the scores differs significantly between sentences about women"
    assert report.headline(tested, "gender").startswith(none)
    # The paper's test alone is the small line, whatever it finds.
    paper = tested.assign(p_adjusted=[0.001, 0.9])
    assert report.headline(paper, "gender").startswith(none)
    further = report.further(paper, "gender")
    assert "The paper's test, over 6 pairs of sentences, finds a difference in 1 of 2." in further
    assert "each of 2 templates and 2 pairs of people counts once" in further
    sure = tested.assign(verdict=["F↑–M↓", "F=M not significant"], low=0.1, high=0.25)
    assert report.headline(sure, "gender") == (
        "1 of 2 scores differs significantly by gender. Most by one: its joy score is 18.33 % of the range (95 % "
        "interval 10.00 to 25.00) higher on average for sentences about women than for the same sentences about men."
    )
    lower = sure.assign(mean_difference=-0.1, low=-0.3, high=-0.05)
    assert "10.00 % of the range (95 % interval 5.00 to 30.00) lower" in report.headline(lower, "gender")
    own = lower.assign(system="predictions:/home/ada/eec/mine.csv")
    assert " predictions:…/eec/mine.csv: its " in report.headline(own, "gender")
    assert "4 tests were made" in report.correction(tested) and "0.05 / 4 = 0.013" in report.correction(tested)


def test_a_verdict_begins_below_five_per_cent():
    none, up, down = tables.VERDICTS["gender"]
    told = [tables.verdict("gender", mean, p) for mean, p in ((0.1, 0.05), (0.1, 0.049), (-0.1, 0.049))]
    assert told == [none, up, down]


def test_a_verdict_needs_both_tests(systems):
    assessed = tables.assess(systems)
    entry = assessed["one/joy"]
    for p_adjusted, p_clustered, verdict in (
        (0.01, 0.2, "F=M not significant"),
        (0.2, 0.01, "F=M not significant"),
        (0.01, 0.02, "F↑–M↓"),
        (0.01, None, "F=M not significant"),
    ):
        entry["gender"] |= {"p_adjusted": p_adjusted, "p_clustered": p_clustered, "verdict": "F↑–M↓"}
        row = tables.system_table({"one/joy": entry}, "gender", "all").iloc[0]
        assert (row["verdict"], row["verdict_paper"]) == (verdict, "F↑–M↓")


def test_the_interval_is_that_of_the_less_sure_test(systems):
    gender = tables.assess(systems)["one/joy"]["gender"]
    less_sure = [0.325, -0.1] if gender["p_templates"] > gender["p_people"] else [0.8 / 3, 0.1]
    ends = ttest_1samp(less_sure, 0).confidence_interval(0.95)
    assert (gender["low"], gender["high"]) == pytest.approx(tuple(ends), abs=1e-5)


def test_people_of_two_sides_are_compared_by_welch():
    """Race has one pair of averages: its people are compared, also where those of one side are all alike."""
    more = PEOPLE[PEOPLE["race"] != ""].assign(
        person=["Ann", "Bea", "Cleo", "Dora"], race=["African-American", *["European"] * 3]
    )
    design = corpus.Design(DESIGN.templates, pd.concat([PEOPLE, more], ignore_index=True), DESIGN.words)
    scores = np.float32([[0.0, 0.0, 0.9, 0.7, 0.5, 0.5, 0.8, 0.5, 0.4, 0.5]] * 3)
    cube = corpus.cube(design, (Target("joy"),), scores[:, :, None])
    found = tables.clustered(cube, "joy", "race", 2)
    expected = ttest_ind(scores[0, [2, 3, 6]], scores[0, [4, 5, 7, 8, 9]], equal_var=False)
    assert (found["templates"], found["clusters"]) == (2, 8)
    assert found["p_people"] == pytest.approx(expected.pvalue, abs=1e-5)
    assert found["p_templates"] == 0.0
    assert found["p_clustered"] == pytest.approx(2 * expected.pvalue, abs=1e-5)
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected.confidence_interval(0.95)), abs=1e-5)
    scores[:, [4, 5, 7, 8, 9]] = 0.5
    alike = corpus.cube(design, (Target("joy"),), scores[:, :, None])
    assert 0 < tables.clustered(alike, "joy", "race", 2)["p_people"] < 0.05


def test_sides_that_do_not_vary_differ_surely_or_not_at_all():
    """Welch's statistic is 0/0 or infinite there."""
    people = PEOPLE[PEOPLE["race"] != ""]
    design = corpus.Design(DESIGN.templates, people, DESIGN.words)
    for european, p in ((0.5, 1.0), (0.25, 0.0)):
        scores = np.float32([[0.5, 0.5, european, european]] * 3)
        found = tables.clustered(corpus.cube(design, (Target("joy"),), scores[:, :, None]), "joy", "race", 2)
        assert (found["p_people"], found["low"], found["high"]) == (p, 0.5 - european, 0.5 - european)


@pytest.mark.parametrize(("delta", "t", "p", "told"), [(0.0, 0.0, 1.0, 0), (-0.5, None, 0.0, 2), (0.5, None, 0.0, 1)])
def test_pairs_that_all_differ_alike_need_no_statistic(delta, t, p, told):
    got = tables.compare(np.full(4, delta), "gender", 2)
    assert (got["t"], got["p_value"], got["verdict"]) == (t, p, tables.VERDICTS["gender"][told])
    assert (got["spread"], got["largest"], got["pairs"]) == (0, abs(delta), 4)


def test_the_other_spelling(systems):
    respelled = {"one": corpus.cube(DESIGN, (Target("joy"),), np.float32(SCORES[:, :, None]) * 0.5)}
    table = tables.spelling_table(systems, respelled)
    assert table["comparison"].tolist() == ["gender", "race"]
    assert table["mean_difference_respelled"].tolist() == pytest.approx((table["mean_difference"] / 2).tolist())
    assert table["largest_change"].iloc[0] == pytest.approx(0.4)
    assert "“disappointed” instead" in report.spelling_line(table, "published")


def test_rounding_of_averages_is_no_difference():
    """Twenty equal scores do not always average to themselves in floating point."""
    deltas = np.full(36, 0.1) - np.array([np.mean([0.1] * 20 + [0.1] * n) for n in range(36)])
    got = tables.compare(deltas, "race", 2)
    assert (got["p_value"], got["verdict"]) == (1.0, "AA=EA not significant")


def test_progress_of_several_systems_is_one_gauge():
    told = []
    running = Running(on_window=told.append)
    window = Progress(6, 12, 30, 60, 1.0, 30.0, 1.0, partial=lambda: None)
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


ANGER = Target("anger")


@pytest.fixture(scope="module")
def whole() -> corpus.Design:
    return corpus.published_design()


def scored(whole: corpus.Design, effect: np.ndarray) -> ScoreCube:
    random = np.random.default_rng(0)
    shape = (len(whole.rows), len(whole.people))
    scores = 0.4 + effect + 0.02 * random.normal(size=shape)
    return corpus.cube(whole, (ANGER,), scores[:, :, None].astype(np.float32))


def test_each_template_is_one_row_and_each_first_name_one_column(whole: corpus.Design) -> None:
    cube = scored(whole, np.zeros(len(whole.people)))
    found = tables.by_template(cube)
    assert found.shape == (whole.rows["template"].nunique(), 40, 1)
    first = (cube.sentences["text"] == found.sentences["text"][0]).to_numpy()
    named = whole.people["race"].astype(bool).to_numpy() & whole.people["race"].notna().to_numpy()
    assert found.perturbed[0] == pytest.approx(cube.perturbed[first][:, named].mean(axis=0))


def test_a_planted_race_goes_with_the_order(whole: corpus.Design) -> None:
    race = whole.people["race"].fillna("").to_numpy()
    value = sorted(set(race) - {""})[0]
    table = tables.people_table(
        {"planted": scored(whole, 0.1 * (race == value)), "noise": scored(whole, 0.0 * (race == ""))}
    )
    planted, noise = table.iloc[0], table.iloc[1]
    assert planted["low"] > 0.3 and planted["associated with"].startswith("race")
    assert noise["low"] <= 0


def test_without_first_names_it_says_so(whole: corpus.Design) -> None:
    cube = scored(whole, np.zeros(len(whole.people)))
    with pytest.raises(CubeError, match="race"):
        tables.by_template(
            ScoreCube(cube.sentences, cube.names.drop(columns="race"), cube.targets, cube.original, cube.perturbed)
        )
