"""Why: factors and shares of the open study, the names that are left, parts of names on request."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.results import study_model
from psa_core import models, tables
from psa_core.claims.comparison import replicability_finding
from psa_core.claims.reasons import why_finding
from psa_core.inputs import names as name_lists
from psa_core.inputs.conditions import Condition
from psa_core.study import execute, plan
from psa_core.tables.factors import factor_regression, first_choice
from psa_core.tables.pairs import order_replicability
from tests.agreement import studies
from tests.pages import result_studies

pytestmark = pytest.mark.slow
OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def test_it_says_what_goes_with_the_effects_and_whether_they_repeat(open_page: OpenPage, words_of: Words) -> None:
    cube = result_studies.cube()
    said = words_of(open_page("names", names_part="why", run=result_studies.keep()))
    assert html.escape(replicability_finding(order_replicability(cube, "toxicity"), "toxicity").headline) in said
    why = factor_regression(cube, "toxicity", first_choice(cube))
    assert html.escape(why_finding(why, "toxicity")) in said
    assert "because" not in said.casefold()


def test_other_factors_make_another_table(open_page: OpenPage, run: Run) -> None:
    page = open_page("names", names_part="why", run=result_studies.keep())
    page.multiselect[0].set_value(["gender"])
    left = run(page).dataframe[0].value
    why = factor_regression(result_studies.cube(), "toxicity", ["gender"])
    assert left["name"].tolist() == why.unexplained["name"].head(12).tolist()
    page.multiselect[0].set_value([])
    assert "Choose at least one factor." in [info.value for info in run(page).info]


def test_parts_are_scored_on_request(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("names", names_part="why", run=result_studies.keep())
    assert "Which part of the name?" in words_of(page)
    page.button(key="why_parts").click()
    run(page)
    parts = page.dataframe[1].value
    assert len(parts) == len(
        [name for name in tables.name_table(result_studies.cube(), "toxicity")["name"] if " " in name]
    )
    assert "sampled sentences" in words_of(page)


def test_hidden_names_are_hidden_here(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("names", names_part="why", run=result_studies.keep())
    page.session_state["hide_names"] = True
    page.button(key="why_parts").click()
    page.run()
    assert not page.exception
    assert "Person A" not in words_of(page)
    named = [frame.value["name"] for frame in page.dataframe if "name" in frame.value]
    assert len(named) == 2 and not any("Person" in name for names in named for name in names)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is scored in the background is there when the page is drawn, however busy the machine is."""
    monkeypatch.setattr(study_model, "FIRST_WAIT_SECONDS", 60.0)


def test_the_words_of_a_name_are_scored_under_the_condition_of_the_target(open_page: OpenPage, words_of: Words) -> None:
    conditions = (Condition("plain"), Condition("swearing", context="What an idiot."))
    names = name_lists.from_text("name\nDick Cheney\nAnn Lee\nBo Kim")
    planned = replace(plan(replace(result_studies.SPEC, model="keyword:Dick=0.2")), names=names, conditions=conditions)
    run = result_studies.keep(execute(planned, models.load(planned.spec.model)))
    for target in ("plain.toxicity", "swearing.toxicity", "swearing.sentiment"):
        said = words_of(open_page("study", run=run, target=target))
        assert "does not score" not in said and "Because of the word Dick" in said


def test_a_model_that_cannot_be_told_a_condition_is_not_asked(open_page: OpenPage, words_of: Words) -> None:
    run = result_studies.keep(studies._conditions())
    said = words_of(open_page("study", run=run, target="strict.toxicity"))
    assert "Models side by side" in said and "a system message for" not in said
    why = words_of(open_page("names", run=run, target="strict.toxicity", names_part="why"))
    assert "the model of this study cannot be asked here" in why and "''" not in why
    assert "This asks the model of the study" not in why and "is not loaded" not in why


def test_of_names_that_all_have_the_same_effect_nothing_is_explained(open_page: OpenPage, words_of: Words) -> None:
    model = "keyword:unheard=0.2"
    run = result_studies.keep(execute(plan(replace(result_studies.SPEC, model=model)), models.load(model)))
    for page in (open_page("study", run=run), open_page("names", run=run, names_part="why")):
        said = words_of(page)
        assert not page.exception and "Changing only the name never changes the toxicity score in these" in said
        assert "Needed:" not in said and "No single word" not in said


def test_of_a_model_that_answers_otherwise_than_in_the_study_no_reason_is_given(
    open_page: OpenPage, words_of: Words
) -> None:
    assert "does not score Person A as it did in this study" in words_of(open_page("study", run=result_studies.keep()))


def test_words_lead_to_their_sentences(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("names", names_part="why", run=result_studies.keep())
    assert "In which sentences?" in words_of(page)
    page.session_state["why_words"] = {"selection": {"rows": [0], "columns": []}}
    found = run(page).dataframe[-1].value
    assert found["change"].is_monotonic_decreasing
    assert found["text"].str.contains("counted|to").all()
