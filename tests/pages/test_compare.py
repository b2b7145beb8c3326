"""Compare: the studies that a session or a link knows, their metrics, and two of them cell by cell."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs, tables
from psa_core.folders import judgements
from psa_core.folders.judgements import Judgement
from psa_core.jobs import run_status
from tests.jobs.waiting import waiting_run
from tests.pages import result_studies
from tests.pages.conftest import PAGES

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def calmer() -> str:
    """A second study of the same cells, in which names do half as much."""
    whole = result_studies.cube()
    middle = whole.original[:, None]
    provenance = whole.provenance | {"study": whole.provenance["study"] | {"model": "vader"}}
    perturbed = (middle + (whole.perturbed - middle) / 2).astype(np.float32)
    return result_studies.keep(replace(whole, perturbed=perturbed, provenance=provenance))


def test_one_study_has_its_numbers_and_is_told_how_to_get_a_second(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", run=result_studies.keep())
    assert "nothing is compared yet. Add another" in words_of(page)
    numbers = tables.summary(result_studies.cube())["toxicity"]["score_dev"]
    shown = page.dataframe[0].value
    assert shown["target"].tolist() == ["toxicity", "calm"]
    expected = [f"{100 * numbers[part]:.1f}" for part in ("value", "low", "high")]
    assert shown["ScoreDev, % of the range"][0] == f"{expected[0]} ({expected[1]} to {expected[2]})"


def test_a_link_brings_the_other_study_along(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", run=result_studies.keep(), **{"with": [calmer()]})
    said = words_of(page)
    assert page.dataframe[0].value["model · sentences"].tolist() == ["Keyword · sample"] * 2 + ["VADER · sample"] * 2
    assert "40 sentences and 12 names in common" in said
    assert "by a paired test over 40 shared sentences (p = 0.003, corrected for three metrics)" in said


def test_every_metric_of_scores_is_in_per_cent_of_the_range(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", run=result_studies.keep(), metric="mean_abs_delta", **{"with": [calmer()]})
    numbers = tables.summary(result_studies.cube())["toxicity"]["mean_abs_delta"]
    shown = page.dataframe[0].value["Mean |Δ|, % of the range"]
    assert not page.exception and shown[0].startswith(f"{100 * numbers['value']:.1f} (")
    assert "A difference in Mean |Δ| is not tested; choose one of ScoreDev, ScoreRange, LabelDist." in words_of(page)


def chosen(page: AppTest) -> list[str]:
    (studies,) = page.multiselect
    return list(studies.value)


def added(page: AppTest, typed: str) -> AppTest:
    page.text_input(key="compare_add").set_value(typed)
    page.run()
    assert not page.exception
    return page


@pytest.mark.parametrize(
    ("form", "known"),
    [
        (" {} ", False),
        (" {} ", True),
        ("http://h:8501/names?c=0.5&run={}", True),
        ("http://h/names?run={}&c=0.5", False),
    ],
)
def test_a_study_is_added_by_its_address(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, form: str, known: bool
) -> None:
    if known:
        monkeypatch.setenv("PSA_HISTORY", "1")
    mine, other = result_studies.keep(), result_studies.keep(result_studies.cube(30))
    page = open_page("compare", run=mine)
    assert chosen(page) == [mine]
    assert chosen(added(page, form.format(other))) == [mine, other]
    assert page.dataframe[0].value["sentences"].tolist() == [40, 40, 30, 30]
    assert page.text_input(key="compare_add").value == ""
    assert page.query_params["with"] in (other, [other])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("B" * 20, "unknown run id"),
        ("http://localhost:8501/names?run=" + "B" * 20, "unknown run id"),
        ("nonsense", "the link of a study"),
    ],
)
def test_what_is_no_study_is_said(open_page: OpenPage, words_of: Words, typed: str, said: str) -> None:
    mine = result_studies.keep()
    page = added(open_page("compare", run=mine), typed)
    assert "No study was added" in words_of(page) and said in words_of(page)
    assert chosen(page) == [mine]


def test_a_study_that_was_taken_away_can_be_added_again(open_page: OpenPage, run: Run) -> None:
    mine, other = result_studies.keep(), calmer()
    page = open_page("compare", run=mine, **{"with": [other]})
    page.multiselect(key="compare_runs").set_value([mine])
    assert chosen(run(page)) == [mine]
    assert chosen(added(page, other)) == [mine, other]


def test_it_opens_on_the_same_target_of_two_models(open_page: OpenPage, run: Run) -> None:
    page = open_page("compare", run=result_studies.keep(), target="calm", **{"with": [calmer()]})
    pair = [page.selectbox(key=key).value for key in ("compare_first", "compare_second")]
    assert pair == ["Keyword · sample · calm", "VADER · sample · calm"]
    page.selectbox(key="compare_first").set_value("Keyword · sample · toxicity")
    assert run(page).selectbox(key="compare_second").value == "VADER · sample · toxicity"


def test_where_no_other_study_has_the_target_it_says_what_is_missing(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", run=result_studies.keep())
    assert page.selectbox(key="compare_second").value is None
    assert "No other study here has the target toxicity" in words_of(page)
    assert len(page.dataframe) == 1


def test_studies_of_other_sentences_or_names_are_told(open_page: OpenPage, words_of: Words) -> None:
    fewer = result_studies.keep(result_studies.cube().rows(np.arange(30)))
    page = open_page("compare", run=result_studies.keep(), **{"with": [fewer]})
    assert "only 30 sentences are in both (40 in the first, 30 in the second)" in words_of(page)


def test_studies_of_one_model_and_file_are_told_apart_and_named(open_page: OpenPage) -> None:
    first, second, third = result_studies.keep(), result_studies.keep(), result_studies.keep()
    jobs.give_title(second, "After the change")
    os.utime(jobs.run_path(third) / "job.json", (0, 0))
    page = open_page("compare", run=first, **{"with": [second, third]})
    labels = page.dataframe[0].value["model · sentences"].unique().tolist()
    assert len(labels) == 3
    assert "After the change" in labels and any("1970" in label for label in labels)


def test_a_label_has_no_more_than_tells_it_apart(open_page: OpenPage, words_of: Words) -> None:
    whole = result_studies.cube()
    few = result_studies.keep(replace(whole, names=whole.names.head(2), perturbed=whole.perturbed[:, :2]))
    page = open_page("compare", run=result_studies.keep(), **{"with": [calmer(), few]})
    labels = page.dataframe[0].value["model · sentences"].unique().tolist()
    assert set(labels) == {"Keyword · sample · 12 names", "VADER · sample", "Keyword · sample · 2 names"}
    said = words_of(page)
    assert "for Keyword · 12 names · toxicity and" in said and "for VADER · toxicity; difference" in said
    assert "1970" not in said and "sample · toxicity" not in said.partition("Two studies")[2]


def test_a_study_that_shares_hardly_a_name_is_not_opened_beside_it(open_page: OpenPage, words_of: Words) -> None:
    whole = result_studies.cube()
    few = result_studies.keep(replace(whole, names=whole.names.head(1), perturbed=whole.perturbed[:, :1]))
    page = open_page("compare", run=result_studies.keep(), **{"with": [few]})
    assert page.selectbox(key="compare_second").value is None
    assert "No other study here has the target toxicity for enough of the same sentences and names." in words_of(page)
    page.selectbox(key="compare_second").set_value("Keyword · sample · 1 name · toxicity")
    page.run()
    assert "only 1 name is in both (12 in the first, 1 in the second)" in words_of(page)


def test_hidden_names_are_in_no_table_and_no_chart(open_page: OpenPage, words_of: Words) -> None:
    page = AppTest.from_file(str(PAGES / "compare.py"), default_timeout=120)
    page.session_state["hide_names"] = True
    page.query_params["run"], page.query_params["with"] = result_studies.keep(), [calmer()]
    page.run()
    assert not page.exception
    for table in page.dataframe:
        assert not table.value.astype(str).apply(lambda column: column.str.contains("Person")).any().any()
    assert page.dataframe[1].value["sentence"].str.contains("P•••••").any()


def test_numbers_are_at_the_chosen_threshold_and_say_so(open_page: OpenPage) -> None:
    page = open_page("compare", run=result_studies.keep(), c="0.8", **{"with": [calmer()]})
    shown = page.dataframe[0].value
    assert shown["flagged at"].tolist() == [0.8, 0.5, 0.8, 0.5]
    there = tables.label_dist_table(result_studies.cube(), "toxicity", thresholds=[0.8])["label_dist"][0]
    assert shown["LabelDist"][0].startswith(f"{there:.3f}")


def test_sentences_that_readers_left_out_are_in_no_number(open_page: OpenPage) -> None:
    mine = result_studies.keep()
    judgements.save(jobs.result_folder(mine), Judgement("s3", "Person A", "toxicity", "meaning"))
    page = open_page("compare", run=mine, **{"with": [calmer()]})
    assert page.dataframe[0].value["sentences"].tolist() == [39, 39, 40, 40]


@pytest.mark.parametrize("second", ["VADER · sample · toxicity", "VADER · sample · calm"])
def test_the_cells_that_differ_most_come_first(open_page: OpenPage, run: Run, second: str) -> None:
    page = open_page("compare", run=result_studies.keep(), **{"with": [calmer()]})
    page.selectbox(key="compare_second").set_value(second)
    shown = run(page).dataframe[1].value
    assert shown["apart"].is_monotonic_decreasing and shown["apart"].iloc[0] > 0
    assert shown["sentence"].str.contains("Person A").iloc[0]


def test_where_names_do_alike_in_both_no_cell_is_said_to_differ_most(open_page: OpenPage, words_of: Words) -> None:
    same = result_studies.keep(replace(result_studies.cube(), provenance=result_studies.cube().provenance | {"k": 1}))
    page = open_page("compare", run=result_studies.keep(), **{"with": [same]})
    assert "The two agree everywhere" in words_of(page)
    assert len(page.dataframe) == 1


def test_of_all_studies_on_the_machine_those_of_the_same_sentences_are_taken(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, words_of: Words
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    audit = waiting_run("eec")
    jobs.write_status(jobs.root() / audit, state="finished")
    same, other = calmer(), result_studies.keep(result_studies.cube(30))
    page = open_page("compare", run=result_studies.keep())
    assert "could not be opened" not in words_of(page), "an audit is no study"
    (studies,) = page.multiselect
    assert len(studies.options) == 3 and same in studies.value and other not in studies.value


def test_a_link_shows_the_studies_that_it_names_and_no_others_of_the_machine(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    same = calmer()
    other = result_studies.keep(replace(result_studies.cube(), provenance=result_studies.cube().provenance | {"k": 1}))
    page = open_page("compare", run=(mine := result_studies.keep()), **{"with": [same]})
    (studies,) = page.multiselect
    assert len(studies.options) == 3 and sorted(studies.value) == sorted([mine, same]) and other not in studies.value


def test_a_study_that_was_deleted_is_not_named(open_page: OpenPage, words_of: Words, run: Run) -> None:
    run_id = result_studies.keep()
    page = open_page("compare", run=run_id)
    assert run_status.delete(run_id)
    page.text_input(key="compare_title").set_value("Mine")
    run(page)
    assert "This study cannot be named" in words_of(page) and "an unknown run id" in words_of(page)
