"""Waiting runs, limits and visitors, as the pages show them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.ui.frame import visitor
from psa_core import jobs
from psa_core.folders import cube_file, judgements
from psa_core.jobs import _queue, run_status
from psa_core.study import StudySpec
from psa_core.trust import Origin
from tests.jobs.waiting import waiting_run
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
SPEC = StudySpec("sample", "demo", "vader")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Workers that only hold their run's lock, until these files are closed."""
    locks: list[int] = []

    def spawn(_place: object, _job: object, lock: int) -> SimpleNamespace:
        locks.append(os.dup(lock))
        return SimpleNamespace(poll=lambda: 0)

    monkeypatch.setattr(_queue, "_spawn", spawn)
    return locks


def test_a_waiting_run_shows_its_place_and_when_its_turn_comes(open_page: OpenPage, held: list[int]) -> None:
    for name in ("first", "second"):
        jobs.submit(SPEC, {}, visitor=name, seconds=150)
    run_id = jobs.submit(SPEC, {}, visitor="third", seconds=150)
    (bar,) = open_page("study", run=run_id).get("progress")
    assert bar.proto.text == "2 runs before this one; its turn comes in about 5 min"
    os.close(held[0])
    jobs.advance()
    assert open_page("study", run=run_id).get("progress")[0].proto.text.startswith("1 run before this one")
    for lock in held[1:]:
        os.close(lock)


@pytest.mark.parametrize("done", [0, 40])
def test_a_running_study_says_what_it_does_besides_scoring(open_page: OpenPage, held: list[int], done: int) -> None:
    run_id = jobs.submit(SPEC, {}, visitor="first")
    jobs.write_status(
        jobs.run_path(run_id), state="running", message="Writing the results", sentences_done=done, sentences_total=40
    )
    (bar,) = open_page("study", run=run_id).get("progress")
    assert bar.proto.text == "Writing the results"
    os.close(held[0])


def test_too_few_sentences_are_counted_as_they_can_be_read(
    open_page: OpenPage, words_of: Words, held: list[int]
) -> None:
    run_id = jobs.submit(SPEC, {}, visitor="first")
    place = jobs.run_path(run_id)
    cube_file.save(result_studies.cube(1), place / jobs.PARTIAL)
    jobs.write_status(place, state="running", sentences_done=35, sentences_total=40)
    said = words_of(open_page("study", run=run_id))
    assert "1 sentence is too few to say anything." in said and "So far, on" not in said
    os.close(held[0])


def test_a_study_above_the_limit_has_no_button(
    open_page: OpenPage, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_MAX_RUN_CELLS", "1000")
    page = open_page("new_study")
    said = words_of(page)
    assert "Study: 44,800 cells." in said
    assert "Needed: at most 1,000 cells. Take fewer sentences or names." in said
    assert not [button for button in page.button if button.key == "study_run"]


def test_who_judges_the_example_goes_on_in_a_copy(open_page: OpenPage, run: Callable[[AppTest], AppTest]) -> None:
    shared = jobs.keep(result_studies.cube(), lambda _: "<!doctype html>", shared=True)
    page = open_page("sentences", run=shared)
    next(group for group in page.get("button_group") if str(group.key).startswith("judge")).set_value("meaning")
    own = run(page).session_state["view"].run
    assert own != shared
    assert len(judgements.load(jobs.result_folder(own))) == 1
    assert judgements.load(jobs.result_folder(shared)).empty
    assert jobs.own_copy(own) == own


def test_visitors_are_told_apart_by_login_cookie_or_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(headers: dict[str, str], cookie: str = "") -> str:
        context = SimpleNamespace(headers=headers, cookies={"_streamlit_xsrf": cookie}, ip_address="192.0.2.1")
        monkeypatch.setattr(st, "context", context)
        monkeypatch.setattr(st, "session_state", {})
        return visitor.key()

    masked, again, other = "2|00000000|616263|1", "2|01010101|606362|2", "2|00000000|616264|1"
    assert key({}, masked) == key({}, again) != key({}, other)
    assert key({"X-User": "ann"}, masked) == key({}, masked)
    monkeypatch.setenv("PSA_VISITOR_HEADER", "X-User")
    assert key({"X-User": "ann"}, masked) == key({"X-User": "ann"}, other) != key({"X-User": "bob"}, masked)
    assert len({key({}), key({}), key({}, "2||616263|1"), key({}, "no cookie of theirs")}) == 4
    assert "ann" not in key({"X-User": "ann"})
    monkeypatch.setenv("PSA_HISTORY", "1")
    assert key({}, masked) == ""


@pytest.mark.parametrize(("sentences", "claims"), [(11, False), (12, True)])
def test_a_running_study_claims_nothing_on_few_sentences(
    open_page: OpenPage, words_of: Words, held: list[int], sentences: int, claims: bool
) -> None:
    run_id = jobs.submit(SPEC, {}, visitor="first")
    place = jobs.run_path(run_id)
    cube_file.save(result_studies.cube(sentences), place / jobs.PARTIAL)
    jobs.write_status(place, state="running", sentences_done=sentences, sentences_total=40)
    for stem in ("study", "names", "thresholds", "sentences", "compare", "report"):
        said = words_of(open_page(stem, run=run_id))
        assert ("How sure?" in said) == (claims and stem != "compare"), stem  # one study is no comparison
    os.close(held[0])


def test_a_finished_study_shows_its_result_and_asks_another_model_with_one_click(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest], held: list[int]
) -> None:
    first = jobs.keep(result_studies.cube(), lambda _: "<!doctype html>")
    page = open_page("study", run=first)
    said = words_of(page)
    assert "Put in “Person A” and the toxicity score goes up by 0." in said and "paired t-test over sentences" in said
    assert "Finished" not in said and said.count("pronouns") <= 1, "the study bar says what it is"
    assert len(page.get("plotly_chart")) == 1
    assert said.count("flagged</span></div>") == 3
    page.selectbox(key="study_other_model").set_value("vader")
    run(page).button(key="run_again").click()
    again = run(page).session_state["view"].run
    status = jobs.status(again)
    assert status.spec == replace(result_studies.SPEC, model="vader")
    assert status.origin == Origin.FILE
    assert page.session_state["runs_seen"] == [first]
    os.close(held[0])


def test_another_model_gets_the_files_of_the_first_and_is_not_offered_where_they_are_gone(
    open_page: OpenPage, held: list[int]
) -> None:
    files = {"mine.csv": b"text\nHe ran.\n", "names-who.csv": b"who\nAnn\nBo\n"}
    spec = StudySpec("mine.csv", "names-who.csv", "vader", name_column="who")
    first = jobs.submit(spec, files, visitor="first")
    assert jobs.has_inputs(first)
    again = jobs.submit_with(first, "keyword", visitor="first")
    assert jobs.status(again).spec == replace(spec, model="keyword")
    kept = jobs.run_path(again) / "inputs"
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == files
    (kept / "mine.csv").unlink()
    assert not jobs.has_inputs(again)
    for lock in held:
        os.close(lock)


@pytest.mark.parametrize(("stem", "command"), [("equity", "eec"), ("nationality", "nationality")])
def test_an_audit_that_is_deleted_while_its_page_is_drawn_is_one_sentence(
    stem: str, command: str, open_page: OpenPage, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id, status = waiting_run(command), jobs.status

    def deleted(asked: str) -> jobs.RunStatus:
        known = status(asked)
        assert run_status.delete(asked)
        return known

    monkeypatch.setattr(jobs, "status", deleted)
    said = words_of(open_page(stem, **{command: run_id}))
    assert "audit cannot be opened" in said and "an unknown run id" in said
