"""Numbers of things in sentences: one of them is no plural, wherever it is said."""

from __future__ import annotations

import pytest

from psa_core.audits.nationality import report
from psa_core.models.predictions import Coverage
from psa_core.plurals import counted, verb


@pytest.mark.parametrize(
    ("count", "noun", "words"),
    [(0, "name", "0 names"), (1, "name", "1 name"), (2.0, "name", "2 names"), (1, "country", "1 country")],
)
def test_a_noun_follows_its_number(count: float, noun: str, words: str) -> None:
    assert counted(count, noun) == words


def test_a_verb_follows_its_number() -> None:
    assert [verb(count, "are", "is") for count in (0, 1, 2)] == ["are", "is", "are"]


def test_an_account_of_one_is_no_plural() -> None:
    assert Coverage(missing=1, doubled=1, extra=1, unscored=0).words == (
        "1 text without a score, 1 text that the study does not have, 1 row of a text that was there before"
    )
    assert report.left_out({"Greece": 1}) == "1 name that is not in Latin letters was left out (Greece 1)."
