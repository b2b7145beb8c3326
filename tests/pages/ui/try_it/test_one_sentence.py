"""The parts of Try it and of the marked sentences that need no page."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.frame import markup
from pages.ui.try_it import one_sentence
from pages.ui.try_it.controls import DOCUMENT
from pages.ui.try_it.one_sentence import Panel, TableOne
from psa_core.cube import Target
from psa_core.errors import AnchorError
from psa_core.inputs.people import Person


def table(scores: list[float], names: tuple[str, ...]) -> TableOne:
    panel = Panel("m", Target("toxicity"), np.array(scores, np.float32), 0.5)
    return TableOne(names, ("I hate this person.", *(f"I hate {name}." for name in names)), "this person", (panel,))


def test_names_are_sorted_by_score_or_by_letter_and_keep_their_texts() -> None:
    tried = table([0.2, 0.9, 0.4], ("Cem", "Ann", "Bob"))
    by_score = tried.at(tried.sorted_by(tried.panels[0]))
    assert by_score.names == ("Ann", "Bob", "Cem")
    assert by_score.texts[1] == "I hate Ann."
    assert tried.at(tried.sorted_by(None)).names == ("Ann", "Bob", "Cem")
    assert by_score.frame()["name"].tolist() == ["(this person)", "Ann", "Bob", "Cem"]


def test_the_headline_is_the_panel_that_is_wide_for_its_range_or_chosen() -> None:
    narrow = Panel("a", Target("toxicity"), np.array([0.1, 0.6], np.float32), 0.5)
    wide = Panel("b", Target("sentiment", -1, 1), np.array([-0.4, 0.4], np.float32), 0.0)
    assert TableOne(("Ann", "Bob"), ("", "", ""), "", (wide, narrow)).leading is narrow
    assert TableOne(("Ann", "Bob"), ("", "", ""), "", (wide, narrow), (), "b").leading is wide


def test_of_many_names_the_ends_are_shown() -> None:
    order = np.arange(100)
    long = table([0.0] * 100, tuple(f"name {place}" for place in range(100)))
    shown = one_sentence.extremes(long, order)
    assert len(shown) == one_sentence.FEW
    assert (shown[0], shown[-1]) == (0, 99)
    with_own = one_sentence.extremes(long, order, kept={"name 50", "name 3"})
    assert with_own.tolist() == sorted([*shown.tolist(), 50])


@pytest.mark.parametrize(
    ("sentence", "word", "expected"),
    [
        ("I hate Mondays.", "Mondays", "I hate {name}."),
        ("Hat on the hat", "hat", "Hat on the {name}"),
        ("a.b a", "a", "{name}.b a"),
        ("Is $1 right?", "right", "Is $1 {name}?"),
    ],
)
def test_the_slot_takes_a_whole_word(sentence: str, word: str, expected: str) -> None:
    assert word in one_sentence.words_of(sentence) or word == "a"
    assert one_sentence.put_slot(sentence, word) == expected


@given(st.text(max_size=60), st.data())
def test_marked_text_reads_as_the_text_and_holds_no_tag_of_its_own(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    written = markup.marked(text, [(start, end)])
    bare = re.sub(r'<mark style="[^"]*">|</mark>', "", written)
    assert "<" not in bare and html.unescape(bare) == text


def test_a_document_has_a_person_in_every_form_and_shows_its_changed_passages() -> None:
    ann = Person("Ann Lee", "Ann", "Lee", "female")
    found = one_sentence.slotted(DOCUMENT, ("Ann Lee", "Kim Roe"), "this person", (ann,))
    assert found is not None and len(DOCUMENT) <= one_sentence.MAX_CHARACTERS
    original, of_ann, of_kim = found.texts
    assert "ann.lee@example.org" in of_ann and "Ms. Lee is calm" in of_ann and "she volunteers" in of_ann
    assert "kim.roe@example.org" in of_kim and "they volunteer for" in of_kim
    assert original.startswith("this person. 14 Alder Row")
    pieces = [("come" if anchor else "same", form) for _, anchor, form in found.perturbation.pieces(0, "Ann Lee")]
    shown = markup.scored_sentence(pieces, 0.25, Target("toxicity"))
    before, _, whole = shown.partition("Whole text")
    assert "handover sheet" in whole and "handover sheet" not in before and ">Ms. Lee</mark>" in before


def test_an_unknown_slot_lists_the_known_ones() -> None:
    with pytest.raises(AnchorError, match=r"nmae.*initials"):
        one_sentence.slotted("{First} said {he} left {nmae}.", ("Ann Lee",), "this person")


def test_hidden_names_are_hidden_in_every_form() -> None:
    found = one_sentence.slotted("{name}, {email}@example.org", ("Ann Lee",), "this person")
    assert found is not None
    tried = TableOne(("Ann Lee",), found.texts, "this person", table([0.2], ("Ann Lee",)).panels)
    assert tried.shown_as({"Ann Lee": "A. L."}, found).texts[1].count("Ann") == 0
    assert "ann" not in tried.shown_as({"Ann Lee": "A. L."}, found).texts[1]
