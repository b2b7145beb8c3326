"""Terms of the reader's own."""

from __future__ import annotations

import unicodedata

import pytest

from psa_core import anchors
from psa_core.errors import AnchorError


def found(text: str, spec: str) -> list[tuple[str, str, str]]:
    return [(text[one.start : one.end], one.role, one.referent) for one in anchors.finder(spec).find([text])[0]]


def test_terms_are_whole_words_in_any_case_and_the_longest_wins() -> None:
    text = "The  Mayor left. I met the mayoress and the mayor's dog; mayor!"
    assert found(text, "terms:mayor,the mayor") == [
        ("The  Mayor", "subject", "the mayor"),
        ("the mayor", "object", "the mayor"),
        ("mayor", "object", "mayor"),
    ]


def test_a_term_that_is_a_pronoun_behaves_as_one() -> None:
    text = "His dog saw her dog, he/she said."
    assert found(text, "terms:his,her,he,she") == [("His", "possessive", "male"), ("her", "possessive", "female")]


def test_a_term_may_hold_signs_of_a_pattern() -> None:
    assert found("I like C++ (a lot)", "terms:c++,(a") == [("C++", "object", "c++"), ("(a", "object", "(a")]


def test_a_term_inside_an_address_is_none() -> None:
    assert found("see http://boss.org #boss @boss", "terms:boss") == []


@pytest.mark.parametrize(
    ("text", "spec", "expected"),
    [
        ("I like @bob. @Bob's dog", "terms:@bob", ["@bob", "@Bob"]),
        ("@bob smith", "terms:@bob smith", ["@bob smith"]),
        ("@bobby, @bob-by, x@bob, bob@bob.com, http://x.org/@bob", "terms:@bob", []),
        ("vote #yes, not #yesno", "terms:#yes", ["#yes"]),
        ("see Example.com, not example.com/more", "terms:example.com", ["Example.com"]),
        ("=x is +y but not a=x", "terms:=x,+y", ["=x", "+y"]),
    ],
)
def test_a_term_may_be_a_handle_or_an_address_itself(text: str, spec: str, expected: list[str]) -> None:
    assert [words for words, _, _ in found(text, spec)] == expected


@pytest.mark.parametrize("spec", ["terms", "terms:", "terms: , "])
def test_no_terms(spec: str) -> None:
    with pytest.raises(AnchorError, match="terms:he,she,they"):
        anchors.finder(spec)


def test_spec_builds_the_finder_again() -> None:
    finder = anchors.finder("terms: The  Boss , he,he")
    assert finder.spec == "terms:the boss,he"
    again = anchors.finder(finder.spec)
    assert (again.spec, again.fingerprint) == (finder.spec, finder.fingerprint)
    assert finder.fingerprint != anchors.finder("terms:he").fingerprint
    assert finder.filler == ""


@pytest.mark.parametrize("text", ["Die Straße ist leer", "die straße", "DIE STRASSE", "Strasse!"])
def test_letters_that_fold_to_two_are_found(text: str) -> None:
    (found,) = anchors.finder("terms:Straße").find([f"ﬁn: {text}"])
    (one,) = found
    assert f"ﬁn: {text}"[one.start : one.end].casefold() == "strasse"


@pytest.mark.parametrize("term", ["O'Neil", "O’Neil"])
def test_both_apostrophes_are_one(term: str) -> None:
    texts = ["I met O'Neil.", "I met O’NEIL.", "I met ONeil."]
    found = anchors.finder(f"terms:{term}").find(texts)
    assert [[text[a.start : a.end] for a in each] for text, each in zip(texts, found, strict=True)] == [
        ["O'Neil"], ["O’NEIL"], [],
    ]  # fmt: skip


def test_accents_may_stand_on_their_letter_or_behind_it() -> None:
    texts = [unicodedata.normalize(form, "ß, ich traf MÜLLER im Café.") for form in ("NFC", "NFD")]
    for term in ("Müller", unicodedata.normalize("NFD", "Müller")):
        found = anchors.finder(f"terms:{term},caf\u00e9").find(texts)
        words = [[text[a.start : a.end] for a in each] for text, each in zip(texts, found, strict=True)]
        assert [[unicodedata.normalize("NFC", word) for word in each] for each in words] == [["MÜLLER", "Café"]] * 2
        assert anchors.finder(f"terms:{term}").find(["I met Muller."]) == [()]
