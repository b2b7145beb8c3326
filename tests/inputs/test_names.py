"""What makes a list of names fit for a study."""

from __future__ import annotations

import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.errors import NameListError
from psa_core.inputs.groups import grouping
from psa_core.inputs.limits import NAMES
from psa_core.inputs.names import from_table


def table_of(*names: str, **groups: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"name": list(names), **groups}, dtype=object)


def test_names_and_groups_are_trimmed_and_composed():
    names = from_table(table_of(" Beyonce\u0301 ", "Tom \u00a0 Lee", gender=["female", " Male"]), "x")
    assert names.table.to_dict("list") == {"name": ["Beyoncé", "Tom Lee"], "gender": ["female", "Male"]}
    assert names.group_columns == ("gender",) and names.notes == ()


def test_name_column_comes_first_whatever_its_capitals():
    frame = pd.DataFrame({"gender": ["f", "m"], " Name ": ["Ann", "Bob"]})
    assert list(from_table(frame, "x").table.columns) == ["name", "gender"]


def test_blanks_and_equal_duplicates_are_left_out_with_a_note():
    names = from_table(table_of("Ann", "", "Bob", "Ann", "  ", g=["1", "2", "3", "1", ""]), "x")
    assert names.table["name"].tolist() == ["Ann", "Bob"]
    assert names.notes == ("2 rows without a name left out.", "1 duplicate name left out.")
    failed = from_table(table_of("Ann", "#N/A", "Bob", "#REF!", g=["1", "2", "#VALUE!", "3"]), "x")
    assert failed.table.to_dict("list") == {"name": ["Ann", "Bob"], "g": ["1", ""]}


def test_duplicates_that_disagree_are_an_error_that_names_both():
    with pytest.raises(NameListError, match=r"'Sam' with gender 'female' and 'male'"):
        from_table(table_of("Sam", "Bob", "Sam", gender=["female", "male", "male"]), "x")


@pytest.mark.parametrize("names", [[], ["Ann"], ["Ann", "Ann", " "]])
def test_fewer_than_two_names_cannot_be_compared(names):
    with pytest.raises(NameListError, match="at least two different names"):
        from_table(pd.DataFrame({"name": pd.Series(names, dtype=str)}), "x")


@pytest.mark.parametrize("name", ["original", "Sentence_ID"])
def test_reserved_names_are_refused(name):
    with pytest.raises(NameListError, match=f"a name '{name}'"):
        from_table(table_of(name, "Ann"), "x")


@pytest.mark.parametrize("letter", ["\n", "\t", "\x07", "\u202e", "\u2028", "\ud800"])
def test_control_characters_are_refused_by_code_point(letter):
    with pytest.raises(NameListError, match=rf"U\+{ord(letter):04X}"):
        from_table(table_of(f"An{letter}n", "Bob"), "x")
    with pytest.raises(NameListError, match="column gender"):
        from_table(table_of("Ann", "Bob", gender=[f"f{letter}m", "male"]), "x")


def test_invisible_marks_at_the_ends_go_and_joiners_stay():
    names = from_table(table_of("\ufeffAnn\u200e", "علی\u200cرضا"), "x")
    assert names.table["name"].tolist() == ["Ann", "علی\u200cرضا"]


def test_no_name_column_lists_the_columns_found():
    with pytest.raises(NameListError, match="the columns 'person', 'gender'"):
        from_table(pd.DataFrame({"person": ["Ann"], "gender": ["f"]}), "x")


def test_a_column_twice_is_refused():
    with pytest.raises(NameListError, match="two columns 'name'"):
        from_table(pd.DataFrame([["Ann", "Bob"]], columns=["name", "NAME"]), "x")


def test_columns_that_are_no_groups_are_left_out_with_a_note():
    frame = table_of("Ann", "Bob", gender=["f", ""], empty=["", ""], p_value=["0.1", "0.2"])
    names = from_table(frame.assign(**{"": ["0", "1"]}), "x")
    assert names.group_columns == ("gender",)
    assert names.notes == (
        "Column p_value left out: it is no group.",
        "Column without a header left out: it is no group.",
        "Column empty left out: it is empty.",
        "1 name without a gender.",
    )


def test_missing_values_count_as_empty_and_numbers_as_text():
    frame = pd.DataFrame({"name": ["Ann", None, "NaN", 7], "born": [1950, 1960, float("nan"), 1970]})
    names = from_table(frame, "x")
    assert names.table["name"].tolist() == ["Ann", "NaN", "7"]
    assert names.table["born"].tolist() == ["1950.0", "", "1970.0"]


def test_limits():
    many = pd.DataFrame({"name": [f"n{number}" for number in range(NAMES.value + 1)]})
    with pytest.raises(NameListError, match=r"20,001 rows, expected at most 20,000"):
        from_table(many, "x")
    assert len(from_table(many[1:], "x").table) == NAMES.value
    with pytest.raises(NameListError, match="a name of 201 characters"):
        from_table(table_of("a" * 201, "Ann"), "x")


def test_hash_tells_lists_apart_and_ignores_how_they_were_typed():
    plain = from_table(table_of("Ann", "Bob"), "x")
    assert from_table(table_of(" Ann", "", "Bob "), "y").sha256 == plain.sha256
    assert len({plain.sha256, from_table(table_of("Bob", "Ann"), "x").sha256}) == 2
    assert from_table(table_of("Ann", "Bob", g=["1", "2"]), "x").sha256 != plain.sha256


def test_frame_given_is_not_changed():
    frame = table_of(" Ann", "Bob ")
    from_table(frame, "x")
    assert frame["name"].tolist() == [" Ann", "Bob "]


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=3)), max_size=8))
def test_any_text_gives_a_valid_list_or_a_name_list_error(rows):
    frame = pd.DataFrame({"name": [row[0] for row in rows], "group": [row[1] for row in rows]}, dtype=object)
    try:
        names = from_table(frame, "x")
    except NameListError:
        return
    found = names.table["name"]
    assert len(found) >= 2 and found.is_unique and not (found == "").any()
    assert all(name == " ".join(unicodedata.normalize("NFC", name).split()) for name in found)
    again = from_table(names.table, "x")
    assert again.sha256 == names.sha256


def test_sizes_and_numbers_of_rows_are_no_groups():
    table = pd.DataFrame(
        {
            "name": list("ABCDEFGH"),
            "no": range(8),
            "height": ["1,67", "1,67", "1,72", "1,80", "1,80", "1,91", "1,55", "1,60"],
            "born": ["1980", "1980", "1990", "1990", "1980", "1990", "1980", ""],
            "city": ["Köln", "Köln", "Bonn", "Ulm", "Hof", "Ulm", "Jena", "Mainz"],
            "street": ["a", "a", "b", "c", "d", "e", "f", "g"],
        }
    )
    assert grouping(table) == ["born", "city"]


def test_a_few_numbers_are_codes_of_groups_also_in_a_short_list():
    table = pd.DataFrame({"name": list("abcd"), "gender": ["0", "1", "0", "1"], "number": ["7", "8", "9", "10"]})
    assert grouping(table) == ["gender"]
