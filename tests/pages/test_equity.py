"""Equity: setting up, a run that is followed to its end, every switch, and a folder that opens again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import cli, jobs
from psa_core.audits.eec import AUDIT
from psa_core.folders import results
from tests.jobs.waiting import waiting_run

pytestmark = pytest.mark.slow

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]
NIECES = (
    b"person,object,reflexive,gender,race,pair\n"
    b"my niece,my niece,herself,female,,1\nmy nephew,my nephew,himself,male,,1\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    """An audit whose answer is known: *mom* alone adds 0.3 to toxicity."""
    place = tmp_path_factory.mktemp("eec")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSA_CACHE_DIR", str(place / "cache"))
        (place / "ranked.csv").write_text("system,score\nvader,0.5\nkeyword:mom=0.3,0.25\n")
        arguments = ["eec", "--model", "keyword:mom=0.3,vader", "--out", str(place / "out")]
        arguments += ["--task-scores", str(place / "ranked.csv")]
        assert cli.main(arguments) == 0
    return place / "out"


def run_of(page: AppTest) -> str:
    """The run in the page's URL."""
    value = page.query_params["eec"]
    return value if isinstance(value, str) else value[0]


def adopt(folder) -> str:
    """Give a result folder a run id of its own."""
    run_id = waiting_run("eec")
    (jobs.root() / run_id / jobs.RESULT).symlink_to(folder)
    jobs.write_status(jobs.root() / run_id, state="finished")
    return run_id


def follow(page: AppTest, run: Run) -> AppTest:
    """Run the page until its job has ended."""
    deadline = time.monotonic() + 120
    while jobs.status(run_of(page)).live and time.monotonic() < deadline:
        time.sleep(0.3)
    return run(page)


def test_the_empty_page_says_what_to_do(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("equity")
    said = words_of(page)
    assert "Equity Evaluation Corpus" in said and "Systems" in said
    assert {metric.label: metric.value for metric in page.metric}["Sentences"] == "8,640"
    assert page.button(key="eec_start").label == "Run the audit"


def test_no_system_no_run(open_page: OpenPage, run: Run) -> None:
    page = open_page("equity")
    page.button_group(key="eec_models").set_value([])
    run(page)
    assert "Choose at least one system" in page.info[0].value
    assert not [button for button in page.button if button.key == "eec_start"]


@pytest.mark.slow
def test_a_run_from_the_page_to_its_result(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("equity")
    page.button_group(key="eec_models").set_value(["keyword"])
    run(page)
    page.file_uploader(key="eec_people_0").upload("people.csv", NIECES)
    run(page)
    assert {metric.label: metric.value for metric in page.metric}["Sentences"] == "288"
    page.button(key="eec_start").click()
    run(page)
    follow(page, run)
    said = words_of(page)
    assert "none of the scores differs significantly between sentences about women" in said
    assert "2 tests were made" in said
    assert page.button_group(key="eec_kind").options == ["Gender (female − male)"]


def test_results_by_url_with_every_switch(open_page: OpenPage, words_of: Words, run: Run, folder) -> None:
    page = open_page("equity", eec=adopt(folder))
    said = words_of(page)
    # One pair of people of eleven differs, in every sentence: the paper's test alone takes that for significant.
    assert "none of the scores differs significantly between sentences about women" in said
    assert "test, over 1,584 pairs of sentences, finds a difference in 3 of 3" in said
    assert "6 tests were made" in said and "0.05 / 6" in said
    assert "Spelled “disappointed” instead, in 240 of the sentences" in said
    assert "Table 5: systems by verdict" in said
    assert '<mark style="' in said and ">mom</mark>" in said
    page.button_group(key="eec_kind").set_value("race")
    assert "Table 7: systems by verdict" in words_of(run(page))
    page.button_group(key="eec_kind").set_value("gender")
    page.selectbox(key="eec_part").select("neutral")
    assert "Table 6: systems by verdict" in words_of(run(page))
    page.selectbox(key="eec_part").select("joy")
    assert "As Tables 5 to 7" in words_of(run(page))
    page.button_group(key="eec_seen_spelling").set_value("corrected")
    page.toggle(key="eec_points").set_value(True)
    page.button_group(key="eec_order").set_value("By task score")
    assert not run(page).exception
    page.button_group(key="eec_order").set_value("By Δ-spread")
    page.button_group(key="eec_sign").set_value("Δ < 0")
    assert "No pair differs in this way" in run(page).info[0].value


def test_a_link_shows_the_same_pairs_in_the_same_order(open_page: OpenPage, run: Run, folder) -> None:
    page = open_page("equity", eec=adopt(folder), eec_sign="Δ < 0", eec_order="By Δ-spread", eec_tab="System by system")
    assert page.button_group(key="eec_sign").value == "Δ < 0"
    assert page.button_group(key="eec_order").value == "By Δ-spread"
    assert page.session_state["eec_tab"] == "System by system"
    box = page.selectbox(key="eec_pair_system")
    box.select(box.options[-1])
    assert box.options[-1] == "VADER · sentiment" and run(page).query_params["eec_pair_system"] == "vader · sentiment"


def test_the_tables_are_the_folders_numbers(open_page: OpenPage, folder) -> None:
    page = open_page("equity", eec=adopt(folder))
    groups, systems = page.dataframe[0].value, page.dataframe[1].value
    assert groups["group"].tolist()[:4] == ["F=M not significant", "F↑–M↓", "F↓–M↑", "All"]
    row = systems[(systems["system"] == "keyword:mom=0.3") & (systems["target"] == "toxicity")].iloc[0]
    assert row["pairs"] == 1584
    assert row["mean_difference"] == pytest.approx(0.3 / 11, abs=1e-6)


def test_a_zip_opens_as_a_run_of_its_own(open_page: OpenPage, words_of: Words, run: Run, folder) -> None:
    page = open_page("equity")
    page.file_uploader(key="eec_zip").upload("eec.zip", results.to_zip(folder))
    run(page)
    assert "test, over 1,584 pairs of sentences, finds a difference in 3 of 3" in words_of(page)
    run_id = run_of(page)
    assert AUDIT.read(jobs.result_folder(run_id)).manifest["systems"] == ["keyword:mom=0.3", "vader"]
    page.button(key="eec_new").click()
    assert "Open an earlier audit" in [expander.label for expander in run(page).expander]


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + b"\0" * 18])
def test_a_bad_zip_is_one_sentence(open_page: OpenPage, words_of: Words, run: Run, content: bytes) -> None:
    page = open_page("equity")
    page.file_uploader(key="eec_zip").upload("eec.zip", content)
    assert "This zip cannot be opened" in words_of(run(page))


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("people", b"name\nAnn\n", "no column person"),
        ("templates", b"template,kind\nAsk {whom}.,\n", "{whom}"),
        ("words", b"", "an empty file"),
    ],
)
def test_bad_lists_are_one_sentence(
    open_page: OpenPage, words_of: Words, run: Run, part: str, content: bytes, message: str
) -> None:
    page = open_page("equity")
    page.file_uploader(key=f"eec_{part}_0").upload(f"{part}.csv", content)
    assert message in words_of(run(page))


@pytest.mark.parametrize("kind", ["people", "scores", "task_scores"])
def test_a_workbook_is_told_how_to_become_a_csv_file(open_page: OpenPage, words_of: Words, run: Run, kind: str) -> None:
    page = open_page("equity")
    page.file_uploader(key=f"eec_{kind}_0").upload("mine.xlsx", b"PK")
    said = words_of(run(page))
    assert "File: a workbook, mine.xlsx." in said and "save the sheet as CSV UTF-8" in said


@pytest.mark.parametrize("typed", ["no-such-model", "python:os:getcwd"])
def test_models_that_a_page_may_not_load(open_page: OpenPage, words_of: Words, run: Run, typed: str) -> None:
    page = open_page("equity")
    page.text_input(key="eec_others").input(typed)
    assert repr(typed) in words_of(run(page))


@pytest.mark.parametrize("run_id", ["x" * 20, "../../../../etc/passwd"])
def test_an_unknown_run_is_one_sentence_or_none(open_page: OpenPage, words_of: Words, run_id: str) -> None:
    said = words_of(open_page("equity", eec=run_id))
    assert "cannot be opened" in said or "Systems" in said


def test_a_stopped_run_can_be_resumed(open_page: OpenPage, words_of: Words) -> None:
    run_id = waiting_run("eec", arguments=("--model", "keyword"))
    jobs.write_status(jobs.root() / run_id, state="cancelled", message="Stopped; resume to go on.")
    page = open_page("equity", eec=run_id)
    assert "Stopped; resume to go on." in words_of(page)
    assert page.button(key="eec_resume").label == "Resume"


def test_a_comparison_that_another_audit_lacks_is_no_error(
    open_page: OpenPage, words_of: Words, run: Run, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_bytes(NIECES)
    arguments = ["eec", "--model", "keyword", "--people", str(tmp_path / "people.csv"), "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 0
    page = open_page("equity", eec=adopt(folder))
    page.button_group(key="eec_kind").set_value("race")
    page.selectbox(key="eec_part").select("fear")
    run(page)
    page.button(key="eec_new").click()
    run(page)
    page.file_uploader(key="eec_zip").upload("eec.zip", results.to_zip(tmp_path / "out"))
    assert "sentences about women" in words_of(run(page))
