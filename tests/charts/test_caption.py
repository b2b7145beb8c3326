"""Exported pictures say what they show, and user text in them is never a tag."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from psa_core.charts.caption import Caption, captioned

PICTURE = '<svg version="1.1" xmlns="http://www.w3.org/2000/svg" width="300" height="100" viewBox="0 0 300 100"></svg>'


def test_words_stand_around_the_picture_in_lines_that_fit() -> None:
    drawn = captioned(PICTURE, Caption("Mean change", "word " * 30, "vader · 3 < 4 names"))
    root = ElementTree.fromstring(drawn)
    texts = [(float(text.get("y")), text.text) for text in root.findall("{*}text")]
    top = float(root.find("{*}svg").get("y"))
    assert texts[0][1] == "Mean change" and texts[-1][1] == "vader · 3 < 4 names"
    assert " ".join(text for _, text in texts[1:-1]) == ("word " * 30).strip()
    assert texts[-2][0] < top and texts[-1][0] > top + 100
    assert float(root.get("height")) > texts[-1][0]


def test_what_no_picture_may_hold_is_replaced() -> None:
    made = captioned(PICTURE, Caption("a\x01b", "a\ud800b", "a\ufffeb"))
    assert [line.text for line in ElementTree.fromstring(made) if line.text] == ["a\ufffdb"] * 3


def test_a_picture_without_a_finding_has_its_title_and_source_only() -> None:
    assert re.findall(r">([^<]+)</text>", captioned(PICTURE, Caption("A & B", source="here"))) == ["A &amp; B", "here"]
