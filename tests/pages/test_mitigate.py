"""Mitigate: before and after, what it costs and loses, and the model itself asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs, mitigate, models, tables
from psa_core.study import StudySpec, execute, plan
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def test_cost_and_loss_are_said(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("mitigate", run=result_studies.keep())
    cube = result_studies.cube()
    lost = mitigate.loss(cube, mitigate.averaged_cube(cube), "toxicity", threshold=0.5)
    said = words_of(page)
    assert "It costs 12 texts for each one" in said
    assert f"by {lost.score_change:.3f} on average, and {lost.labels_changed} of 40 original labels change" in said
    assert [metric.value for metric in page.metric] == ["0.000", "0.000", "0.000", "0.0 %"]


def test_fewer_names_cost_less(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("mitigate", run=result_studies.keep())
    page.select_slider(key="mitigate_count 12").set_value(1)
    assert "It costs 1 text for each one" in words_of(run(page))


def test_the_model_itself_answers_as_expected(open_page: OpenPage, run: Run, words_of: Words) -> None:
    spec = StudySpec(sentences="sample", names="demo", model="keyword", sample=20)
    cube = execute(plan(spec), models.load("keyword"))
    page = open_page("mitigate", run=jobs.keep(cube, lambda _: ""))
    page.button(key="mitigate_check").click()
    said = words_of(run(page))
    assert "two names of one sentence differ by at most 0" in said


HOSTILE = (
    "python:subprocess:getoutput",
    "http://127.0.0.1:9/",
    "http://2130706433:9/",
    "predictions:/etc/passwd",
    "hf:/etc",
    "hf:owner/model",
)


def _opened_from_a_zip(model: str) -> str:
    """The run that a zip becomes whose manifest names another model."""
    spec = StudySpec(sentences="sample", names="demo", model="keyword", sample=4)
    cube = execute(plan(spec), models.load("keyword"))
    named = {**cube.provenance, "study": {**cube.provenance["study"], "model": model}}
    return jobs.keep(replace(cube, provenance=named), lambda _: "")


@pytest.mark.parametrize("history", ["0", "1"])
@pytest.mark.parametrize("model", HOSTILE)
def test_a_model_that_a_file_names_is_not_loaded(
    model: str, history: str, open_page: OpenPage, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", history)
    run_id = _opened_from_a_zip(model)
    for plugin in models.plugins().values():
        monkeypatch.setitem(plugin.__dict__, "load", lambda _: pytest.fail("was loaded"))
    page = open_page("mitigate", run=run_id)
    assert not [button for button in page.button if button.key == "mitigate_check"]
    assert "only a suggestion" in words_of(page)
    assert model not in page.code[0].value


def test_a_person_confirms_what_the_file_names(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    page = open_page("mitigate", run=_opened_from_a_zip("predictions:/nowhere.csv"))
    for typed, offered in (("predictions:/other.csv", False), ("predictions:/nowhere.csv", True)):
        (field,) = [field for field in page.text_input if str(field.key).startswith("mitigate_model")]
        field.set_value(typed)
        run(page)
        assert [button.key for button in page.button if button.key == "mitigate_check"] == ["mitigate_check"] * offered
    page.button(key="mitigate_check").click()
    assert "no file at" in words_of(run(page))


def test_code_cannot_be_confirmed_on_a_page(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    page = open_page("mitigate", run=_opened_from_a_zip("python:subprocess:getoutput"))
    assert not [field for field in page.text_input if str(field.key).startswith("mitigate_model")]


def test_the_cards_are_at_the_chosen_threshold_and_say_so(open_page: OpenPage, run: Run) -> None:
    page = open_page("mitigate", run=result_studies.keep(), c="0.8")
    page.select_slider(key="mitigate_count 12").set_value(1)
    cube = result_studies.cube()
    averaged = mitigate.averaged_cube(cube, mitigate.drawn_names(cube, 1))
    before, after = (tables.summary(study, thresholds={"toxicity": 0.8})["toxicity"] for study in (cube, averaged))
    shown = {metric.label: (metric.value, metric.delta) for metric in run(page).metric}
    assert shown["LabelDist at 0.8"] == (
        f"{after['label_dist']['value']:.3f}",
        f"before {before['label_dist']['value']:.3f}",
    )
    assert shown["Cells that flip at 0.8"][1] == f"before {100 * before['flips']['value']:.1f} %"
