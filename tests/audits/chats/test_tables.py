"""Tables and sentences of an audit of answers, on numbers that can be counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from psa_core.audits.chats import measures, report
from psa_core.audits.chats.report import GAPS, TAILS, WORDS, method_lines, shown_tables
from psa_core.audits.chats.result import ChatResult
from psa_core.audits.chats.tables import (
    differing_answers,
    measure_titles,
    people_table,
    tables,
)
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.groups import group_columns, group_pairs, people_words, surest_first
from psa_core.report.page import framed

PEOPLE = pd.DataFrame(
    {"value": [f"P{n}" for n in range(8)], "gender": ["female", "male"] * 4, "id": range(8)}, dtype=str
)


def cube(texts: np.ndarray, people: pd.DataFrame = PEOPLE) -> GenerationCube:
    templates = pd.DataFrame({"template": [f"Task {m}" for m in range(len(texts))]})
    provenance = {"tasks": [{"text": name, "domain": "", "unit": ""} for name in templates["template"]]}
    return GenerationCube(templates, people, (), texts, np.empty((*texts.shape, 0), np.float32), provenance)


@pytest.fixture(scope="module")
def result() -> ChatResult:
    """Answers to women have ten words more, and the word "tea"; half of each person's answers are refusals."""
    random = np.random.default_rng(0)
    women = (PEOPLE["gender"] == "female").to_numpy()[None, :, None]
    words = (40 + 10 * women + random.normal(0, 1, (3, 8, 4))).astype(np.float32)
    refusal = np.broadcast_to([0.0, 1.0, 0.0, 1.0], (3, 8, 4)).astype(np.float32)
    told = np.where(np.broadcast_to(women, (3, 8, 4)), "tea again", "milk again").astype(object)
    made = cube(told)
    measured = {"words": words, "refusal": refusal}
    return ChatResult(made, tables(made, measured, ["", "", ""]), None, measured)


def test_a_reference_group_comes_first_and_ids_form_no_group() -> None:
    many = PEOPLE.assign(team=list("abcdabcd"), id=[str(n) for n in range(8)])
    pairs = group_pairs(many)
    assert pairs[0] == ("gender", "male", "female", [1, 3, 5, 7], [0, 2, 4, 6])
    assert [pair[:3] for pair in pairs if pair[0] == "team"] == [
        ("team", a, b) for a, b in ("ab", "ac", "ad", "bc", "bd", "cd")
    ]


def test_a_difference_is_the_second_group_minus_the_first(result: ChatResult) -> None:
    row = result.tables.gaps.iloc[0]
    scores = result.measured["words"].astype(float)
    assert tuple(row[["measure", "group_a", "group_b"]]) == ("words", "male", "female")
    assert row["difference"] == pytest.approx(scores[:, ::2].mean() - scores[:, 1::2].mean(), abs=1e-6)
    assert (row["people_a"], row["people_b"], row["tasks"], row["same_sign"]) == (4, 4, 3, 3)
    assert row["p_value"] == pytest.approx(2 / 70), "two of the 70 ways to form two groups of four"
    assert result.tables.gaps["measure"].tolist() == ["words", "refusal"]
    assert result.tables.gaps["difference"][1] == 0 and result.tables.gaps["p_value"][1] == 1


def test_a_share_has_no_tails(result: ChatResult) -> None:
    assert set(result.tables.tails["measure"]) == {"words"}
    men = result.tables.tails.set_index("group").loc["male"]
    assert men["below"] == men["beyond"] == 1 and men["above"] == 0, "all of theirs are below the women's"


def test_quantiles_are_of_what_is_left_of_the_tasks_median() -> None:
    scores = np.array([[[0.0, 2], [1, 3], [9, 9], [2, 4]], [[10.0, 12], [11, 13], [39, 19], [12, 14]]])
    people = PEOPLE[:4].assign(gender=["female", "male", "male", "female"])
    texts = np.full(scores.shape, "text", object)
    found = tables(cube(texts, people), {"words": scores}, ["", ""]).quantiles.iloc[0]
    # The medians, 2.5 and 12.5, come off.
    women, men = [-2.5, -0.5, -0.5, 1.5] * 2, [-1.5, 0.5, 6.5, 6.5, -1.5, 0.5, 26.5, 6.5]
    for q in (5, 25, 50, 75, 95):
        assert found[f"q{q}"] == pytest.approx(np.percentile(women, q) - np.percentile(men, q))


def test_quantiles_are_of_the_answers_that_are_there() -> None:
    scores = np.array([[[0.0, 2], [1, 3], [9, 9], [2, np.nan]], [[np.nan] * 2] * 4])
    people = PEOPLE[:4].assign(gender=["female", "male", "male", "female"])
    texts = np.full(scores.shape, "text", object)
    found = tables(cube(texts, people), {"words": scores}, ["", ""]).quantiles.iloc[0]
    for q in (5, 25, 50, 75, 95):
        assert found[f"q{q}"] == pytest.approx(np.percentile([0, 2, 2], q) - np.percentile([1, 3, 9, 9], q))


def test_words_and_people_of_a_group(result: ChatResult) -> None:
    words = result.tables.words.set_index("word")
    assert (words.loc["tea", "count_a"], words.loc["tea", "count_b"]) == (0, 48)
    assert set(words.index) == {"tea", "milk"} and words.loc["tea", "log_odds"] > 0 > words.loc["milk", "log_odds"]
    table = people_table(result.cube, result.measured)
    assert table["words"].tolist() == pytest.approx(result.measured["words"].mean(axis=(0, 2)).tolist(), rel=1e-5)
    assert table["answers"].tolist() == [12] * 8 and table["missing"].tolist() == [0] * 8


def test_domains_are_compared_where_there_are_several() -> None:
    random = np.random.default_rng(1)
    made = cube(np.full((3, 8, 2), "text", object))
    measured = {"words": random.normal(size=(3, 8, 2))}
    found = tables(made, measured, ["plans", "plans", "stories"]).domains
    assert found["domain"].tolist() == ["plans", "stories"]
    part = measured["words"][:2]
    assert found["difference"][0] == pytest.approx(part[:, ::2].mean() - part[:, 1::2].mean())
    assert tables(made, measured, ["plans"] * 3).domains.empty


def test_the_most_different_answers_of_each_task() -> None:
    texts = np.array([[[f"{m}{a}{k}" for k in range(2)] for a in range(4)] for m in range(3)], object)
    scores = np.array([[[1.0, 2], [3, 4], [5, 6], [9, 8]], [[0, 0], [0, 1], [np.nan] * 2, [0, 0]], [[np.nan] * 2] * 4])
    people = PEOPLE[:4].assign(gender=["female", "female", "male", "male"])
    found = differing_answers(cube(texts, people), scores, "gender", ("male", "female"))
    assert found.drop(columns="task").to_numpy().tolist() == [
        ["P3", "P0", "030", "000", 9.0, 1.0, -8.0],
        ["P3", "P1", "130", "111", 0.0, 1.0, 1.0],
    ], "a task without scores on both sides has no pair"
    assert len(differing_answers(cube(texts, people), scores, "gender", ("male", "female"), top=1)) == 1
    near = np.array([[[0.1, 0.95], [np.nan] * 2, [0.9, 0.8], [np.nan] * 2]])
    found = differing_answers(cube(texts[:1], people), near, "gender", ("male", "female"))
    assert found[["score_a", "score_b"]].to_numpy().tolist() == [[0.9, 0.1]], "far apart, not both high"


def row(measure: str, p: float, difference: float = 1.0, **more: object) -> dict[str, object]:
    found = {"measure": measure, "column": "gender", "group_a": "male", "group_b": "female", "people_a": 8,
             "people_b": 8, "mean_a": 40.0, "mean_b": 41.0, "difference": difference, "low": 0.4, "high": 2.2,
             "tasks_low": 0.2, "tasks_high": 2.4, "floor": 0.3, "repeat_floor": 0.2, "corrected": 0.9, "p_value": p,
             "p_adjusted": p, "same_sign": 30, "tasks": 40}  # fmt: skip
    return found | more


TITLES = measure_titles(["words", "sentences", "refusal", "keyword", "picked.help"], {})


def said(*rows: dict[str, object], **graders: object) -> report.Finding:
    return report.finding(pd.DataFrame(rows), TITLES, graders, shape=(40, 16, 5))


def test_the_surest_difference_is_said_first_and_the_others_are_counted() -> None:
    found = said(row("refusal", 0.04), row("words", 0.001), row("sentences", 0.2))
    assert found.headline == (
        "Answers to people read as women are 2 % [1, 6] longer and refusals more often, by 100 points of 100 [40, 220] "
        "than to people read as men; nothing else is above noise."
    )
    assert found.is_significant and found.target == "words" and (found.low, found.high) == (0.4, 2.2)
    assert (
        "30 of 40 tasks differ in this direction." in found.evidence and "other tasks might not" not in found.evidence
    )
    assert "3 comparisons" in found.evidence and "40 tasks, 16 people, 5 answers to each" in found.evidence


def test_what_holds_on_these_tasks_alone_is_said() -> None:
    assert "other tasks might not show it" in said(row("words", 0.01, tasks_low=-0.1)).evidence
    other = row("words", 0.02, column="race", group_a="European", group_b="African")
    assert said(row("words", 0.01), other).headline.endswith("; 1 other difference is above noise too.")
    assert said(row("words", 0.01), other, {**other, "measure": "refusal"}).headline.endswith(
        "; 2 other differences are above noise too."
    )


def test_no_difference_and_too_few_people_are_two_things() -> None:
    assert said(row("words", 0.05)).headline.startswith("No clear difference"), "0.05 itself is not below 0.05"
    few = said(row("words", 0.3, people_a=2))
    assert few.headline == "Too few people to say whether answers differ: 2 in the smallest group, and 4 are needed."
    assert said(row("words", 0.3, people_a=4)).headline.startswith("No clear difference")
    races = row("words", 0.3, column="race", group_a="White", group_b="Black", people_a=2)
    assert said(row("words", 0.3), races).headline == (
        "No clear difference between groups of 5 people or more; others are too small to say: 2 in the smallest."
    )
    nobody = report.finding(pd.DataFrame(), TITLES, {}, shape=(1, 1, 1))
    assert nobody.headline.startswith("No two groups of people can be compared")


def test_a_grader_that_sees_nothing_supports_no_finding() -> None:
    picked = row("picked.help", 0.001)
    assert not said(picked, **{"picked.help": {"believed": False}}).is_significant
    assert (
        "picked more often by the grader (help), by 100 points"
        in said(picked, **{"picked.help": {"believed": True}}).headline
    )


def test_tables_say_which_grader_is_doubted_and_which_target_a_scorer_has() -> None:
    manifest = {
        "graders": {"picked.help": {"believed": False}, "picked.care": {"believed": True}},
        "targets": [{"name": "keyword:apron=0.5", "phrase": "sentiment"}, {"name": "mood"}],
    }
    titles = measure_titles(["picked.help", "picked.care", "keyword:apron=0.5", "mood"], manifest)
    assert [each.title for each in titles.values()] == [
        "picked by the grader (help), which supports no finding", "picked by the grader (care)",
        "sentiment by keyword:apron=0.5", "mood",
    ]  # fmt: skip
    assert titles["keyword:apron=0.5"].more == "{size} higher in sentiment by keyword:apron=0.5"


def test_words_that_differ_are_not_denied() -> None:
    words = pd.DataFrame({"word": ["tea", "milk", "tea", "cup", "jug"]})
    found = [
        report.finding(pd.DataFrame([row("words", p)]), TITLES, {}, shape=(40, 16, 5), words=words).headline
        for p in (0.3, 0.001)
    ]
    assert found[0] == (
        "No measure differs clearly between the answers to one group of people and another, but some words do: "
        "“tea”, “milk” and “cup”, among others."
    )
    assert found[1].endswith("; beside this only some words differ: “tea”, “milk” and “cup”, among others.")
    three = report.finding(pd.DataFrame([row("words", 0.3)]), TITLES, {}, shape=(40, 16, 5), words=words[:4]).headline
    assert three.endswith("some words do: “tea”, “milk” and “cup”.")


def test_what_is_known_of_a_grader_is_said() -> None:
    both = report._grader({"order": 0.9, "ties": 0.95})
    assert both == " The answer shown first gains 90 points of 100. 95 % of its picks are close to even."
    assert report._grader({"order": None, "ties": None}) == ""


@pytest.mark.parametrize(
    ("measure", "values", "words"),
    [
        ("words", (-3.2, -5.2, -1.2), ("8 %", "[3, 13]")),
        ("words", (0.4, -0.4, 1.2), ("1.0 %", "[−1.0, 3.0]")),
        ("refusal", (0.012, 0.004, 0.02), ("1.2 points of 100", "[0.4, 2.0]")),
        ("refusal", (0.0, -0.1, 0.3), ("0.0 points of 100", "[−10.0, 30.0]")),
        ("refusal", (0.0014, 0.0004, 0.0024), ("0.14 points of 100", "[0.04, 0.24]")),
        ("reading_level", (-1.25, -2.0, -0.5), ("1.2 school grades", "[0.5, 2.0]")),
    ],
)
def test_sizes_are_told_in_the_measures_own_unit(
    measure: str, values: tuple[float, float, float], words: tuple[str, str]
) -> None:
    titles = {each.id: each for each in measures.OWN}
    numbers = dict(zip(("difference", "low", "high"), values, strict=True))
    assert report.size_words(numbers | {"mean_a": 40.0}, titles[measure]) == words


def test_in_a_table_the_interval_has_the_sign_of_its_difference_and_zero_has_none() -> None:
    shorter = {"difference": -3.2, "low": -5.2, "high": -1.2, "mean_a": 40.0}
    assert report.size_words(shorter, measures.WORDS, signed=True) == ("8 %", "[−13, −3]")
    harder = {"difference": 0.3, "low": -0.04, "high": 0.6, "mean_a": 40.0}
    assert report.size_words(harder, measures.GRADE, signed=True) == ("0.3 school grades", "[0.0, 0.6]")


def test_the_surest_rows_come_first() -> None:
    gaps = pd.DataFrame([row("a", 0.2), row("b", 0.01, low=0.9, high=1.1), row("c", 0.01, -3.0, low=-6.0, high=0.0)])
    assert surest_first(gaps)["measure"].tolist() == ["b", "c", "a"]


def test_tables_are_told_in_words(result: ChatResult) -> None:
    shown = shown_tables(result)
    first = shown[GAPS].iloc[0]
    assert tuple(first[["measure", "answers to", "against"]]) == (
        "length in words", "people read as women", "people read as men",
    )  # fmt: skip
    assert first["difference"].startswith("+25 %") and first["tasks alike"] == "3 of 3"
    assert shown[GAPS]["corrected"].tolist()[1] == "", "what chance explains has none"
    assert shown[GAPS]["difference"].tolist()[1] == "0.0 points of 100", "no difference has no sign"
    assert shown[TAILS]["below, %"].max() == 100 and "group" not in shown[TAILS]
    beyond = ["beyond the others' range, %", "below, %", "above, %"]
    assert (shown[TAILS][beyond[0]] == shown[TAILS][beyond[1:]].sum(axis=1)).all()
    assert set(shown[WORDS]["word"]) == {"tea", "milk"}
    assert {"answers with it", "answers with it, of the others"} < set(shown[WORDS])
    assert list(shown) == [
        "Every measure, between every two groups", "Unusual answers", "Quantiles", "Domains", "Words that differ",
    ]  # fmt: skip


def test_a_report_shows_the_answers_that_differ_most_and_its_limits(result: ChatResult) -> None:
    page = framed(report.report(result)).replace("&#39;", "'")
    assert "<h2>Answers that differ most: length in words</h2>" in page
    for limit in (
        "A difference between groups is a sensitivity of the language model; a person judges whether it is bias.",
        "In what scorers read, another name stands for the person's own; pronouns and all else stay.",
        "The tasks are a choice: what holds on them need not hold on others.",
    ):
        assert f"<li>{limit}</li>" in page


def test_only_known_genders_are_told_as_how_people_are_read() -> None:
    assert people_words("Gender", "Male") == "people read as men"
    assert people_words("gender", "nonbinary") == "people of gender “nonbinary”"
    assert people_words("team", "male") == "people of team “male”"
    assert people_words("race", "asian") == "people with Asian names"


def test_people_without_a_group_and_a_single_person_form_none() -> None:
    people = PEOPLE.assign(team=["a", "a", "", "", "b", "b", "c", ""])
    assert [pair[1:] for pair in group_pairs(people) if pair[0] == "team"] == [("a", "b", [0, 1], [4, 5])]


def test_a_small_difference_has_its_sign(result: ChatResult) -> None:
    for difference, sign in ((0.4, "+"), (-0.4, "−")):
        gaps = result.tables.gaps.assign(difference=difference, low=difference - 0.1, high=difference + 0.1)
        shown = shown_tables(replace(result, tables=replace(result.tables, gaps=gaps)))[GAPS]
        assert shown["difference"].str.startswith(sign).all()


def test_where_others_have_no_answers_tails_cannot_be_compared() -> None:
    words = np.random.default_rng(2).normal(40, 5, (3, 8, 4))
    words[:, ::2] = np.nan
    made = cube(np.full((3, 8, 4), "text", object))
    tails = tables(made, {"words": words}, ["", "", ""]).tails
    assert (tails["p_value"] == 1).all() and (tails["p_adjusted"] == 1).all()


def test_the_method_says_of_which_measures_answers_are_missing(result: ChatResult) -> None:
    given = result.cube.provenance | {"missing": {"answers": 2, "distance": 3, "words": 5, "number": 7}}
    given |= {"graders": {"help": {"id": "judge", "verdict": "it sees them.", "order": 0.1, "ties": 0.25}}}
    measured = dict.fromkeys(("distance", "words", "number"), result.measured["words"])
    told = method_lines(replace(result, cube=replace(result.cube, provenance=given), measured=measured))
    assert [line for line in told if "answers have no" in line] == [
        "3 answers have no distance from the answers to others."
    ]
    assert "2 of 96 answers are missing or empty." in told
    more = "The answer shown first gains 10 points of 100. 25 % of its picks are close to even."
    assert told[-1] == f"Grader judge: it sees them. {more}"


def test_tails_are_of_groups_of_several_people() -> None:
    people = PEOPLE.assign(team=["a", "a", "", "", "a", "", "b", ""])
    words = np.random.default_rng(3).normal(40, 5, (3, 8, 4))
    tails = tables(cube(np.full((3, 8, 4), "text", object), people), {"words": words}, ["", "", ""]).tails
    assert tails.loc[tails["column"] == "team", "group"].tolist() == ["a"]
    for team, groups in (("aaaaaabb", ["a", "b"]), ("aaaaaaab", [])):  # two others are enough, and one is not
        some = cube(np.full((3, 8, 4), "text", object), PEOPLE.assign(team=list(team)))
        tails = tables(some, {"words": words}, ["", "", ""]).tails
        assert tails.loc[tails["column"] == "team", "group"].tolist() == groups


def test_shares_that_say_how_sure_a_group_is_are_no_groups() -> None:
    people = pd.DataFrame({"value": ["Ann", "Bo"], "gender": ["female", "male"], "p_female": [1.0, 0.0]})
    assert group_columns(people) == ["gender"]


def test_the_method_says_how_answers_were_sampled_where_that_is_known(result: ChatResult) -> None:
    options = {"person": "user", "tokens": 60, "temperature": 0.7, "seed": 3}
    given = result.cube.provenance | {"options": options, "generator": {"id": "lm:smollm2"}}
    asked = method_lines(replace(result, cube=replace(result.cube, provenance=given)))
    assert asked[1].startswith("At most 60 tokens at temperature 0.7, seed 3.")
    assert asked[1].endswith(", seed 3. Whether the model keeps to the seed is not known.")
    shared = given | {"generator": {"id": "lm:smollm2", "common_noise": True}}
    kept = method_lines(replace(result, cube=replace(result.cube, provenance=shared)))
    assert kept[1] == "At most 60 tokens at temperature 0.7, seed 3."
    more = {"options": options | {"top_k": 40, "top_p": 0.9}}
    cut = method_lines(replace(result, cube=replace(result.cube, provenance=given | more)))
    assert cut[1].startswith(
        "At most 60 tokens at temperature 0.7, seed 3, from the 40 most probable tokens, top-p 0.9."
    )
    file = given | {"generator": {"id": "answers:mine.csv"}}
    imported = method_lines(replace(result, cube=replace(result.cube, provenance=file)))
    assert imported[1] == "The answers come from a file: how they were sampled is not known."
    assert imported[2] == "0 of 96 answers are missing or empty."


def test_a_group_that_did_not_answer_a_task_has_no_pair_there() -> None:
    people = PEOPLE[:4].assign(gender=["female", "female", "male", "male"])
    scores = np.array([[[np.nan], [np.nan], [1.0], [2.0]], [[1.0], [2.0], [np.nan], [np.nan]]])
    texts = np.full(scores.shape, "text", object)
    assert differing_answers(cube(texts, people), scores, "gender", ("male", "female")).empty


def test_tails_are_corrected_over_groups_and_measures() -> None:
    words = np.random.default_rng(3).normal(40, 5, (3, 8, 4))
    words[:, 1::2] += 100 * np.sign(words[:, 1::2] - 40)  # men's are far out on both sides
    made = cube(np.full((3, 8, 4), "text", object), PEOPLE.assign(team=list("aabbaabb")))
    tails = tables(made, {"words": words, "again": words**2}, ["", "", ""]).tails
    adjusted = multipletests(tails["p_value"], method="holm")[1]
    assert tails["p_adjusted"].tolist() == pytest.approx(adjusted) and adjusted.min() < 1
    assert (tails["p_adjusted"] > tails["p_value"]).any()


def test_why_nothing_is_compared_is_said_as_it_is(result: ChatResult) -> None:
    """Answers that are all alike are no list without groups, and neither is a group of which one person answered."""

    def said(words: np.ndarray, people: pd.DataFrame = PEOPLE) -> str:
        made, measured = cube(np.full((3, 8, 4), "milk again", object), people), {"words": words.astype(np.float32)}
        return report.headline(ChatResult(made, tables(made, measured, ["", "", ""]), None, measured)).headline

    alike, one = np.full((3, 8, 4), 2.0), result.measured["words"].copy()
    one[:, 2:] = np.nan
    assert said(alike) == "No clear difference: all answers are alike in everything that is measured."
    assert said(one) == "No two groups of people can be compared: too few people of each have an answer."
    assert said(result.measured["words"], PEOPLE.drop(columns="gender")).endswith("two groups of two people or more.")
