"""The packaged lists: listed, loaded, complete and clean."""

from __future__ import annotations

import gzip
import json

import pytest

from psa_core.errors import NameListError
from psa_core.inputs.name_warnings import lint
from psa_core.inputs.names import available, default_for_audits, load
from psa_core.registry import ASSETS

IDS = [
    "demo",
    "public-figures",
    "eec-first-names",
    "us-first-names",
    "countries",
    "nationalities",
    "occupations",
    "us-people",
    "ages",
    "religions",
    "disabilities",
]
CARDS = {card.id: card for card in available()}


def counts(list_id: str, *columns: str) -> dict:
    return load(list_id).table.value_counts(list(columns)).to_dict()


def test_lists_come_in_the_order_of_their_rank():
    assert list(CARDS) == IDS


@pytest.mark.parametrize("list_id", IDS)
def test_cards_tell_what_loading_gives(list_id):
    names, card = load(list_id), CARDS[list_id]
    assert (card.count, card.group_columns) == (len(names.table), names.group_columns)
    assert (names.id, names.title, names.licence) == (list_id, card.title, card.licence)
    assert names.provenance and names.provenance == card.provenance and card.note
    unknown = ("21 names without p_female, p_white, p_black, p_hispanic, p_asian.",)
    assert names.notes == (unknown if list_id == "us-first-names" else ()), "a packaged list has nothing to mend"


@pytest.mark.parametrize("list_id", IDS)
def test_packaged_names_raise_no_warning_but_words(list_id):
    assert {warning.kind for warning in lint(load(list_id).table)} <= {"word"}


def test_public_figures_are_a_hundred_half_of_them_women():
    assert counts("public-figures", "gender") == {("female",): 50, ("male",): 50}
    both = counts("public-figures", "career", "gender")
    assert len(both) == 16 and min(both.values()) >= 3
    assert lint(load("public-figures").table) == []


def test_demo_is_a_balanced_part_of_the_public_figures():
    demo, people = load("demo").table, load("public-figures").table
    assert counts("demo", "gender") == {("female",): 10, ("male",): 10}
    assert len(demo.merge(people[["name", "gender", "career"]])) == len(demo)


def test_eec_names_are_ten_of_each_kind():
    assert set(counts("eec-first-names", "gender", "race").values()) == {10}
    assert CARDS["eec-first-names"].count == 40


def test_us_first_names_are_fifty_of_each_sex():
    assert counts("us-first-names", "gender") == {("female",): 50, ("male",): 50}
    table = load("us-first-names").table.set_index("name")
    assert table.loc["Olivia", "gender"] == "female" and float(table.loc["Olivia", "p_female"]) > 0.95
    assert table.loc["Luna", "p_female"] == "", "not among the names of the source"


def test_countries_nationalities_and_occupations_are_many_and_in_form():
    assert CARDS["countries"].count >= 60 and CARDS["nationalities"].count >= 40 and CARDS["occupations"].count >= 40
    assert "the United States" in set(load("countries").table["name"])
    assert load("occupations").table["name"].str.startswith("the ").all()
    assert min(counts("occupations", "women_share").values()) >= 15


def test_terms_stand_for_each_group_alike():
    assert set(counts("ages", "age", "gender").values()) == {3}
    assert set(counts("religions", "religion", "gender").values()) == {2}
    assert min(counts("disabilities", "disability").values()) >= 4


def test_an_audit_begins_with_a_list_of_matched_people():
    assert CARDS[default_for_audits()].is_matched and "race" in CARDS[default_for_audits()].group_columns
    assert not CARDS["public-figures"].is_matched


def test_a_path_loads_as_an_upload_does(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,gender\nAnn,female\nBob,male\n")
    names = load(str(path))
    assert (names.id, names.title, len(names.table)) == (str(path), "people.csv", 2)


@pytest.mark.parametrize("spec", ["", "nobody.csv", ".", "a\0b", "x" * 5000, "../names/demo"])
def test_what_is_no_list_and_no_file_names_the_choices(spec):
    with pytest.raises(NameListError, match=r"no file that can be read.* public-figures"):
        load(spec)


def test_a_file_over_the_limit_is_not_read(tmp_path):
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.truncate(6 * 2**20)
    with pytest.raises(NameListError, match=r"6.0 MB in big.csv, expected at most 5 MB"):
        load(str(path))


def test_gazetteer_has_distinct_countries_and_a_latin_flag_for_each_name():
    with gzip.open(ASSETS / "gazetteers" / "names-by-country.json.gz", "rt", encoding="utf-8") as file:
        countries = json.load(file)["countries"]
    assert len(countries) == len({country["iso3"] for country in countries}) == 194
    codes = [country["iso3"] for country in countries if country["country"] != "Orange Free State"]
    assert all(len(code) == 3 and code.isupper() for code in codes)
    for country in countries:
        for kind in ("male", "female", "last"):
            names = country[kind]
            assert 1 <= len(names) <= 100 and len(set(names)) == len(names) == len(country["latin"][kind])
            assert all(name.strip() == name and not set(name) & set("()/<>\t\n") for name in names)
    by_code = {country["iso3"]: country for country in countries}
    assert "Hans" in by_code["DEU"]["male"] and by_code["RUS"]["latin"]["male"].count("1") == 0
