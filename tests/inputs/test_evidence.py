"""Names left out where the evidence for their group is weak, and what a list of a reader's is told."""

from __future__ import annotations

import pandas as pd
import pytest

from psa_core.errors import PsaError
from psa_core.inputs import names
from psa_core.study import StudySpec, plan

PEOPLE = pd.DataFrame(
    {
        "name": list("abcdefg"),
        "race": ["black", "black", "black", "white", "white", "white", "black"],
        "p_black": ["0.95", "0.8", "0.9", "0.1", "0.3", "0.2", ""],
        "p_white": ["0.05", "0.2", "0.1", "0.9", "0.7", "0.8", "0.1"],
    }
)


def left(rule: str, frame: pd.DataFrame = PEOPLE) -> str:
    return "".join(names.from_table(frame, "mine").supported(rule).table["name"])


def test_a_share_concerns_the_names_of_its_group_and_one_without_a_number_is_left_out() -> None:
    assert left("p_black>=.9") == "acdef"
    assert left("p_black >= 0.9, p_white>=.8") == "acdf"
    assert left("") == "abcdefg"


def test_with_two_groups_and_one_share_the_other_group_has_what_is_left_of_1() -> None:
    assert left("p_black>=.8", PEOPLE.drop(columns="p_white")) == "abcdf"


def test_a_share_of_no_group_concerns_every_name() -> None:
    assert left("p_kind>=.5", PEOPLE.assign(p_kind=["1", "0.5", "0.4", "0", "1", "1", "0"])) == "abef"


def test_the_list_says_what_was_left_out_and_is_another_list() -> None:
    all_names = names.from_table(PEOPLE, "mine")
    some = all_names.supported("p_black>=.95")
    assert some.sha256 == names.from_table(some.table, "mine").sha256 != all_names.sha256
    assert some.notes[-2:] == (
        "3 names left out: less than 0.95 for p_black, 1 of them without a number.",
        "Too few names are left to compare these groups of race: black.",
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("p_blac>=.9", "Did you mean 'p_black'?"),
        ("p_black", "In a shell it needs quotes."),
        ("p_black>=90", "Needed: a share from 0 to 1"),
        ("p_black>=1,p_white>=1", "leaves 0 names"),
    ],
)
def test_a_rule_that_cannot_be_kept_is_told(rule: str, words: str) -> None:
    with pytest.raises(PsaError) as told:
        left(rule)
    assert words in told.value.full_message


@pytest.mark.parametrize(("cell", "fix"), [("95", "by 100"), ("-0.1", "cell empty"), ("high", "cell empty")])
def test_evidence_that_is_no_share_is_told_with_its_name(cell: str, fix: str) -> None:
    with pytest.raises(PsaError) as told:
        names.from_table(PEOPLE.assign(p_black=["0.9", cell, *["0.9"] * 5]), "mine")
    assert f"column p_black: {cell!r} for b" in told.value.full_message
    assert fix in told.value.full_message


def test_letters_in_another_order_are_a_misspelling_and_another_number_is_none() -> None:
    def asked(group: str, other: str) -> bool:
        frame = pd.DataFrame({"name": list("abcdef"), "team": [group] * 3 + ["blue"] * 2 + [other]})
        return any("same group" in note for note in names.from_table(frame, "mine").notes)

    assert asked("black", "blakc") and asked("Asian", "asain")
    assert not asked("group 1", "group 2") and not asked("female", "male")


def test_a_misspelt_group_and_a_group_of_one_are_told() -> None:
    frame = pd.DataFrame({"name": list("abcdefghij"), "gender": ["female"] * 4 + ["male"] * 5 + ["femal"]})
    assert names.from_table(frame, "mine").notes == (
        "1 name with gender “femal”, 4 with “female”: is it the same group?",
        "The only name with gender “femal” is no group and is not compared.",
    )


def test_a_study_has_the_names_of_its_rule() -> None:
    planned = plan(StudySpec("sample", "us-people", "keyword", sample=2, evidence="p_black>=.9,p_asian>=.9"))
    table = planned.names.table
    assert planned.cells == 2 * len(table) < 320
    for race in ("black", "asian"):
        assert table[table["race"] == race][f"p_{race}"].astype(float).min() >= 0.9
    assert (table["race"] == "white").sum() == 40
