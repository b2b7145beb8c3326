"""The swap as pieces: before and after can be read off, whatever the grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.anchors import Anchor
from psa_core.report import swap_pieces
from psa_core.study.perturbation import Perturbation

CASES = [
    ("He left.", (Anchor(0, 2, "subject"),)),
    ("That is his dog.", (Anchor(8, 11, "possessive"),)),
    ("I’m his friend.", (Anchor(4, 7, "possessive"),)),
    ("I like him.", (Anchor(7, 10, "object"),)),
    ("I like him...", (Anchor(7, 10, "object"),)),
    ("He said he'd go with his dog", (Anchor(0, 2, "subject"), Anchor(8, 10, "subject"), Anchor(21, 24, "possessive"))),
]


@pytest.mark.parametrize("text, spans", CASES)
@pytest.mark.parametrize("name", ["Ann", "James", "Robert Downey Jr.", "McDonald's", "<b>"])
def test_pieces_are_both_texts(text: str, spans: tuple[Anchor, ...], name: str) -> None:
    perturbation = Perturbation((text,), (spans,), (name,))
    pieces = swap_pieces(perturbation, 0, name)
    assert "".join(piece.text for piece in pieces if piece.kind != "come") == text
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == perturbation.text(0, 0)


@pytest.mark.slow
@given(before=st.text(max_size=10), after=st.text(max_size=10), name=st.text(min_size=1, max_size=8))
def test_any_text(before: str, after: str, name: str) -> None:
    text = f"{before}he{after}"
    perturbation = Perturbation((text,), ((Anchor(len(before), len(before) + 2, "subject"),),), (name,))
    pieces = swap_pieces(perturbation, 0, name)
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == perturbation.text(0, 0)
