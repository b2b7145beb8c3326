"""The case of *her*, on sentences labelled by hand."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from psa_core.anchors import _case

HER = re.compile(r"(?<![a-z])her(?![a-z])", re.IGNORECASE)


def mention(text: str) -> tuple[str, int, int]:
    match = HER.search(text)
    assert match, text
    return text, *match.span()


def labelled(name: str) -> list[tuple[tuple[str, int, int], str]]:
    """Each *her* of a set with its case; the sentences were written and labelled for this test, none was trained on."""
    with (Path(__file__).parent / f"{name}.csv").open(encoding="utf-8", newline="") as rows:
        return [
            ((row["text"], *match.span()), case)
            for row in csv.DictReader(rows)
            for match, case in zip(HER.finditer(row["text"]), row["cases"].split(), strict=False)
        ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least", "share"), [("her-prose", 400, 0.01), ("her-informal", 400, 0.02)])
def test_few_labelled_sentences_are_wrong(name: str, least: int, share: float) -> None:
    mentions, cases = zip(*labelled(name), strict=True)
    wrong = [
        text for (text, *_), case, role in zip(mentions, cases, _case.roles(mentions), strict=True) if case != role
    ]
    assert len(cases) >= least
    assert len(wrong) <= share * len(cases), wrong


@pytest.mark.slow
def test_sentences_of_earlier_rules_stay_right() -> None:
    mentions, cases = zip(*labelled("her"), strict=True)
    wrong = {
        text for (text, *_), case, role in zip(mentions, cases, _case.roles(mentions), strict=True) if case != role
    }
    assert wrong <= {
        "They called her stupid dog",
        "Watching her dance moves is magical",
        "Her being late is no surprise",
    }


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("I saw her", "object"),
        ("I saw her dog", "possessive"),
        ("her and I went home", "object"),
        ("that song got her goin wild", "object"),
        ("he had her cryin' all night", "object"),
        ("we caught her stealin my fries", "object"),
        ("keeps her lookin sharp", "object"),
        ("he had her cabin painted", "possessive"),
        ("they kept her coffin closed", "possessive"),
        ("that cream got her skin glowing", "possessive"),
        ("I gave her money", "object"),
        ("tell her that", "object"),
        ("made her cry", "object"),
        ("love her!", "object"),
        ("her!!!", "object"),
        ("I  love  her   dog", "possessive"),
        ("LOCK HER UP", "object"),
        ("HER SONGS ARE TRASH", "possessive"),
        ("<i>her</i> dog bit me", "possessive"),
        ("I barely know **her**.", "object"),
        ("can't stand her lol", "object"),
        ("her ex called", "possessive"),
        ("told 'her' to go", "object"),
        ("The jury found her guilty of fraud", "object"),
        ("The town elected her mayor in May", "object"),
        ("The court awarded her custody", "object"),
        ("What made her resign is not known", "object"),
        ("What made her resignation odd", "possessive"),
        ("They watch her every move", "possessive"),
        ("They watch her every evening", "object"),
        ("Her 5 years in prison are over", "possessive"),
        ("It is over. Her three months abroad were long", "possessive"),
        ("It cost her 5 years", "object"),
    ],
)
def test_single_cases(text: str, role: str) -> None:
    assert _case.roles([mention(text)]) == [role]


def test_case_depends_on_the_neighbourhood_only() -> None:
    far = "Nothing happened for a long time and nobody said a word about anything at all in this place. " * 3
    text = f"{far}I saw her dog. {far}"
    assert _case.roles([mention(text)]) == ["possessive"]


def test_answers_keep_their_order_when_some_need_no_tagger() -> None:
    texts = ["I met her.", "her dog", "hate her!", "her ex", "her cat"]
    assert _case.roles([mention(text) for text in texts]) == [
        "object",
        "possessive",
        "object",
        "possessive",
        "possessive",
    ]


def test_no_mentions_need_no_pipeline() -> None:
    assert _case.roles([]) == []


def test_cues_name_a_case_each() -> None:
    assert set(_case.cues().values()) == {"object", "possessive"}
