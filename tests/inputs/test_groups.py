from __future__ import annotations

import pandas as pd
import pytest

from psa_core.errors import PsaError
from psa_core.inputs import groups

PEOPLE = pd.DataFrame(
    {
        "name": list("abcdef"),
        "gender": ["female", "female", "male", "male", "male", ""],
        "race": ["black", "white", "black", "white", "white", "white"],
        "one*two": list("xxyyzz"),
    }
)


def test_crossed_labels_and_names_without_one() -> None:
    cells = ["female*black", "female*white", "male*black", "male*white", "male*white", None]
    assert groups.labels_of(PEOPLE, "gender * race").tolist() == cells
    assert groups.columns_of(PEOPLE, "one*two") == ("one*two",)


def test_the_reference_may_stand_in_any_order() -> None:
    found = groups.references(PEOPLE, ["gender*race", "race"], "white*male")
    assert found == {"gender": "male", "race": "white", "gender*race": "male*white"}


@pytest.mark.parametrize(
    ("crossed", "reference", "words"),
    [
        ("gender*rase", "", "Did you mean 'race'"),
        ("gender*race*one*two", "", "two with"),
        ("gender*race", "male*whit", "Did you mean 'white'"),
        ("name", "", "a column of the names"),
        ("gender*one*two", "", "a column of the names"),
    ],
)
def test_what_is_misspelt_is_named(crossed: str, reference: str, words: str) -> None:
    with pytest.raises(PsaError) as told:
        groups.check(PEOPLE, crossed, reference)
    assert words in told.value.full_message


def test_groups_of_one_name_are_refused() -> None:
    with pytest.raises(PsaError, match="one name each"):
        groups.check(PEOPLE.iloc[:4], "gender*race", "")
