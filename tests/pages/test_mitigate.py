"""Mitigate: before and after, what it costs and loses, and the model itself asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs, mitigate, models, tables
from psa_core.study import StudySpec, execute, plan
from psa_core.study.perturbation import Perturbation
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


@pytest.fixture(autouse=True)
def people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other text's first word is a person: what spaCy sees is not tested here."""

    def seen(perturbation: Perturbation, _: object) -> np.ndarray:
        shape = len(perturbation.texts), len(perturbation.names)
        return np.arange(shape[0] * shape[1]).reshape(shape) % 2 == 0

    monkeypatch.setattr(mitigate, "recognised", seen)


def expected(count: int = 6) -> mitigate.Trial:
    """What Mitigate measures in the test's study, averaged over so many names."""
    cube = result_studies.cube()
    names, rows = mitigate.halves_of_names(cube.names), cube.rows(mitigate.split_sentences(cube).measured)
    seen = np.arange(20 * 6).reshape(20, 6) % 2 == 0
    return mitigate.trial(rows, used=mitigate.drawn(names.used, count), measured=names.measured, seen=seen)


def test_cost_and_loss_are_said(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", compare_part="mitigate", run=result_studies.keep())
    trial = expected()
    lost = mitigate.loss(trial.before, trial.as_people, "toxicity", threshold=0.5)
    said = words_of(page)
    assert "Each text is then scored 6 times" in said
    assert f"by {lost.score_change:.3f} on average, and {lost.labels_changed} of 20 original labels change" in said


def test_unseen_names_are_measured_and_the_trivial_case_is_named(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", compare_part="mitigate", run=result_studies.keep())
    devs = {kind: tables.summary(cube)["toxicity"]["score_dev"]["value"] for kind, cube in expected()._asdict().items()}
    said = words_of(page)
    assert f"{devs['before']:.3f} becomes {devs['as_people']:.3f}, smaller by 0." in said
    assert "spots the name in 50 % of 120 texts" in said
    assert devs["as_they_are"] == devs["before"] > devs["as_people"] > devs["same_names"] == 0
    assert "themselves it is 0.000 by definition" in said
    assert page.metric[0].value == f"{devs['as_people']:.3f}"
    shown = page.dataframe[0].value.loc["ScoreDev"]
    assert [cell.partition(" ")[0] for cell in shown] == [f"{value:.3f}" for value in devs.values()]


def test_fewer_names_cost_less(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("compare", compare_part="mitigate", run=result_studies.keep())
    page.select_slider(key="mitigate_count 6").set_value(1)
    assert "Each text is then scored once" in words_of(run(page))


def test_many_texts_are_read_when_a_person_says_so(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ui.results.mitigate_view.TEXTS", 90)
    run_id = result_studies.keep()
    page = open_page("compare", compare_part="mitigate", run=run_id)
    assert "of 90 texts" in words_of(page)
    page.toggle(key=f"mitigate_full {run_id}").set_value(True)
    assert "of 120 texts" in words_of(run(page))


def test_the_model_itself_answers_as_expected(open_page: OpenPage, run: Run, words_of: Words) -> None:
    spec = StudySpec(sentences="sample", names="demo", model="keyword", sample=20)
    cube = execute(plan(spec), models.load("keyword"))
    page = open_page("compare", compare_part="mitigate", run=jobs.keep(cube, lambda _: ""))
    page.button(key="mitigate_check").click()
    said = words_of(run(page))
    assert "two held-out names of one sentence differ by at most 0" in said


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
    page = open_page("compare", compare_part="mitigate", run=run_id)
    assert not [button for button in page.button if button.key == "mitigate_check"]
    assert "only a suggestion" in words_of(page)
    assert model not in page.code[0].value


def test_a_person_confirms_what_the_file_names(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    page = open_page("compare", compare_part="mitigate", run=_opened_from_a_zip("predictions:/nowhere.csv"))
    for typed, offered in (("predictions:/other.csv", False), ("predictions:/nowhere.csv", True)):
        (field,) = [field for field in page.text_input if str(field.key).startswith("mitigate_model")]
        field.set_value(typed)
        run(page)
        assert [button.key for button in page.button if button.key == "mitigate_check"] == ["mitigate_check"] * offered
    page.button(key="mitigate_check").click()
    assert "no file at" in words_of(run(page))


def test_code_cannot_be_confirmed_on_a_page(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    page = open_page("compare", compare_part="mitigate", run=_opened_from_a_zip("python:subprocess:getoutput"))
    assert not [field for field in page.text_input if str(field.key).startswith("mitigate_model")]


def test_the_cards_are_at_the_chosen_threshold_and_say_so(open_page: OpenPage, run: Run) -> None:
    page = open_page("compare", compare_part="mitigate", run=result_studies.keep(), c="0.8")
    page.select_slider(key="mitigate_count 6").set_value(1)
    trial = expected(1)
    averaged, before = (tables.target_summary(c, "toxicity", threshold=0.8) for c in (trial[1], trial[0]))
    shown = {metric.label: (metric.value, metric.delta) for metric in run(page).metric}
    assert shown["LabelDist at 0.8"] == (
        f"{averaged['label_dist']['value']:.3f}",
        f"before {before['label_dist']['value']:.3f}",
    )
    assert shown["Flips at 0.8"][1] == f"before {100 * before['flips']['value']:.1f} %"


@pytest.mark.parametrize(("sentences", "names", "said"), [(1, 12, "one to choose"), (40, 3, "a longer list of names")])
def test_a_study_that_is_too_small_says_what_is_needed(
    open_page: OpenPage, words_of: Words, sentences: int, names: int, said: str
) -> None:
    cube = result_studies.cube(sentences)
    few = replace(cube, names=cube.names.head(names), perturbed=cube.perturbed[:, :names])
    told = words_of(open_page("compare", compare_part="mitigate", run=result_studies.keep(few)))
    assert "Averaging over names cannot be measured here" in told and said in told
