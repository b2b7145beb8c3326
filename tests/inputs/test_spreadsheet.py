"""Positions hold among cells that were made harmless, and every cell comes back as it was."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.inputs.spreadsheet import displace, neutral, place

PIECES = st.text(alphabet="'=+-@\t\ra ", max_size=4)


@given(PIECES, PIECES.filter(bool), PIECES)
def test_positions_hold_and_come_back(before: str, anchor: str, after: str) -> None:
    start, end = len(before), len(before + anchor)
    made = pd.DataFrame({"text": [before + anchor + after], "anchor": [anchor], "start": [start], "end": [end]})
    cells = place(made).map(neutral)
    text, shown, left, right = cells.iloc[0]
    assert text[left:right] == shown
    assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert displace(cells).to_dict("list") == made.to_dict("list")


@pytest.mark.parametrize(("text", "start"), [("I hate =evil.", 7), ("'=evil left.", 1)])
def test_folders_of_before_have_the_apostrophe_in_the_anchor_alone(text: str, start: int) -> None:
    cells = pd.DataFrame({"text": [text], "anchor": ["'=evil"], "start": [str(start)], "end": [str(start + 5)]})
    row = displace(cells).iloc[0]
    assert row["text"][row["start"] : row["end"]] == row["anchor"] == "=evil"
