"""Sentences: every flip as a card, filters, paging, and judgements that count at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.results.sentences_view import SIZES
from psa_core import jobs, tables
from psa_core.folders import judgements
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]
PAGE = SIZES[0]


def cards(page: AppTest) -> list[str]:
    return [element.proto.body for element in page.get("html") if "flagged</span></div>" in element.proto.body]


def choose(page: AppTest, key: str, value: str | None) -> None:
    next(group for group in page.get("button_group") if group.key == key).set_value(value)


@pytest.fixture
def flips() -> tables.Flips:
    return tables.find_flips(result_studies.cube(), "toxicity")


def test_cards_show_the_largest_flips_first(open_page: OpenPage, words_of: Words, flips: tables.Flips) -> None:
    page = open_page("sentences", run=result_studies.keep(), each="all")
    first = flips.frame(limit=1).iloc[0]
    shown = cards(page)
    assert len(shown) == min(PAGE, len(flips))
    assert f"{first['original']:.2f} → {first['perturbed']:.2f}" in shown[0]
    assert ">He</del>" in shown[0] and f">{first['name']}</mark>" in shown[0]
    assert f"{len(flips):,} changed labels" in words_of(page)


def test_filters_by_name_direction_and_words(open_page: OpenPage, run: Run, flips: tables.Flips) -> None:
    page = open_page("sentences", run=result_studies.keep(), names="Person B")
    only = tables.find_flips(result_studies.cube(), "toxicity", names=["Person B"])
    assert len(cards(page)) == len(only)
    assert all(">Person B</mark>" in card for card in cards(page))
    page.multiselect(key="sentences_names").set_value([])
    choose(run(page), "direction", "down")
    assert all("no longer flagged" in card for card in cards(run(page)))
    choose(page, "direction", "both")
    sentence = str(flips.frame(limit=1)["sentence_id"].iloc[0]).removeprefix("s")
    page.text_input(key="sentences_search").set_value(f"counted TO {sentence}.")
    assert cards(run(page)) and all(f"counted to {sentence}." in card for card in cards(page))
    page.text_input(key="sentences_search").set_value("no such words")
    assert cards(run(page)) == []
    assert "No label changes here" in page.info[0].value


def test_pages_hold_every_flip_once(open_page: OpenPage, run: Run, flips: tables.Flips) -> None:
    page = open_page("sentences", run=result_studies.keep(), each="all")
    seen = cards(page)
    for number in range(2, -(-len(flips) // PAGE) + 1):
        page.pagination[0].set_value(number)
        seen += cards(run(page))
    assert len(seen) == len(set(seen)) == len(flips)


def test_card_opens_its_sentence(open_page: OpenPage, run: Run, words_of: Words, flips: tables.Flips) -> None:
    page = open_page("sentences", run=result_studies.keep(), each="all")
    last = flips.frame(limit=PAGE).iloc[-1]
    page.button(key=f"open {last['sentence_id']} {last['name']}").click()
    run(page)
    assert page.session_state["view"].sentence == last["sentence_id"]
    shown = [text for text in words_of(page).splitlines() if text == "One sentence, every name"]
    assert len(shown) == 1
    button = page.button(key=f"open {last['sentence_id']} {last['name']}")
    assert button.label == "Close"
    button.click()
    assert run(page).session_state["view"].sentence is None


def test_judgement_is_kept_and_a_changed_meaning_leaves_the_sentence_out_at_once(
    open_page: OpenPage, run: Run, words_of: Words, flips: tables.Flips
) -> None:
    run_id = result_studies.keep()
    page = open_page("sentences", run=run_id, each="all")
    page.text_input(key="sentences_reader").set_value("Eva")
    run(page)
    first, second = (row for _, row in flips.frame(limit=2).iterrows())
    choose(page, f"judge Eva toxicity {first['sentence_id']} {first['name']}", "defect")
    choose(run(page), f"judge Eva toxicity {second['sentence_id']} {second['name']}", "meaning")
    said = words_of(run(page))
    kept = judgements.load(jobs.result_folder(run_id))
    assert kept[["reader", "verdict"]].to_numpy().tolist() == [["Eva", "defect"], ["Eva", "meaning"]]
    assert "Left out: 1 sentence" in said and "of 39 sentences" in said
    page.toggle(key="sentences_leave_out").set_value(False)
    assert "of 40 sentences" in words_of(run(page))
    choose(page, f"judge Eva toxicity {second['sentence_id']} {second['name']}", None)
    run(page)
    assert judgements.load(jobs.result_folder(run_id))["verdict"].tolist() == ["defect"]


def test_account_of_the_sentences(open_page: OpenPage) -> None:
    page = open_page("sentences", run=result_studies.keep())
    assert page.dataframe[-1].value.to_numpy().tolist() == [
        ["read", 42],
        ["without a word to replace", 2],
        ["used", 40],
    ]


def test_a_sentence_that_was_left_out_comes_back(open_page: OpenPage, run: Run, words_of: Words) -> None:
    run_id = result_studies.keep()
    page = open_page("sentences", run=run_id)
    first = tables.find_flips(result_studies.cube(), "toxicity").frame(limit=1).iloc[0]
    assert not [button for button in page.button if button.label == "Undo"]
    choose(page, f"judge reader toxicity {first['sentence_id']} {first['name']}", "meaning")
    said = words_of(run(page))
    assert "39 sentences" in said and f"Left out, since {first['name']} changes its meaning" in said
    page.button(key="undo").click()
    said = words_of(run(page))
    assert "40 sentences" in said and "Left out" not in said
    assert judgements.load(jobs.result_folder(run_id)).empty
    assert not [button for button in page.button if button.label == "Undo"]


@pytest.mark.parametrize(("each", "column"), [("name", "name"), ("sentence", "sentence_id")])
def test_flips_are_one_a_name_or_one_a_sentence(
    open_page: OpenPage, words_of: Words, flips: tables.Flips, each: str, column: str
) -> None:
    page = open_page(
        "sentences", run=result_studies.keep(), cards="20", **({} if each == "name" else {"each": "sentence"})
    )
    expected = flips.one_each(column.removesuffix("_id")).frame()  # type: ignore[arg-type]
    assert expected[column].is_unique and set(expected[column]) == set(flips.frame()[column])
    assert 1 < len(expected) < len(flips)
    shown = [f">{name}</mark>" for name in expected["name"][:20]]
    assert all(name in card for name, card in zip(shown, cards(page), strict=True))
    assert f"{len(flips):,} changed labels; the largest for each of {len(expected)} {each}s; showing 1 to " in words_of(
        page
    )


def test_judged_flips_are_counted_filtered_and_given_back(
    open_page: OpenPage, run: Run, words_of: Words, flips: tables.Flips
) -> None:
    run_id = result_studies.keep()
    page = open_page("sentences", run=run_id, judged="no")
    listed = flips.one_each("name")
    first = listed.frame(limit=1).iloc[0]
    assert f"0 of {len(listed)} judged" in words_of(page)
    choose(page, f"judge reader toxicity {first['sentence_id']} {first['name']}", "fine")
    run(page)
    assert f"1 of {len(listed)} judged" in words_of(page)
    assert not any(f">{first['name']}</mark>" in card for card in cards(page))
    page.button(key="undo_last").click()
    run(page)
    assert f"0 of {len(listed)} judged" in words_of(page)
    assert any(f">{first['name']}</mark>" in card for card in cards(page))
    assert judgements.load(jobs.result_folder(run_id)).empty
