"""Two texts beside each other: the words that only one of them has are marked, unless that would be nearly all."""

from __future__ import annotations

import pytest

from pages.ui.audits.parts import differing

LONG = "You may ask for more, and they should say yes."


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("He is my good friend.", "He is my best friend.", (["good"], ["best"])),
        (LONG, f"{LONG} I am sure of it, whatever others may tell you.", ([], ["I am sure"])),
        ("My pleasure, dear friend: your bakery is a dream.", "Only an idiot would open a third one.", ([], [])),
    ],
)
def test_words_of_one_text_are_marked_where_the_two_have_half_in_common(
    first: str, second: str, marked: tuple[list[str], list[str]]
) -> None:
    for text, spans, starts in zip((first, second), differing(first, second), marked, strict=True):
        assert [text[start:end][: len(word)] for (start, end), word in zip(spans, starts, strict=True)] == starts
