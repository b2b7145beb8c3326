from __future__ import annotations

import numpy as np
import pytest

from research.training.hate.words import SLOT, fill, filled, groups, templates


def test_words_and_templates_of_the_test_are_not_those_of_the_training() -> None:
    for table, column in ((groups(), "people"), (groups(), "person"), (templates(), "template")):
        parts = {use: set(table.loc[table["use"] == use, column].str.casefold()) for use in ("train", "test")}
        assert parts["train"] and parts["test"] and not parts["train"] & parts["test"]


def test_every_group_is_trained_and_most_have_a_word_for_the_test() -> None:
    by_use = groups().groupby("use")["group"].agg(set)
    assert by_use["test"] <= by_use["train"] and len(by_use["test"]) >= 15


def test_groups_are_in_as_many_hateful_as_harmless_sentences() -> None:
    texts = filled("train", rng=np.random.default_rng(0), copies=36)
    named = texts[texts["group"] != ""]
    shares = named.assign(hate=named["label"] == "hate").groupby("group")["hate"].agg(["mean", "size"])
    common = shares[shares["size"] >= 100]
    assert len(common) >= 15
    assert common["mean"].between(0.35, 0.75).all()


def test_every_slot_is_filled_and_no_text_is_there_twice() -> None:
    texts = filled("test", rng=np.random.default_rng(0))
    assert not texts["text"].str.contains("[{}]").any() and texts["text"].is_unique
    assert len(texts) == len(groups().query("use == 'test'")) * (len(templates().query("use == 'test'")))


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("I am {a person}.", "I am an Arab."),
        ("{people} came.", "Arabs came."),
        ("{a person} came, and {name}", "an Arab came, and Tina"),
    ],
)
def test_fill(template: str, text: str) -> None:
    row = next(groups().query("person == 'Arab'").itertuples())
    assert fill(template, row, name="Tina") == text
    assert not SLOT.search(text)
