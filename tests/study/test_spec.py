"""The defaults of a study, and the ends of its numbers."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from psa_core import options
from psa_core.errors import OptionError
from psa_core.study import StudySpec
from psa_core.study.selection import SelectionOptions

GIVEN = {"sentences": "sample", "names": "demo", "model": "vader"}


def test_where_nobody_says_the_choices_are_those_of_the_paper_and_the_rest_is_off() -> None:
    assert asdict(StudySpec(**GIVEN)) == {
        **GIVEN,
        **dict.fromkeys(("anchors", "evidence", "groups", "reference", "conditions", "select"), ""),
        **dict.fromkeys(("text_column", "name_column", "families", "max_words", "balance")),
        "sample": 1000,
        "seed": 0,
        "mentions": "first",
        "switched": (),
        "subjects": (),
        "controls": 0,
    }
    assert SelectionOptions().balance is False  # as balanced as the sentences are
    assert StudySpec(**GIVEN).selection == SelectionOptions(balance=None)
    assert options.fields_of(SelectionOptions)["balance"].page_default is True


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [("max_words", 1, None), ("sample", 1, None), ("seed", 0, None), ("controls", 0, 100)],
)
def test_a_number_may_be_as_small_and_as_large_as_is_said(field: str, low: int, high: int | None) -> None:
    for value in (low, high or 10**9):
        assert getattr(StudySpec(**GIVEN, **{field: value}), field) == value
    for value in (low - 1, *([high + 1] if high else [])):
        with pytest.raises(OptionError, match=f"{value}"):
            StudySpec(**GIVEN, **{field: value})


def test_two_sentences_can_be_balanced_and_one_cannot() -> None:
    assert SelectionOptions(sample=2, balance=True).sample == 2
    with pytest.raises(OptionError, match="two sentences or more"):
        SelectionOptions(sample=1, balance=True)


def test_a_manifest_of_an_older_version_keeps_its_switched_words() -> None:
    assert StudySpec.from_mapping({**GIVEN, "exclude": [["a", 3]]}).switched == (("a", 3),)
