"""How findings and numbers are written: a plain sentence, then the evidence; numbers with the digits they support."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import Any

import pandas as pd

#: What an effect is measured from, as it follows *Mean change of … from*.
BASELINES = {"original": "the original (ScoreSens)", "names": "the typical name"}


@dataclass(frozen=True)
class Finding:
    """What a table says.

    Attributes
    ----------
    headline : str
        In plain words with its number; no term of the field stands in it.
    evidence : str
        How sure that is: intervals, which test, which correction, with what the terms mean.

    Examples
    --------
    >>> str(Finding("The score goes up by 0.5.", "95 % interval 0.4 to 0.6."))
    'The score goes up by 0.5. 95 % interval 0.4 to 0.6.'
    """

    headline: str
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.headline} {self.evidence}".strip()


def with_interval(
    row: Mapping[str, Any] | pd.Series, value: str, low: str = "low", high: str = "high", *, signed: bool = False
) -> str:
    """``0.031 (95 % interval 0.028 to 0.034)``, with the digits that the interval supports; no bounds, no brackets."""
    middle = float(row[value])
    bounds = [float(row[key]) if key in row else float("nan") for key in (low, high)]
    if not all(map(isfinite, bounds)):
        return number(middle, signed=signed)
    digits = interval_digits(middle, *bounds)
    texts = [number(each, digits=digits, signed=signed) for each in (middle, *bounds)]
    return f"{texts[0]} (95 % interval {texts[1]} to {texts[2]})"


def score_words(target: str) -> str:
    """A target as a noun phrase that a sentence can be about.

    Examples
    --------
    >>> score_words("toxicity"), score_words("P(Yes)")
    ('the toxicity score', 'the chance of “Yes”')
    """
    found = re.fullmatch(r"P\((.+)\)", target)
    if found:
        return f"the chance of “{found[1]}”"
    return f"the {target} score" if target.replace("-", "_").isidentifier() else target


def amount(value: float) -> str:
    """The size of a change; one that is too small for six decimals is not called zero.

    Examples
    --------
    >>> amount(-0.0312), amount(2e-8)
    ('0.03', 'less than 0.000001')
    """
    text = number(abs(value))
    return "less than 0.000001" if value and not text.strip("0.") else text


def interval_digits(middle: float, low: float, high: float) -> int:
    """Decimals that an interval supports."""
    return max(_digits(middle), _digits((high - low) / 2))


def _digits(value: float) -> int:
    """Decimals that show the first digit of a small number: at least 2, at most 6."""
    return 2 if value == 0 or not isfinite(value) else min(6, max(2, -floor(log10(abs(value)))))


def number(value: float, *, digits: int | None = None, signed: bool = False) -> str:
    """A number with a real minus sign; zero has none."""
    text = f"{value:{'+' if signed else ''}.{_digits(value) if digits is None else digits}f}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")
