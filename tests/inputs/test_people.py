"""People, their forms, and the slots that stand for them."""

from __future__ import annotations

import pandas as pd
import pytest

from psa_core.errors import AnchorError
from psa_core.inputs import names, people
from psa_core.inputs.people import Person, fill, find_slots, people_of, slots_in, split

ANN = Person.of("Ann Lee", "female")
BOB = Person.of("Robert van der Berg", "M")
KIM = Person.of("Kim Ósk Łuczak")
RIHANNA = Person.of("Rihanna", "female")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Taylor Swift", ("Taylor", "Swift")),
        ("Rihanna", ("Rihanna", "")),
        ("the carpenter", ("the carpenter", "")),
        ("Robert Downey Jr.", ("Robert", "Downey")),
        ("Queen Elizabeth II", ("Elizabeth", "")),
        ("Dr. Mae C. Jemison", ("Mae", "Jemison")),
        ("Vincent van Gogh", ("Vincent", "van Gogh")),
        ("Gabriel García Márquez", ("Gabriel", "García Márquez")),
        ("José Ortega y Gasset", ("José", "Ortega y Gasset")),
        ("Jane Y Doe", ("Jane", "Doe")),
        ("Mary Jane Watson", ("Mary", "Watson")),
        ("Doe, Jane", ("Jane", "Doe")),
        ("Jean-Luc Picard", ("Jean-Luc", "Picard")),
        ("  ", ("", "")),
    ],
)
def test_a_name_is_split_by_rule(name: str, expected: tuple[str, str]) -> None:
    assert split(name) == expected


@pytest.mark.parametrize(
    ("person", "form", "expected"),
    [
        (ANN, "", "Ann Lee"),
        (ANN, "FULL", "ANN LEE"),
        (ANN, "title", "Ms. Lee"),
        (ANN, "title_full", "Ms. Ann Lee"),
        (ANN, "initials", "A.L."),
        (ANN, "email", "ann.lee"),
        (ANN, "name=Last, First", "Lee, Ann"),
        (ANN, "name=F. LAST", "A. LEE"),
        (ANN, "handle=First_Last", "Ann_Lee"),
        (ANN, "handle=flast", "alee"),
        (ANN, "Hers", "Hers"),
        (BOB, "title", "Mr. van der Berg"),
        (BOB, "initials", "R.B."),
        (BOB, "email", "robert.vanderberg"),
        (BOB, "himself", "himself"),
        (BOB, "Works/work", "Works"),
        (KIM, "title", "Kim Ósk Łuczak"),
        (KIM, "email", "kim.luczak"),
        (KIM, "His", "Their"),
        (KIM, "has/have", "have"),
        (RIHANNA, "last", "Rihanna"),
        (RIHANNA, "title", "Ms. Rihanna"),
        (RIHANNA, "name=Last, F.", "Rihanna"),
        (RIHANNA, "email", "rihanna"),
        (RIHANNA, "initials", "R."),
        (Person("Xi Jinping", "Jinping", "Xi", "male", "Dr."), "title", "Dr. Xi"),
        (Person.of("محمد علي"), "email", "محمد.علي"),
    ],
)
def test_forms(person: Person, form: str, expected: str) -> None:
    assert person.form(form) == expected


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(AnchorError, match="full, first"):
        ANN.form("middle")


def test_people_come_from_columns_or_by_rule() -> None:
    table = pd.DataFrame(
        {"name": ["Xi Jinping", "Ann Lee"], "First Name": ["Jinping", ""], "Surname": ["Xi", ""], "sex": ["m", "W"]}
    )
    assert people_of(table) == (Person("Xi Jinping", "Jinping", "Xi", "male"), Person("Ann Lee", "Ann", "Lee"))


def test_a_list_without_names_has_them_from_first_and_last() -> None:
    found = names.read_names("who.csv", b"first,last,gender,title\nAnn,Lee,female,Dr.\nBo,Yu,male,\n")
    assert found.table["name"].tolist() == ["Ann Lee", "Bo Yu"]
    assert [person.form("title") for person in people_of(found.table)] == ["Dr. Lee", "Mr. Yu"]
    assert names.name_columns("who.csv", b"first,last\nAnn,Lee\nBo,Yu\n")[0] == "name"


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("{name} {NAME} {Name} { name }", ["", "", "", ""]),
        ("{he} {He} {HE} {himself}", ["he", "He", "HE", "himself"]),
        ("{is/are} {Is/Are} {works/work}", ["is/are", "Is/are", "works/work"]),
        ("{he/she} {their} {She}", ["he", "his", "He"]),
        ("{first} {last}; {FIRST} {LAST}", ["full", "FULL"]),
        ("{title} {last}; {title} {first} {last}; {last}, {first}", ["title", "title_full", "last", "first"]),
        ("{first name}.{Last_Name}@x.org {email}", ["first", "Last", "email"]),
        ("a set {1, 2} and {}", []),
    ],
)
def test_slots(text: str, forms: list[str]) -> None:
    assert [slot.form for slot in slots_in(text)] == forms


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("{nmae} left", "{nmae}"), ("un{name} left", "un{name}"), ("{her} dog", "{her}"), ("{i/d}{ii}", "{ii}")],
)
def test_a_wrong_slot_is_one_sentence_with_the_known_ones(text: str, wrong: str) -> None:
    with pytest.raises(AnchorError) as told:
        fill(text, ANN)
    assert wrong in str(told.value) and "{himself}" in str(told.value)


def test_slots_in_texts_without_spaces_and_before_endings() -> None:
    assert find_slots("我讨厌{name}。")[1] == find_slots("{name}nak, {name}'s")[1] == ()


def test_a_text_is_filled_by_a_person_and_by_nobody_in_particular() -> None:
    text = "{Title} said {he} {is/are} ill. {His} mail: {email}@x.org. {NAME}'s car."
    assert fill(text, ANN) == "Ms. Lee said she is ill. Her mail: ann.lee@x.org. Ann Lee's car."
    assert fill("{HE} {IS/ARE} HERE, {Is/Are} {he}?", ANN) == "SHE IS HERE, Is she?"
    assert fill("Signed {initials}. {initials}, {he} wrote", ANN) == "Signed A.L. A.L., she wrote"
    neutral = people.Person.of("this person")
    assert fill("{title} said {he} {is/are} ill: {last}.", neutral) == "this person said they are ill: this person."


def test_labels_say_what_a_form_is() -> None:
    assert [people.label(form) for form in ("LAST", "handle=flast", "initials", "Has/have")] == [
        "last name",
        "e-mail's part before the @",
        "initials",
        "verb",
    ]
