"""User text stays text: in HTML, and in the labels of widgets, which read markdown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pages.ui.frame import markup


def test_a_label_shows_markdown_instead_of_obeying_it() -> None:
    assert markup.literal("**b** ![x](//y/z) $k$") == r"\*\*b\*\* \!\[x\]\(//y/z\) \$k\$"
    assert ":material/home:" not in markup.literal(":material/home:")


@given(st.text(max_size=40))
def test_a_label_keeps_every_character(text: str) -> None:
    assert re.sub(r"\\(.)", r"\1", markup.literal(text).replace(":\u2060", ":"), flags=re.DOTALL) == text
