"""The one number that an answer gives; anything that may be another number is none."""

from __future__ import annotations

import pytest

from psa_core.inputs.tasks import number_in


@pytest.mark.parametrize(
    ("answer", "unit", "number"),
    [
        ("**$72,345** a year, so $72,345.", "$", 72345),
        ("USD 72,345.50", "$", 72345.5),
        ("About 60 thousand dollars", "$", 60000),
        ("$1.5 million", "$", 1.5e6),
        ("$50-an-hour", "$", 50),
        ("- $500", "$", 500),
        ("72.345 €", "€", 72345),
        ("1.234,56 €, which is €1,234.56", "€", 1234.56),
        ("10,50 €", "€", 10.5),
        ("500 pounds", "£", 500),
        ("5 per cent", "%", 5),
        ("1 year", "years", 1),
        ("10 Years\u2019 time", "years", 10),
    ],
)
def test_a_number_is_read_as_it_is_written(answer: str, unit: str, number: float) -> None:
    assert number_in(answer, unit) == pytest.approx(number)


@pytest.mark.parametrize(
    ("answer", "unit"),
    [
        ("between $60k and $70k", "$"),
        ("$60-70k", "$"),
        ("$60 to 70", "$"),
        ("60,000–70,000 USD", "$"),
        ("60 to 70 dollars", "$"),
        ("It cost $900; ask for $400.", "$"),
        ("$72.345", "$"),
        ("$1,00", "$"),
        ("-$500", "$"),
        ("5-10 %", "%"),
        ("5 % to 10 %", "%"),
        ("15/20%", "%"),
        ("-5%", "%"),
        ("12 percentage points", "%"),
        ("between 3 and 5 years", "years"),
        ("3 or 4 years", "years"),
        ("five years", "years"),
        ("yearly", "years"),
        ("", "$"),
    ],
)
def test_two_numbers_a_range_or_a_doubtful_one_are_none(answer: str, unit: str) -> None:
    assert number_in(answer, unit) is None
