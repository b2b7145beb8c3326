"""Documents with marks, and how many of their changed spans are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from psa_core import anchors
from research import persons

MARKED = """=== a1 | note | Jane Doe
[[Jane Doe]] came. <<Tom Hall>> saw [[her|him]] and [[her|his]] dog. <<He>> left. [[Doe]] slept.
=== a2 | e-mail | Ann Lee
[[Ann Lee]] wrote to <<Jane Doe>>, and [[she]] left.
"""


@pytest.fixture
def documents(tmp_path: Path) -> list[persons.Document]:
    path = tmp_path / "notes.txt"
    path.write_text(MARKED, encoding="utf-8")
    return list(persons.read(path))


def test_marks_are_places_in_the_text_without_them(documents: list[persons.Document]) -> None:
    first, second = documents
    assert first.text == "Jane Doe came. Tom Hall saw her and her dog. He left. Doe slept."
    assert [(first.text[a:b], form) for (a, b), form in first.mine.items()] == [
        ("Jane Doe", ""), ("her", "him"), ("her", "his"), ("Doe", ""),
    ]  # fmt: skip
    assert [second.text[a:b] for a, b in second.others] == ["Jane Doe"]


def test_what_is_somebody_elses_or_has_another_form_is_wrong(documents: list[persons.Document]) -> None:
    first = documents[0]
    at, her, other = first.text.index("Doe"), first.text.index("her"), first.text.index("Tom")
    spans = (
        anchors.Anchor(0, at + 3, "subject", form="full"),
        anchors.Anchor(other, other + 8, "subject", form="full"),
        anchors.Anchor(her, her + 3, "object", form="his"),
        anchors.Anchor(first.text.index("came"), first.text.index("came") + 4, "object", form="first"),
    )
    wrong, silent = persons.judged(first, anchors.Found(spans))
    assert [kind for kind, _ in wrong] == ["another person", "form", "nobody"]
    assert [words.split(":")[0] for words in silent] == ["'her'", "'Doe'"]


@pytest.mark.slow
def test_documents_that_people_wrote_who_did_not_know_the_rules() -> None:
    counts = [persons.counted(path, said=None) for path in sorted(persons.MARKED.glob("*.txt"))]
    assert sum(count.documents for count in counts) == 120
    assert sum(count.asked for count in counts) <= 20
    assert sum(count.mixed for count in counts) <= 12
    assert sum(count.right for count in counts) / sum(count.changed for count in counts) >= 0.98
    assert sum(count.changed for count in counts) >= 1_600
    assert sum(count.silent for count in counts) <= 60
