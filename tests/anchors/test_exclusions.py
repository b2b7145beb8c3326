"""Pronouns that stand for no one person, and names and titles that are spelt like one."""

from __future__ import annotations

import pytest

from psa_core import anchors


def found(text: str) -> list[tuple[str, str]]:
    """Words and roles of the anchors of one text."""
    return [(text[one.start : one.end], one.role) for one in anchors.finder("pronouns").find([text])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. He lives in Beijing.", []),
        ("Dear Dr He, thank you.", []),
        ("Ms. He told us that she agreed.", [("she", "subject")]),
        ("He Jiankui said that he was sorry.", [("he", "subject")]),
        ("Kaiming He is famous, and he knows it.", [("he", "subject")]),
        ("Wang and He (2019) disagree.", []),
        ("He et al. (2016) proposed it.", []),
        ("Have you seen Her (2013)?", []),
        ("The movie Her made me cry.", []),
        ("He (helium) is a noble gas.", []),
        ("The HIS (hospital information system) was down.", []),
        # Not a surname: a sentence begins, a handle stands before it, or English knows the word.
        ("I asked the Dr. He said no.", [("He", "subject")]),
        ("@Bidenshairplugs He lied", [("He", "subject")]),
        ("We went home. He Left early.", [("He", "subject")]),
        ("He (my brother) left.", [("He", "subject")]),
        ("I met her (2013 was the year) in Rome.", [("her", "object")]),
    ],
)
def test_names_and_titles_that_are_spelt_like_a_pronoun_are_no_anchors(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", ["Is this his or hers?", "Was the car his or hers", "It is either hers or his."])
def test_a_choice_between_two_people_has_two_anchors(text: str) -> None:
    assert {word for word, _ in found(text)} == {"his", "hers"}


@pytest.mark.parametrize("text", ["Each brought his or her lunch.", "his or hers", "the his or hers towels"])
def test_a_choice_that_means_anybody_has_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Her being late annoyed everyone.", "possessive"),
        ("They joked about her being a clone.", "possessive"),
        ("I saw her being arrested.", "object"),
        ("I met her Monday.", "object"),
        ("We will see her Friday night.", "object"),
        ("We will see her Friday show.", "possessive"),
    ],
)
def test_her_before_being_and_before_a_day(text: str, role: str) -> None:
    assert [one for _, one in found(text)] == [role]


@pytest.mark.parametrize("text", ["if he == None: return she", "for he in people: print(he)"])
def test_code_on_one_line_needs_no_fence(text: str) -> None:
    assert found(text) == []


def test_the_reason_for_a_title_is_not_that_for_an_alternation() -> None:
    left_out = anchors.finder("pronouns").search(["His Majesty said that he or she may enter."])[0]
    assert set(left_out.masked) == {"a name or a title (Mr. He, Her Majesty)", "no one person (he/she)"}


@pytest.mark.parametrize(
    "text",
    [
        "Her late Majesty opened the bridge.",
        "Her Britannic Majesty's Government asked.",
        "We met His late Holiness.",
        "If it please her Honour, we go on.",
        "His most serene highness waved.",
        "their royal highnesses came",
        "A balloon filled with He rises.",
        "Liquid He boils at 4.2 K.",
        "He-Ne lasers and He/Ar mixtures",
        "Neon: Ne and He are noble gases.",
        "He gas is lighter than air.",
        "HE the Ambassador spoke.",
        "Have you seen Her? It is good.",
        '"Her" is a film.',
        "I love the band HIM.",
    ],
)
def test_titles_elements_and_works_are_nobody(text: str) -> None:
    assert [text[anchor.start : anchor.end] for anchor in anchors.finder("pronouns").find([text])[0]] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Her honour was at stake.", ["Her"]),
        ("They named her Honor.", ["her"]),
        ("By his grace we live, and he knew.", ["his", "he"]),
        ("He gave of his best; he who laughs last", ["He", "his", "he"]),
        ("Glory be to him and of He who comes", ["him", "He"]),
        ("I saw Her Majesty and then him.", ["him"]),
        ("“She” needs to stop.", ["She"]),
        ("In the end He left.", ["He"]),
        ("His eminence as a scholar is known.", ["His"]),
    ],
)
def test_what_only_resembles_a_title_is_somebody(text: str, words: list[str]) -> None:
    assert [text[anchor.start : anchor.end] for anchor in anchors.finder("pronouns").find([text])[0]] == words
