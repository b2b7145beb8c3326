"""Values of the wrong kind are told in the caller's words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from psa_core.errors import CorpusError, OptionError
from psa_core.inputs.checks import as_text, as_texts, whole_number, yes_or_no


def test_what_is_right_passes_as_plain_python() -> None:
    assert type(whole_number("seed", np.int64(3))) is int
    assert as_text("sentences", Path("a.csv")) == "a.csv"
    assert yes_or_no("balance", True) is True
    assert as_texts(text for text in ("a", "ä😀")) == ["a", "ä😀"]


@pytest.mark.parametrize("value", ["3", 2.0, None, True, float("nan"), [3]])
def test_what_is_no_whole_number_is_told(value: object) -> None:
    with pytest.raises(OptionError, match=r"^seed: got .*expected a whole number"):
        whole_number("seed", value)


@pytest.mark.parametrize("value", [3, None, ["a"], b"a"])
def test_what_is_no_string_is_told(value: object) -> None:
    with pytest.raises(OptionError, match=r"^names: got .*expected a string"):
        as_text("names", value)


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_what_is_neither_yes_nor_no_is_told(value: object) -> None:
    with pytest.raises(OptionError, match=r"^balance: got .*expected True or False"):
        yes_or_no("balance", value)


def test_half_a_character_is_told_with_its_place_and_can_be_printed() -> None:
    with pytest.raises(CorpusError, match=r"half a character .* in text 2, 'so \\ud800'") as told:
        as_texts(["ok", "so \ud800"])
    str(told.value).encode()
