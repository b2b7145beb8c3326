"""Pronoun anchors: what is one, what is none, and with which role."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psa_core import anchors
from psa_core.anchors import _forms
from psa_core.errors import AnchorError


def found(text: str, spec: str = "pronouns") -> list[tuple[str, str]]:
    """Words and roles of the anchors of one text."""
    return [(text[one.start : one.end], one.role) for one in anchors.finder(spec).find([text])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left.", [("He", "subject")]),
        ("I know him.", [("him", "object")]),
        ("I know his dog.", [("his", "possessive")]),
        ("It is his.", [("his", "possessive")]),
        ("The dog is hers.", [("hers", "possessive")]),
        ("A friend of his left.", [("his", "possessive")]),
        ("he's late", [("he", "subject")]),
        ("He’s late", [("He", "subject")]),
        ("she'll win", [("she", "subject")]),
        ("She’ll win", [("She", "subject")]),
        ("he'd go", [("he", "subject")]),
        ("heʼs late", [("he", "subject")]),
        ("herʼs won", [("her", "object")]),
        ("her‘s won", [("her", "object")]),
        ("he'd've gone", [("he", "subject")]),
        ("IS HE OK", [("HE", "subject")]),
        ("hE left", [("hE", "subject")]),
        ("he said she lied", [("he", "subject"), ("she", "subject")]),
    ],
)
def test_roles(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", ["<b>he</b> left", "*he* left", "**he** left", "_he_ left", "“he” left", "'he' left"])
def test_markup_and_quotes_around_a_word_leave_it_an_anchor(text: str) -> None:
    assert found(text) == [("he", "subject")]


@pytest.mark.parametrize(
    "text",
    [
        "the weather is here",
        "himself and herself",
        "make him self relevant",
        "he/she left",
        "She/he left",
        "his/her dog",
        "him / her",
        "he or she left",
        "his or hers",
        "him and/or her",
        "he, she or they",
        "he (or she) left",
        "(s)he left",
        "s/he left",
        "S/He left",
        "him/herself",
        "she/they",
        "pronouns are she/her",
        "his and hers towels",
        "he he he",
        "I thought the dog was a he",
        "Her Majesty left",
        "Her Honour ruled, and His Grace agreed",
        "they swapped the word “he” for another",
        "the pronoun 'she' is common",
        "a he-man and a she-wolf",
        "They never proved it, a clear case of he said, she said.",
        "It ended as “he said she said” and nothing more",
        "the pronoun her is short",
        "Pronouns: she, her",
        "My pronouns are he and him.",
        "Balloons hold helium (He) or hydrogen",
        "Money for higher education (HE) is short",
        "read x.her.y or person.his.name",
        "see http://example.org/he/her?him=his",
        "www.she.com/he is down, so is his.com",
        "@he and @her and #hers and #she",
        "write to him@her.org",
        "r/her and /u/she agree",
        "`he` and `x = her`",
        "<her> <a title='his'>",
        "[it](/he/his)",
        "snake_he_case the_he",
        "{he}",
        "he\u0301llo",
        "",
        "   ",
        "👩‍🚀",
    ],
)
def test_nothing_to_replace(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("😀he left", "he"),
        ("👩🏽‍🚀 she left", "she"),
        ("❤️she left", "she"),
        ("cafe\u0301 he left", "he"),
        ("𝒳 he left", "he"),
        ("left\u200b he", "he"),
        ("he\u200b left", "he"),
        ("...he left", "he"),
        ("well—he left", "he"),
        ("so --he left", "he"),
        (">he left", "he"),
        ("I told (him)", "him"),
        ("he.Then nothing", "he"),
        ("either him or the dog", "him"),
        ("I read about them (he says it is fine)", "he"),
        ("I told him (she was there)", "him"),
        ("tell him or she will be angry", "him"),
        ("I love him / she does too", "him"),
        ("When I left an she stayed", "she"),
        ("{he left early}", "he"),
        ("<she said he was> late", "she"),
        ("he or his dog", "he"),
        ("He said she said that it was late", "He"),
        ("I think (he) will win", "he"),
        ("the pronouns he uses", "he"),
        ("Wait.he is here", "he"),
    ],
)
def test_positions_survive_odd_neighbours(text: str, word: str) -> None:
    assert found(text)[0][0] == word


def test_pronouns_of_one_gender_share_their_referent() -> None:
    (spans,) = anchors.finder("pronouns").find(["He told her that his dog bit her sister."])
    assert [one.referent for one in spans] == ["male", "female", "male", "female"]
    assert [one.gender for one in spans] == [one.referent for one in spans]
    assert [one.role for one in spans] == ["subject", "object", "possessive", "possessive"]


@pytest.mark.parametrize(("text", "role"), [("her's is better", "object"), ("his's", "object"), ("her’s", "object")])
def test_a_misspelt_possessive_keeps_its_ending(text: str, role: str) -> None:
    assert found(text)[0][1] == role


def test_a_subset_names_persons_by_their_subject_form() -> None:
    assert found("he, she and them", "pronouns:he") == [("he", "subject")]
    assert [word for word, _ in found("she saw hers and his", "pronouns: She ,")] == ["she", "hers"]
    assert anchors.finder("pronouns: She ,").spec == "pronouns:she"


def test_other_pronouns_are_a_readers_choice() -> None:
    text = "I like xem, and zir dog bit hir. We met them."
    assert found(text) == []
    assert found(text, "pronouns:en-more") == [
        ("xem", "object"),
        ("zir", "possessive"),
        ("hir", "object"),
        ("them", "object"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("they left early", ["they"]),
        ("they will win", ["they"]),
        ("they're late", []),
        ("they’ve gone", []),
        ("they were late", []),
        ("are they coming?", []),
        ("they think so", []),
        ("they always win", []),
        ("their dog", ["their"]),
    ],
)
def test_they_is_no_anchor_where_its_verb_is_in_the_plural(text: str, words: list[str]) -> None:
    assert [word for word, _ in found(text, "pronouns:they")] == words


@pytest.mark.parametrize("spec", ["pronouns:thou", "pronouns:he,thou", "pronouns:his"])
def test_unknown_choice_lists_what_there_is(spec: str) -> None:
    with pytest.raises(AnchorError, match=r"he, she, they, ze, xe.*en, en-more"):
        anchors.finder(spec)


def test_default_table_is_the_papers_set() -> None:
    words = [form.word for form in _forms.pronoun_tables()["en"]]
    assert words == ["he", "him", "his", "she", "her", "her", "hers"]


def test_fingerprint_follows_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    default, male = anchors.finder("pronouns"), anchors.finder("pronouns:he")
    assert default.fingerprint == anchors.finder("pronouns").fingerprint
    assert len({default.fingerprint, male.fingerprint, anchors.finder("pronouns:she").fingerprint}) == 3
    before = default.fingerprint, male.fingerprint
    monkeypatch.setattr("psa_core.anchors._spacy.pipeline_version", lambda: "another-1.0")
    assert default.fingerprint != before[0]
    assert male.fingerprint == before[1]  # no word of it is ambiguous, so no tagger decides


def test_texts_without_an_ambiguous_word_need_no_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("the pipeline was loaded")

    monkeypatch.setattr("psa_core.anchors._spacy._pipeline", refuse)
    assert anchors.finder("pronouns").find(["he left", "nobody"])[0][0].role == "subject"


PIECES = st.sampled_from(
    ["he", "Him", "his", " ", ".", "'s", "’s", "/", "_", "*", "😀", "e\u0301", "-", "or", "@", "\n", "x"]
)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_anchors_are_whole_words_in_order_and_apart(text: str) -> None:
    (spans,) = anchors.finder("pronouns").find([text])
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    for span in spans:
        assert text[span.start : span.end].lower() in {"he", "him", "his", "she"}
        assert not text[span.end : span.end + 1].isalnum()
        assert not text[max(0, span.start - 1) : span.start].isalnum()
