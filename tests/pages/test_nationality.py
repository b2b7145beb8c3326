"""Nationality: setting up, a run that is followed to its end, cells, correlations, and a folder that opens again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import cli, jobs
from psa_core.folders import results
from tests.jobs.waiting import waiting_run

pytestmark = pytest.mark.slow

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]
HOSTILE = 'text\n"<img src=x onerror=alert(1)> I love Susan Miller, she is great."\n"I hate what John Smith did."\n'
STUB = (
    "def perplexity(texts):\n    return [2.0 * len(text) for text in texts]\n\n"
    "perplexity.targets = [{'name': 'log_perplexity', 'low': 0, 'high': 1000}]\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("nationality")
    (place / "s.csv").write_text(HOSTILE, encoding="utf-8")
    (place / "page_stub.py").write_text(STUB)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSA_CACHE_DIR", str(place / "cache"))
        patch.chdir(place)
        arguments = ["--sentences", "s.csv", "--model", "vader", "--lm", "python:page_stub:perplexity", "--draws", "20"]
        assert cli.main(["nationality", *arguments, "--countries", "United States,France,India", "--out", "out"]) == 0
    return place / "out"


def run_of(page: AppTest) -> str:
    """The run in the page's URL."""
    value = page.query_params["nationality"]
    return value if isinstance(value, str) else value[0]


def adopt(folder: Path) -> str:
    """Give a result folder a run id of its own."""
    run_id = waiting_run("nationality")
    (jobs.root() / run_id / jobs.RESULT).symlink_to(folder)
    jobs.write_status(jobs.root() / run_id, state="finished")
    return run_id


def test_the_empty_page_says_what_to_do_and_what_is_left_out(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("nationality")
    said = words_of(page)
    for title in ("Sentences", "Countries", "Model", "Run"):
        assert title in said
    assert len(page.multiselect(key="nationality_countries").value) == 17
    assert "names that are not in Latin letters were left out (Morocco 153, India 67)" in said
    numbers = {metric.label: metric.value for metric in page.metric}
    assert numbers["Texts, at most"] == "5,100"


def test_no_country_is_one_sentence(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("nationality")
    page.multiselect(key="nationality_countries").set_value([])
    assert "Choose countries." in words_of(run(page))


def test_names_in_other_scripts_on_request(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("nationality")
    page.toggle(key="nationality_all_scripts").set_value(True)
    assert "were left out" not in words_of(run(page))


@pytest.mark.slow
def test_a_run_from_the_page_to_its_result(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("nationality")
    page.multiselect(key="nationality_countries").set_value(["France", "India"])
    page.number_input(key="nationality_draws").set_value(1)
    page.number_input(key="nationality_sample").set_value(12)
    page.selectbox(key="nationality_model").select("keyword")
    run(page)
    page.button(key="nationality_start").click()
    run(page)
    deadline = time.monotonic() + 180
    while jobs.status(run_of(page)).live and time.monotonic() < deadline:
        time.sleep(0.3)
    run(page)
    said = words_of(page)
    assert "12 of 60 sentences, 1 name each for 2 countries, by Keyword." in said
    assert "No predicted class changes its size" in said
    assert "need a language model in step 3" in said


def test_results_by_url(open_page: OpenPage, words_of: Words, folder: Path) -> None:
    page = open_page("nationality", nationality=adopt(folder))
    said = words_of(page)
    assert "names are shown to move the sentiment score." in said
    assert "2 of 2 sentences, 20 names each for 3 countries, by VADER." in said
    assert "Tables 2 to 5: scores and perplexity" in said and "Overall, " not in said, (
        "of two sentences nothing is claimed"
    )
    table = page.dataframe[0].value
    assert set(table["target"]) == {"sentiment", "sentiment ≥ 0", "sentiment < 0"}


def test_the_sentences_of_a_cell_are_escaped_and_marked(
    open_page: OpenPage, words_of: Words, run: Run, folder: Path
) -> None:
    page = open_page("nationality", nationality=adopt(folder))
    page.selectbox(key="nationality_country").select("India")
    page.selectbox(key="nationality_target").select("sentiment")
    said = words_of(run(page))
    assert "India, “sentiment”" in said
    assert "&lt;img src=x onerror=alert(1)&gt;" in said and "<img" not in said
    assert "Susan Miller</del><mark" in said


def test_a_click_in_the_heat_map_chooses_the_cell(run: Run) -> None:
    def script() -> None:
        import streamlit as st

        from pages.ui.audits import nationality, parts

        st.session_state["heat"] = {"selection": {"square": [{"row": "India", "column": "joy"}]}}
        choices = {nationality.COUNTRY: ["India"], nationality.TARGET: ["joy"]}
        parts.take_click("heat", choices)
        st.session_state["heat"] = {"selection": {}}
        parts.take_click("heat", choices)

    page = run(AppTest.from_function(script))
    assert page.session_state["nationality_country"] == "India"
    assert page.session_state["nationality_target"] == "joy"


def test_a_zip_opens_as_a_run_of_its_own(open_page: OpenPage, words_of: Words, run: Run, folder: Path) -> None:
    page = open_page("nationality")
    page.file_uploader(key="nationality_zip").upload("nationality.zip", results.to_zip(folder))
    run(page)
    assert "2 of 2 sentences, 20 names each" in words_of(page)
    assert jobs.status(run_of(page)).state == "finished"


def test_another_folder_is_refused_in_one_sentence(
    open_page: OpenPage, words_of: Words, run: Run, tmp_path: Path
) -> None:
    arguments = ["run", "--sentences", "sample", "--names", "demo", "--model", "keyword", "--sample", "4"]
    assert cli.main([*arguments, "--out", str(tmp_path / "study")]) == 0
    page = open_page("nationality")
    page.file_uploader(key="nationality_zip").upload("study.zip", results.to_zip(tmp_path / "study"))
    said = words_of(run(page))
    assert "This zip cannot be opened" in said and "another study" in said


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "an empty file"),
        ("binary.csv", b"\x00\x01" * 50, "text"),
        ("a.jsonl", b"{", "invalid JSON"),
        ("a.ods", b"PK", "save the sheet as CSV"),
    ],
)
def test_bad_files_are_one_sentence(
    open_page: OpenPage, words_of: Words, run: Run, name: str, content: bytes, message: str
) -> None:
    page = open_page("nationality")
    page.button_group(key="nationality_source").set_value("Your own file")
    run(page)
    page.file_uploader(key="nationality_file_0").upload(name, content)
    assert message in words_of(run(page))


def test_a_run_that_found_nobody_says_so(open_page: OpenPage, words_of: Words) -> None:
    run_id = waiting_run("nationality")
    message = "sentences: got no person in any of 3, expected names of people to replace."
    jobs.write_status(jobs.root() / run_id, state="failed", message=message)
    assert message in words_of(open_page("nationality", nationality=run_id))


def test_the_study_page_sends_the_folder_of_an_audit_here(
    open_page: OpenPage, words_of: Words, run: Run, folder: Path
) -> None:
    page = open_page("study")
    page.file_uploader(key="study_zip").upload("nationality.zip", results.to_zip(folder))
    assert "the folder of a nationality audit" in words_of(run(page))
