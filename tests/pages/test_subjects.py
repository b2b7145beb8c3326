"""New study: the reader chooses whom a document is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import anchors, jobs
from psa_core.anchors import Found
from psa_core.anchors.person import PersonFinder
from tests.pages.test_study import own_sentences, zipped

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]
#: In each of the first two, two people are about equally likely.
FILES = {
    "a.txt": "Anna Ford met Tom Ray. Tom Ray thanked Anna Ford. They left. " + "The day was long. " * 30,
    "b_[x].txt": "Anna Ford rang Tom Ray. Tom Ray rang Anna Ford. " + "The day was long. " * 30,
    "jane.txt": "Jane Doe applies. Peter Hall praises Jane Doe. She is quick. Jane Doe left. Jane slept. "
    + "The day was long. " * 30,
    "rain.txt": "It rained.",
}
ASKED = "Whom are these 3 documents about?"


@pytest.fixture(autouse=True)
def doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts about Anna Ford and Tom Ray are unclear, whatever the rules make of them."""
    own = PersonFinder.search

    def search(self: PersonFinder, texts: Sequence[str]) -> list[Found]:
        return [
            replace(found, anchors=(), reason=anchors.UNCLEAR) if "Anna Ford" in text and not self.chosen else found
            for text, found in zip(texts, own(self, texts), strict=True)
        ]

    monkeypatch.setattr(PersonFinder, "search", search)


@pytest.fixture
def page(open_page: OpenPage, run: Run) -> AppTest:
    opened = own_sentences(open_page("new_study"), run, "cvs.zip", zipped(FILES))
    opened.session_state["study_review"] = opened.session_state["document jane.txt"] = True
    return run(opened)


def enter(page: AppTest, key: str, name: str) -> None:
    """Type a name that is not among the choices, which the driver knows as another choice."""
    box = page.selectbox(key=key)
    box.options.append(name)
    box.set_value(name)


def document(page: AppTest, start: str) -> str:
    return next(section.label for section in page.expander if section.label.startswith(start))


def test_unclear_documents_are_in_the_study_once_their_person_is_chosen(
    page: AppTest, words_of: Words, run: Run
) -> None:
    said = words_of(page)
    assert ASKED in [section.label for section in page.expander]
    assert "1 of 4 documents is eligible." in said and "2 that may be about two people" in said
    assert "They are left out until you choose a person. 0 of 3 chosen." in said
    boxes = [box for box in page.selectbox if str(box.key).startswith("about unclear")]
    assert [(box.label, box.options, box.value) for box in boxes] == [
        ("a\\.txt", ["Anna Ford", "Tom Ray"], None),
        ("b\\_\\[x\\]\\.txt", ["Anna Ford", "Tom Ray"], None),
        ("rain\\.txt", [], None),
    ]
    boxes[0].set_value("Tom Ray")
    said = words_of(run(page))
    assert "2 of 4 documents are eligible." in said and "1 of 3 chosen." in said
    assert "You chose whom 1 document is about" in said
    assert ASKED in [section.label for section in page.expander]
    assert document(page, "a\\.txt").startswith("a\\.txt:\u2060 Tom Ray, ")
    page.selectbox(key="about unclear a.txt").set_value(None)
    said = words_of(run(page))
    assert "1 of 4 documents is eligible." in said and "You chose" not in said


def test_a_choice_for_an_unclear_document_is_undone_in_the_review(page: AppTest, words_of: Words, run: Run) -> None:
    page.selectbox(key="about unclear a.txt").set_value("Tom Ray")
    page.session_state["document a.txt"] = True
    run(page)
    box = page.selectbox(key="about review a.txt")
    assert (box.options, box.value) == (["Nobody: leave it out", "Anna Ford", "Tom Ray"], "Tom Ray")
    box.set_value("")
    assert "1 of 4 documents is eligible." in words_of(run(page))


def test_another_person_is_chosen_in_the_review_and_undone(page: AppTest, words_of: Words, run: Run) -> None:
    (words,) = [group for group in page.button_group if str(group.key).startswith("words jane.txt")]
    words.set_value(words.value[1:])
    assert "You switched 1 word" in words_of(run(page))
    box = page.selectbox(key="about review jane.txt")
    assert (box.label, box.options, box.value) == (
        "Who is it about?",
        ["Jane Doe (as found)", "Peter Hall"],
        "",
    )
    box.set_value("Peter Hall")
    said = words_of(run(page))
    assert document(page, "jane") == "jane\\.txt:\u2060 Peter Hall, 1 word to replace"
    assert "You chose whom 1 document is about" in said and "You switched" not in said
    (words,) = [group for group in page.button_group if str(group.key).startswith("words jane.txt")]
    assert words.options == ["1\\. Peter Hall"] and len(words.value) == 1
    page.selectbox(key="about review jane.txt").set_value("")
    run(page)
    assert document(page, "jane").startswith("jane\\.txt:\u2060 Jane Doe, ")
    assert page.selectbox(key="about review jane.txt").value == ""


def test_a_name_that_the_text_does_not_have_is_refused(page: AppTest, words_of: Words, run: Run) -> None:
    for key, name in (("about review jane.txt", "Bo Lee"), ("about unclear rain.txt", "Bo Lee")):
        enter(page, key, name)
        said = words_of(run(page))
        assert said.count("“Bo Lee”: The person you chose is not in it.") == 1
        assert "1 of 4 documents is eligible." in said and "You chose" not in said
    assert page.selectbox(key="about review jane.txt").value == ""
    enter(page, "about unclear a.txt", "anna")
    said = words_of(run(page))
    assert "is not in it" not in said and "2 of 4 documents are eligible." in said


def test_all_choices_are_undone_at_once(page: AppTest, words_of: Words, run: Run) -> None:
    page.selectbox(key="about unclear a.txt").set_value("Anna Ford")
    run(page).selectbox(key="about review jane.txt").set_value("Peter Hall")
    assert "You chose whom 2 documents are about" in words_of(run(page))
    page.button(key="all_as_found").click()
    assert "You chose" not in words_of(run(page))
    assert page.selectbox(key="about unclear a.txt").value is None


def test_where_every_document_is_unclear_the_reader_can_choose(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "cvs.zip", zipped({"a.txt": FILES["a.txt"]}))
    assert "Whom is this document about?" in [section.label for section in page.expander]
    page.selectbox(key="about unclear a.txt").set_value("Tom Ray")
    assert "1 of 1 document is eligible." in words_of(run(page))


def test_a_document_that_is_looked_up_can_be_given_its_person(page: AppTest, words_of: Words, run: Run) -> None:
    page.text_input(key="study_lookup").set_value("a.txt")
    assert "Not in the study. It may be about either of two people." in words_of(run(page))
    page.selectbox(key="about found a.txt").set_value("Tom Ray")
    assert "1 document found, 1 of them in the study" in words_of(run(page))


def test_eight_documents_are_asked_about_at_a_time(open_page: OpenPage, run: Run) -> None:
    files = {f"{at:02}.txt": f"{FILES['a.txt']} It was day {at}." for at in range(10)}
    page = own_sentences(open_page("new_study"), run, "cvs.zip", zipped(files))
    asked = [str(box.key) for box in page.selectbox if str(box.key).startswith("about unclear")]
    assert asked == [f"about unclear {at:02}.txt" for at in range(8)]


def test_a_run_gets_the_choices(page: AppTest, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page.selectbox(key="about unclear a.txt").set_value("Tom Ray")
    run(page).button(key="study_run").click()
    page.run(timeout=60)
    place: Path = jobs.run_path(started[0])
    assert jobs.spec_at(place).subjects == (("a.txt", "Tom Ray"),)
