"""The packaged sample corpus is what its description says."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter

import pytest

from psa_core.inputs import names
from psa_core.registry import ASSETS

GENRES = ("politics", "celebrities", "forum", "fitness")
PRONOUN = re.compile(r"\b(he|him|his|she|hers|her)\b(?!self)", re.IGNORECASE)
FEMALE = {"she", "her", "hers"}


@pytest.fixture(scope="module")
def rows():
    with (ASSETS / "corpora" / "sample.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def genders(text: str) -> list[str]:
    return ["female" if form.lower() in FEMALE else "male" for form in PRONOUN.findall(text)]


def test_columns_and_size(rows):
    assert list(rows[0]) == ["sentence_id", "text", "genre"]
    assert len(rows) >= 240
    assert all(all(row.values()) and None not in row for row in rows)


def test_four_genres_of_at_least_sixty(rows):
    counts = Counter(row["genre"] for row in rows)
    assert set(counts) == set(GENRES) and min(counts.values()) >= 60


def test_ids_and_texts_are_distinct(rows):
    assert len({row["sentence_id"] for row in rows}) == len(rows)
    assert len({row["text"].casefold() for row in rows}) == len(rows)


def test_lengths_vary_and_none_is_over_fifty_words(rows):
    words = [len(row["text"].split()) for row in rows]
    assert max(words) <= 50 and min(words) >= 4
    assert sum(count < 10 for count in words) >= 10 and sum(count >= 25 for count in words) >= 20


def test_every_sentence_has_a_pronoun_and_hardly_any_two_genders(rows):
    found = [genders(row["text"]) for row in rows]
    assert all(found)
    assert sum(len(set(kinds)) == 1 for kinds in found) >= 0.95 * len(rows)


@pytest.mark.parametrize("genre", GENRES)
def test_first_pronouns_are_balanced_in_each_genre(rows, genre):
    first = Counter(genders(row["text"])[0] for row in rows if row["genre"] == genre)
    assert abs(first["female"] - first["male"]) <= 2


def test_grammar_varies(rows):
    first = Counter(PRONOUN.search(row["text"])[0].lower() for row in rows)
    assert all(first[form] >= 15 for form in ("he", "she", "him", "his", "her"))
    text = "\n".join(row["text"] for row in rows)
    for pattern in (
        r"\b[Hh]e's\b",
        r"\b[Hh]e’s\b",
        r"\b[Ss]he'll\b",
        r"\b[Ss]he’d\b",
        "“",
        "[😀-🙏🌀-🗿]",
        r"\b[A-Z]{4,}\b",
    ):
        assert re.search(pattern, text), pattern


def test_openings_are_not_repeated(rows):
    openings = Counter(" ".join(row["text"].split()[:3]).casefold() for row in rows)
    assert max(openings.values()) == 1


def test_no_handles_no_links_no_markup(rows):
    assert not [row["text"] for row in rows if re.search(r"@|https?:|www\.|[<>{}\[\]|]", row["text"])]


def test_no_public_figure_is_named(rows):
    people = [*names.load("public-figures").table["name"], *names.load("demo").table["name"]]
    surnames = {name.split()[-1] for name in people}
    words = {word for row in rows for word in re.findall(r"[\w'-]+", row["text"])}
    assert not words & surnames


def test_sidecar_states_the_terms():
    sidecar = json.loads((ASSETS / "corpora" / "sample.json").read_text(encoding="utf-8"))
    assert sidecar["licence"] == "CC0-1.0" and sidecar["title"] and sidecar["description"]
