"""Try it: the finding at first sight, every edit answered, nothing user-made read as markup."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.try_it import waiting
from psa_core import models

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]


def test_first_sight_is_a_finding_without_any_input(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("try_it")
    high, low = (
        models.load("profanity-check").score([f"I hate {name}."])[0, 0] for name in ("Dick Cheney", "Vladimir Putin")
    )
    said = words_of(page)
    assert f"the toxicity score is {high:.2f} with Dick Cheney and {low:.2f} with Vladimir Putin" in said
    assert high - low > 0.9
    assert len(page.get("vega_lite_chart")) == 2


def test_a_new_sentence_is_scored_with_every_name(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    page.text_input(key="try_sentence").set_value("{name} is my doctor.")
    run(page)
    assert "Dick Cheney</mark> is my doctor." in words_of(page)
    sentences = page.dataframe[0].value["sentence"].tolist()
    assert sentences[0] == "this person is my doctor."
    assert len(sentences) == 21 and "Rihanna is my doctor." in sentences


def test_typed_names_join_the_list(open_page: OpenPage, run: Callable[[AppTest], AppTest]) -> None:
    page = open_page("try_it")
    page.text_input(key="try_own_names").set_value("Ada Lovelace; Rihanna, Kim Lee")
    names = run(page).dataframe[0].value["name"].tolist()
    assert len(names) == 1 + 20 + 2
    assert {"Ada Lovelace", "Kim Lee"} <= set(names)


def test_a_pronoun_is_taken_for_a_missing_slot(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    page.text_input(key="try_sentence").set_value("I met her and her dog.")
    said = words_of(run(page))
    assert "stands where it says “her”" in said
    assert "I met Rihanna and Rihanna's dog." in page.dataframe[0].value["sentence"].tolist()


def test_a_sentence_without_a_place_offers_its_words(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    page.text_input(key="try_sentence").set_value("I hate Mondays!")
    assert "Where should the name go?" in words_of(run(page))
    page.selectbox(key="try_put_slot").select("Mondays")
    run(page)
    assert page.text_input(key="try_sentence").value == "I hate {name}!"
    assert "Dick Cheney</mark>!" in words_of(page)


def test_an_example_fills_the_field(open_page: OpenPage, run: Callable[[AppTest], AppTest]) -> None:
    page = open_page("try_it")
    page.button_group(key="try_example").set_value("I had dinner with {name}.")
    run(page)
    assert page.text_input(key="try_sentence").value == "I had dinner with {name}."


def test_a_link_reproduces_sentence_list_and_models(open_page: OpenPage, words_of: Words) -> None:
    page = open_page(
        "try_it",
        try_sentence="{name} is here.",
        try_list="First names of the Equity Evaluation Corpus (40)",
        try_models="VADER",
    )
    assert page.text_input(key="try_sentence").value == "{name} is here."
    assert len(page.get("vega_lite_chart")) == 1
    assert "Model: VADER." in words_of(page)
    assert len(page.dataframe[0].value) == 1 + 40


@pytest.mark.parametrize(
    "sentence", ["<img src=x onerror=alert(1)> {name}", "![x](http://example.org/x.png) {name} **b**"]
)
def test_user_text_is_never_markup(open_page: OpenPage, run: Callable[[AppTest], AppTest], sentence: str) -> None:
    page = open_page("try_it")
    page.text_input(key="try_sentence").set_value(sentence)
    run(page)
    assert "<img" not in "".join(element.proto.body for element in page.get("html"))
    assert not any("example.org" in element.value for kind in (page.markdown, page.caption) for element in kind)


def test_a_name_that_cannot_be_used_is_one_sentence(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    page.text_input(key="try_own_names").set_value("original, Kim")
    assert "Names: a name 'original'" in words_of(run(page))


def test_the_headline_is_of_the_model_that_was_chosen_last(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    assert "Model: profanity-check" in words_of(page), "at first, where the name matters most"
    page.button_group(key="try_models").set_value(["profanity-check", "opinion-words"])
    assert "Model: Opinion words" in words_of(run(page))
    page.button_group(key="try_models").set_value(["opinion-words", "profanity-check"])
    assert "Model: profanity-check" in words_of(run(page))


def test_without_a_model_the_page_asks_for_one(open_page: OpenPage, run: Callable[[AppTest], AppTest]) -> None:
    page = open_page("try_it")
    page.button_group(key="try_models").set_value([])
    run(page)
    assert page.info[0].value == "Choose at least one model."


def test_names_are_hidden_everywhere_for_a_screenshot(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    assert all("Cheney" in chart.proto.spec for chart in page.get("vega_lite_chart"))
    page.toggle(key="hide_names").set_value(True)
    said = words_of(run(page)) + page.dataframe[0].value.to_string()
    assert "Cheney" not in said and "D••• C•••••</mark>." in said
    assert not any("Cheney" in chart.proto.spec for chart in page.get("vega_lite_chart"))


def test_the_parts_of_a_name_are_scored_alone(
    open_page: OpenPage, words_of: Words, run: Callable[[AppTest], AppTest]
) -> None:
    page = open_page("try_it")
    page.session_state["try_parts"] = True
    said = words_of(run(page))
    assert "Dick Cheney moves the toxicity score by" in said and "Dick alone by" in said
    forms = page.dataframe[-1].value
    assert forms["text"].tolist() == ["Dick Cheney", "Dick", "Cheney", "dick cheney", "D. C."]
    whole, first = models.load("profanity-check").score(["I hate Dick Cheney.", "I hate Dick."])[:, 0]
    assert forms.filter(like="toxicity").iloc[:2, 0].tolist() == pytest.approx([whole, first])


def test_a_model_that_is_not_known_to_be_quick_joins_those_that_are_there(
    open_page: OpenPage, run: Callable[[AppTest], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: dict[str, float] = {}
    monkeypatch.setattr(waiting, "_scoring", seconds)
    page = open_page("try_it", try_models=["vader", "opinion-words"])
    assert list(seconds) == ["opinion-words"] and len(page.get("vega_lite_chart")) == 2
    seconds["opinion-words"] = 60.0  # a slow one, but its scores are there
    monkeypatch.setattr(waiting, "wait_for", lambda *_: pytest.fail("nobody waits for it again"))
    assert len(run(page).get("vega_lite_chart")) == 2
