"""Positions hold among cells that were made harmless, and every cell comes back as it was."""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from psa_core.inputs.spreadsheet import FORMULA_STARTS, displace, neutral, place, plain, write, write_exactly

PIECES = st.text(alphabet="'=+-@\t\r\n＝﹢\ufeff\xa0a ;|,\"\u2028", max_size=4)
#: OWASP's list, in other widths, and behind what does not show.
RUNS = [*("=1", "+1", "-1", "@x", "\tx", "\rx", "\nx", " =1", "\xa0@x", "\ufeff=1", "\u200b+1"), *"＝＋－＠﹦"]


@given(PIECES, PIECES.filter(bool), PIECES)
@example("a; ", " =x", "")
@example("", "a; ", "=x")
def test_positions_hold_and_come_back(before: str, anchor: str, after: str) -> None:
    start, end = len(before), len(before + anchor)
    made = pd.DataFrame({"text": [before + anchor + after], "anchor": [anchor], "start": [start], "end": [end]})
    cells = place(made).map(neutral)
    text, shown, left, right = cells.iloc[0]
    assert text[left:right] == shown
    assert not _begins_a_formula(text)
    assert displace(cells).to_dict("list") == made.to_dict("list")


@pytest.mark.parametrize(("text", "start"), [("I hate =evil.", 7), ("'=evil left.", 1)])
def test_folders_of_before_have_the_apostrophe_in_the_anchor_alone(text: str, start: int) -> None:
    cells = pd.DataFrame({"text": [text], "anchor": ["'=evil"], "start": [str(start)], "end": [str(start + 5)]})
    row = displace(cells).iloc[0]
    assert row["text"][row["start"] : row["end"]] == row["anchor"] == "=evil"


@pytest.mark.parametrize("field", RUNS)
def test_what_a_spreadsheet_may_run_gets_an_apostrophe(field: str) -> None:
    assert neutral(field) == f"'{field}" and plain(neutral(field)) == field
    assert plain(neutral(f"'{field}")) == f"'{field}"


@pytest.mark.parametrize("field", ["", " ", "'", "it's", "e=1", "²", "(−1)", "\ufeff", "¿=", "💥=1"])
def test_other_fields_stay(field: str) -> None:
    assert neutral(field) == field == plain(field)


@pytest.mark.parametrize("cut", [*",;|\t\n\r\v\x85\u2028"])
@pytest.mark.parametrize("unseen", ["", " ", '"', "\xa0\u200b"])
@pytest.mark.parametrize("run", ["=cmd|' /C calc'!A0", "@SUM(1)", "＝1", "-1+1"])
def test_nor_behind_a_separator_that_another_program_cuts_at(cut: str, unseen: str, run: str) -> None:
    field = f"hi{cut}{unseen}{run}"
    assert neutral(field).startswith(f"hi{cut}{unseen}'{run[0]}")
    assert plain(neutral(field)) == field


@pytest.mark.parametrize("field", ["He left (=ran).", "a;b=1", "x, (-1)", "one-two; three=four", "12:30|a-b"])
def test_signs_inside_of_words_stay(field: str) -> None:
    assert neutral(field) == field


def test_every_width_of_a_sign_is_known() -> None:
    every = (chr(point) for point in range(sys.maxunicode + 1))
    starts = {letter for letter in every if unicodedata.normalize("NFKC", letter)[:1] in [*"=+-@"]}
    assert set(FORMULA_STARTS) == starts


@given(st.lists(st.tuples(PIECES, PIECES), min_size=1, max_size=4), PIECES)
def test_a_table_comes_back_and_no_field_of_it_begins_a_formula(rows: list[tuple[str, str]], heading: str) -> None:
    table = pd.DataFrame(rows, columns=["first", f"x{heading}"]).rename(columns={"first": heading})
    for to, back in ((write, plain), (write_exactly, str)):
        stream = io.StringIO(newline="")
        to(table, stream)
        fields = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
        assert [[back(field) for field in line] for line in fields] == [list(table.columns), *map(list, rows)]
        assert to is write_exactly or not any(_begins_a_formula(field) for line in fields for field in line)


def _begins_a_formula(field: str) -> bool:
    """Whether some program would: one cuts at tabs, one at semicolons, and so on."""
    parts = re.split(r"[,;|\t\r\n\u2028]", field)
    return field.startswith(("\t", "\r", "\n")) or any(
        part.lstrip(' "\xa0\ufeff').startswith(tuple("=+-@＝﹢")) for part in parts
    )


def test_a_return_begins_no_row_of_its_own() -> None:
    stream = io.StringIO(newline="")
    write(pd.DataFrame({"text": ["He left.\r=1+1"], "score": [0.5]}), stream)
    assert stream.getvalue() == '"text","score"\n"He left.\r\'=1+1",0.5\n'
