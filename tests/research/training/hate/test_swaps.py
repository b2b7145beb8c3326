from __future__ import annotations

import numpy as np
import pandas as pd

from research.training.hate.swaps import groups_for_people, named, slurs_for_insults, words_of
from research.training.hate.words import groups, slurs


def test_named() -> None:
    texts = pd.Series(["Muslims came", "a MUSLIM came", "we went to Manchester", "the woman", "mended"])
    assert named(texts).tolist() == [True, True, False, True, False]


def test_a_group_stands_where_people_did_and_nothing_else_changes() -> None:
    texts = pd.Series(["I met people and people there", "this guy sings", "An man? A person!"])
    first, second, third = groups_for_people(texts, np.random.default_rng(0))
    words = groups().query("use == 'train'")
    assert first.startswith("I met ") and first.endswith(" and people there")
    assert first[6 : -len(" and people there")] in set(words["people"])
    assert second.removeprefix("this ").removesuffix(" sings") in set(words["person"])
    assert third.endswith("? A person!")


def test_an_insult_for_a_group_stands_where_another_did() -> None:
    texts = pd.Series(["you are an idiot, he said", "what morons", "Loser!"])
    one, two, three = slurs_for_insults(texts, np.random.default_rng(1))
    assert one.removesuffix(", he said").split(" ", 3)[3] in set(slurs()["person"])
    assert two.removeprefix("what ") in set(slurs()["people"])
    assert three.removesuffix("!") in set(slurs()["person"])


def test_words_of_one_group() -> None:
    assert words_of("women").search("the Ladies") and not words_of("women").search("the men")
