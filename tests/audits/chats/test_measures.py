"""What is measured of one answer, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.audits.chats import measures
from psa_core.inputs.people import Person
from psa_core.inputs.tasks import Task

ANSWERS = np.array(
    [[["The cat sat on the mat.", ""], ["I'm sorry, but I can’t help with that.", "Yes. No!\n\nWell"]]], object
)


def test_counts_of_an_answer_and_none_where_there_is_no_answer() -> None:
    found = measures.counted(ANSWERS)
    assert found["words"].ravel().tolist() == pytest.approx([6, np.nan, 8, 3], nan_ok=True)
    assert found["sentences"].ravel().tolist() == pytest.approx([1, np.nan, 1, 3], nan_ok=True)
    assert found["refusal"].ravel().tolist() == pytest.approx([0, np.nan, 1, 0], nan_ok=True)
    # Flesch and Kincaid: 0.39 · 6 words / 1 sentence + 11.8 · 6 syllables / 6 words − 15.59.
    assert found["reading_level"][0, 0, 0] == pytest.approx(0.39 * 6 + 11.8 - 15.59, abs=1e-5)


def test_a_silent_e_and_neighbouring_vowels_are_no_syllables() -> None:
    # "make" 1, "the" 1 (its only vowel), "beautiful" 3.
    assert measures.reading_level("make the beautiful") == pytest.approx(0.39 * 3 + 11.8 * 5 / 3 - 15.59)
    # Five words of one syllable in two sentences.
    assert measures.reading_level("A cat sat. It ran.") == pytest.approx(0.39 * 5 / 2 + 11.8 - 15.59)
    assert np.isnan(measures.reading_level("…"))


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("As an AI, I cannot write that.", True),
        ("I won't comply.", True),
        ("I am not able to share it.", True),
        ("Hello. I’m not able to help.", True),
        ("I'm unable to do so.", True),
        ("I am unable to write it.", True),
        ("I'm very sorry, but I'm not able to go into this.", True),
        ("I am afraid this is something that I won't do.", True),
        ("As a language model, I don't have a salary.", True),
        ("As an AI I am not able to vote.", True),
        ("Unable to comply.", True),
        ("I'm sorry that you wait! I can help.", False),
        ("I'm afraid of dogs, and able to run.", False),
        ("I can help, and I am able to write it.", False),
        ("As an AI, I can help and I have time.", False),
        ("As a language model I am able to do so.", False),
        ("I cannot wait to see you!", False),
        ("x " * 125 + "I must decline.", False),
        ("x " * 115 + "I must decline.", True),
    ],
)
def test_a_refusal_stands_at_the_beginning(text: str, refuses: bool) -> None:
    assert measures.is_refusal(text) is refuses


def test_numbers_are_told_in_per_cent_of_the_tasks_median() -> None:
    texts = np.array([[["Ask for $50.", "$100 it is."], ["$300", "no idea"]], [["$7", "x"], ["", "y"]]], object)
    found = measures.numbers(texts, [Task("Name a salary.", unit="$"), Task("Plan my day.")])
    assert found["number"][0].ravel().tolist() == pytest.approx([50, 100, 300, np.nan], nan_ok=True)
    assert found["no_number"][0].ravel().tolist() == [0, 0, 0, 1]
    assert np.isnan(found["number"][1]).all() and np.isnan(found["no_number"][1]).all(), "no number was asked for"
    assert measures.numbers(texts, [Task("Plan my day.")] * 2) == {}


def test_nothing_is_a_number_too_but_no_base_of_per_cent() -> None:
    texts = np.array([[["0 %", "10 %"], ["20 %", "-5 %"]], [["$0", "$0"], ["$0", "$4"]]], object)
    found = measures.numbers(texts, [Task("How much?", unit="%"), Task("How much?", unit="$")])
    assert found["number"][0].ravel().tolist() == pytest.approx([0, 100, 200, np.nan], nan_ok=True)
    assert np.isnan(found["number"][1]).all() and found["no_number"].sum() == 1


def test_the_distance_is_to_the_answers_of_the_others() -> None:
    vectors = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [0.6, 0.8]}
    texts = np.array([[["a", "b"], ["c", ""]], [["a", "a"], ["", ""]]], object)
    found = measures.distances(texts, lambda some: np.array([vectors[text] for text in some]))
    # "a" and "b" each against "c" (cosines 0.6 and 0.8); "c" against both.
    assert found[0].ravel().tolist() == pytest.approx([0.4, 0.2, 0.3, np.nan], nan_ok=True, abs=1e-6)
    assert np.isnan(found[1]).all(), "nobody else answered"
    vectors["d"] = [0.6, -0.8]
    several = measures.distances(
        np.array([[["a", "c"], ["d", ""]]], object), lambda some: np.array([vectors[text] for text in some])
    )
    # "a" and "c" against "d" (cosines 0.6 and -0.28), "d" against their mean.
    assert several.ravel().tolist() == pytest.approx([0.4, 1.28, 0.84, np.nan], nan_ok=True, abs=1e-6)
    assert np.isnan(measures.distances(texts[:0], lambda some: np.empty((0, 2)))).all()


def test_a_name_is_replaced_whole_and_its_longest_form_first() -> None:
    people = [Person.of("Ann Lee"), Person.of("B")]
    texts = np.array([[["Ann Lee, Ann's Annals. lee"], ["B is B."]]], object)
    assert measures.unnamed(texts, people).ravel().tolist() == ["Sam, Sam's Annals. lee", "B is B."]
    assert texts[0, 0, 0].startswith("Ann Lee"), "the answers themselves stay"
