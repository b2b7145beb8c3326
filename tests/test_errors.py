"""Errors say four things, also after a trip to another process."""

from __future__ import annotations

import pickle

import pytest

from psa_core.errors import Cancelled, ModelError, OptionError, PsaError, near


def test_the_message_names_field_got_expected_and_fix():
    error = ModelError("model", got="'vaderr'", expected="one of vader", fix="Choose one.")
    assert str(error) == "model: got 'vaderr', expected one of vader. Choose one."
    assert str(PsaError("seed", got="-1", expected="0 or more")) == "seed: got -1, expected 0 or more."


@pytest.mark.parametrize("error", [ModelError("model", got="a", expected="b", fix="c"), Cancelled()])
def test_errors_can_be_sent_to_another_process(error):
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert (arrived.field, arrived.got, arrived.expected, arrived.fix) == (
        error.field,
        error.got,
        error.expected,
        error.fix,
    )


def test_an_option_is_a_parameter_in_python_and_words_on_a_page() -> None:
    error = OptionError("--max-words", got="0", expected="at least 1")
    assert str(error) == "max_words: got 0, expected at least 1."
    assert error.with_option == "--max-words: got 0, expected at least 1."
    assert error.full_message == "Max words: 0. Needed: at least 1."
    arrived = pickle.loads(pickle.dumps(error))
    assert (str(arrived), arrived.with_option) == (str(error), error.with_option)
    assert PsaError("text_column", got="x", expected="y").with_option == "text_column: got x, expected y."


@pytest.mark.parametrize(
    ("got", "known", "said"),
    [
        ("orgin", ["origin", "length"], "Did you mean 'origin'?"),
        ("offensiv", ["offensive"], "Did you mean 'offensive'?"),
        ("colour", ["origin", "length"], ""),
        ("", ["origin"], ""),
        ("x", [], ""),
    ],
)
def test_a_misspelled_word_is_told_apart_from_an_unknown_one(got: str, known: list[str], said: str) -> None:
    assert near(got, known) == said
