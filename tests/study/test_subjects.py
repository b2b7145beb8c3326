"""Whom a document is about: as found, or as a reader chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import psa_core as psa
from psa_core import anchors, study
from psa_core.anchors import Found, search
from psa_core.errors import AnchorError, OptionError
from psa_core.study import StudySpec
from psa_core.study.selection import SelectionOptions, select, unclear
from psa_core.study.subjects import Subject

TEXTS = {
    "a": "Anna Ford met Tom Ray. Anna thanked him. Anna left, and Anna Ford slept. Anna woke. She smiled.",
    "b": "Jane Doe applied. Peter Hall, her manager, praises Jane Doe. He likes her. Jane Doe left. Jane slept.",
    "c": "Tom Ray was there. Tom Ray stayed. Anna Ford rang him. Tom Ray slept. Tom woke.",
    "d": "It rained.",
}
PEOPLE = ("Anna Ford", "Tom Ray", "Jane Doe", "Peter Hall", "Nobody Here")
PERSON = anchors.finder("person")


def corpus(texts: dict[str, str] = TEXTS) -> pd.DataFrame:
    return pd.DataFrame({"sentence_id": list(texts), "text": list(texts.values())})


class Doubtful:
    """Cannot say whom a text with two people is about."""

    spec, filler, fingerprint = "person", "", "doubtful"

    def search(self, texts: Sequence[str]) -> list[Found]:
        found = search(PERSON, texts)
        return [
            Found(reason="that may be about two people", people=one.people) if one.people[1:] else one for one in found
        ]


@given(st.dictionaries(st.sampled_from([*TEXTS]), st.sampled_from(PEOPLE)))
@settings(max_examples=25, deadline=None)
def test_each_text_has_the_mentions_of_whom_the_reader_chose(chosen: dict[str, str]) -> None:
    every = {}
    for sentence_id, text in TEXTS.items():
        spec = f"person:{chosen[sentence_id]}" if sentence_id in chosen else "person"
        (found,) = search(anchors.finder(spec), [text])
        if found.anchors:
            every[sentence_id] = found.anchors
    options = SelectionOptions(subjects=chosen)  # type: ignore[arg-type]
    if not every:
        with pytest.raises(AnchorError):
            select(corpus(), PERSON, options)
        return
    selection = select(corpus(), PERSON, options)
    assert dict(zip(selection.sentences["sentence_id"], selection.candidates, strict=True)) == every


def test_a_selection_knows_whom_each_text_is_about_and_who_was_chosen() -> None:
    chosen = {"a": " tom  RAY ", "b": "Jane doe", "c": ""}
    selection = select(corpus(), PERSON, SelectionOptions(subjects=chosen))  # type: ignore[arg-type]
    assert selection.subjects == (
        Subject("Tom Ray", "Anna Ford", ("Anna Ford", "Tom Ray")),
        Subject("Jane Doe", "Jane Doe", ("Jane Doe", "Peter Hall")),
        Subject("Tom Ray", "Tom Ray", ("Tom Ray", "Anna Ford")),
    )
    assert [one.is_chosen for one in selection.subjects] == [True, False, False]
    assert select(corpus({"a": "He left."}), anchors.finder("pronouns")).subjects == (Subject(),)


@pytest.mark.parametrize(
    ("sentence_id", "person"),
    [
        ("cvs/ray_tom.pdf", "Tom Ray"),
        ("CV-TomRay 2024.docx", "Tom Ray"),
        ("tomray.txt", "Tom Ray"),
        ("Ford (1).md", "Anna Ford"),
        ("tom.txt", "Anna Ford"),  # a first name may be anybody's
        ("ray to ford.txt", "Anna Ford"),
        ("stray.txt", "Anna Ford"),
        ("17", "Anna Ford"),
        ("ray-17", "Anna Ford"),  # no file
    ],
)
def test_a_file_that_is_named_after_one_of_its_people_is_about_that_person(sentence_id: str, person: str) -> None:
    texts = pd.DataFrame({"sentence_id": [sentence_id], "text": [TEXTS["a"]]})
    selection = select(texts, PERSON)
    assert selection.subjects == (Subject(person, person, ("Anna Ford", "Tom Ray")),)
    (expected,) = search(anchors.finder(f"person:{person}"), [TEXTS["a"]])
    assert selection.candidates == (expected.anchors,)


def test_a_file_s_name_says_whom_an_unclear_text_is_about() -> None:
    texts = pd.DataFrame({"sentence_id": ["jane doe.txt"], "text": [TEXTS["b"]]})
    assert select(texts, Doubtful()).subjects == (Subject("Jane Doe", "Jane Doe", ("Jane Doe", "Peter Hall")),)


def test_one_person_for_all_texts_gives_way_to_that_of_a_text() -> None:
    tom = anchors.finder("person:Tom Ray")
    selection = select(corpus(), tom, SelectionOptions(subjects={"b": "Peter Hall"}))  # type: ignore[arg-type]
    assert [(one.name, one.as_found) for one in selection.subjects] == [
        ("Tom Ray", "Tom Ray"),
        ("Peter Hall", ""),
        ("Tom Ray", "Tom Ray"),
    ]


def test_a_text_that_may_be_about_two_is_in_the_study_once_the_reader_chose() -> None:
    options = SelectionOptions()
    listed = unclear(corpus(), Doubtful(), options)  # type: ignore[arg-type]
    assert [(one.sentence_id, one.people) for one in listed] == [
        ("a", ("Anna Ford", "Tom Ray")),
        ("b", ("Jane Doe", "Peter Hall")),
        ("c", ("Tom Ray", "Anna Ford")),
        ("d", ()),
    ]
    with pytest.raises(AnchorError, match="3 that may be about two people, 1 without a person"):
        select(corpus(), Doubtful(), options)  # type: ignore[arg-type]
    chosen = SelectionOptions(subjects={"c": "Anna Ford"})  # type: ignore[arg-type]
    selection = select(corpus(), Doubtful(), chosen)  # type: ignore[arg-type]
    assert selection.sentences["sentence_id"].tolist() == ["c"] and selection.sentences["anchor"][0] == "Anna Ford"
    assert selection.subjects == (Subject("Anna Ford", "", ("Tom Ray", "Anna Ford")),)
    assert unclear(corpus(), Doubtful(), chosen) == listed  # type: ignore[arg-type]
    assert unclear(corpus({"a": "It rained."}), anchors.finder("pronouns"), options) == []


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (5, "subjects: got 5, expected pairs"),
        ("ab", "subjects: got 'ab', expected pairs"),
        ([("a", "b", "c")], "expected pairs of a sentence_id and a person's name"),
        ({"a": 3}, "subjects: got 3, expected a string"),
        ({3: "Tom"}, "subjects: got 3, expected a string"),
        ([("a", "Tom Ray"), ("a", "Anna Ford")], "subjects: got two people for 'a', 'Tom Ray' and 'Anna Ford'"),
    ],
)
def test_what_is_no_choice_is_told(chosen: Any, words: str) -> None:
    for make in (lambda: SelectionOptions(subjects=chosen), lambda: StudySpec("s", "n", "m", subjects=chosen)):
        with pytest.raises(OptionError, match=words):
            make()


def test_a_choice_that_would_do_nothing_is_told() -> None:
    texts = pd.DataFrame({"sentence_id": ["cv-1", "cv-2"], "text": ["Tom Ray left.", "Anna Ford left."]})
    with pytest.raises(OptionError, match=r"got 'cv-3', the id of no text, .* Did you mean 'cv-2'\?"):
        psa.review(texts, anchors="person", subjects={"cv-3": "Tom Ray"})
    with pytest.raises(OptionError, match="got 'x' and 1 more, the id of no text"):
        select(texts, PERSON, SelectionOptions(subjects={"x": "Tom", "y": "Tom"}))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="got 1 choice beside the anchors pronouns, expected --anchors person"):
        psa.review(texts, anchors="pronouns", subjects={"cv-1": "Tom Ray"})


def test_the_review_lists_whom_each_text_is_about() -> None:
    table = psa.review(corpus(), anchors="person", subjects={"a": "Tom Ray", "c": "Nobody Here"})
    assert table[["person", "others"]].to_numpy().tolist() == [
        ["Tom Ray", "Anna Ford"],
        ["Jane Doe", "Peter Hall"],
        ["Nobody Here", "Tom Ray; Anna Ford"],
        ["", ""],
    ]
    assert table["taken"].tolist() == [True, True, False, False]
    again = psa.review(
        corpus(), anchors="person", subjects=dict(zip(table["sentence_id"], table["person"], strict=True))
    )
    pd.testing.assert_frame_equal(again, table)
    assert "person" not in psa.review(["He left."])


def test_choices_are_part_of_a_study_and_stand_in_its_manifest() -> None:
    given: dict[str, Any] = {"names": ["Ann", "Bo"], "model": len, "anchors": "person", "cache": False}
    cube = psa.run(corpus(), subjects={"a": "Tom Ray", "b": "Jane Doe"}, **given | {"model": lengths}).cube
    assert cube.provenance["subjects_chosen"] == 1
    assert cube.provenance["study"]["subjects"] == (("a", "Tom Ray"), ("b", "Jane Doe"))
    assert study.spec_of(cube).subjects == (("a", "Tom Ray"), ("b", "Jane Doe"))
    assert study.perturbation_of(cube).text(0, 0).startswith("Anna Ford met Ann. Anna thanked ")
    assert StudySpec("s", "n", "m", subjects={"a": "Tom"}) != StudySpec("s", "n", "m")  # type: ignore[arg-type]


def lengths(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]
