"""The type of a claim, and how numbers and targets are written in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import floor, isfinite, log10, nan
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import POINTS, ScoreCube, Target
from psa_core.plurals import counted, verb

#: What an effect is measured from, as it follows *Mean change of … from*.
BASELINES = {"original": "the original (ScoreSens)", "names": "the typical name"}
#: With fewer sentences, or families of sentences, nothing is claimed: on no page, in no report, of no running study.
MIN_SENTENCES = 12


@dataclass(frozen=True)
class Finding:
    """A claim about a result, with the numbers behind it.

    Attributes
    ----------
    headline : str
        In plain words with its number; no term of the field stands in it.
    evidence : str
        How sure that is: intervals, which test, which correction, with what the terms mean.
    kind, target : str
        What it is about: ``names``, ``groups``, …; the target's phrase.
    estimate, low, high, p_adjusted : float
        The number in the headline with its 95 % interval, as in the table; NaN where there is none.
    n, families : int
        Sentences that it rests on, and how many families they come in; 0 where it does not say or they do not.
    is_significant : bool
        Whether it says that something differs: exactly where the table marks a row. A count is no such claim.

    Examples
    --------
    >>> str(Finding("The score goes up by 0.5.", "95 % interval 0.4 to 0.6."))
    'The score goes up by 0.5. 95 % interval 0.4 to 0.6.'
    """

    headline: str
    evidence: str = ""
    kind: str = ""
    target: str = ""
    estimate: float = nan
    low: float = nan
    high: float = nan
    p_adjusted: float = nan
    n: int = 0
    families: int = 0
    is_significant: bool = False

    def __str__(self) -> str:
        return f"{self.headline} {self.evidence}".strip()


def too_few(sentences: int, families: int | None = None) -> str:
    """The sentence shown on all pages and in reports if a study is too small for claims; else empty.

    Examples
    --------
    >>> too_few(8)
    '8 sentences are too few to say anything. Results come from 12 on.'
    """
    if families is not None and families < MIN_SENTENCES <= sentences:
        start = f"{counted(sentences, 'sentence')} in {counted(families, 'family')} are too few to say anything"
        return f"{start}. Results come from {MIN_SENTENCES} families on."
    if sentences >= MIN_SENTENCES:
        return ""
    few = f"{counted(sentences, 'sentence')} {verb(sentences, 'are', 'is')} too few to say anything"
    return f"{few}. Results come from {MIN_SENTENCES} on."


def too_few_rows(table: pd.DataFrame) -> str:
    """`too_few` of a table whose rows all rest on the same sentences, ``n``, and ``families``; else empty."""
    if "n" not in table:
        return ""
    return too_few(int(table["n"].iloc[0]), int(table["families"].iloc[0]) if "families" in table else None)


def too_few_in(cube: ScoreCube) -> str:
    """`too_few` of a study: of its families where it has some, as its findings are."""
    return too_few(len(cube.sentences), cube.families.count if cube.families.any else None)


@dataclass(frozen=True)
class Words:
    """The wording for a target: a noun phrase, and the unit of its changes and levels."""

    phrase: str
    unit: str = ""

    @classmethod
    def of(cls, target: str | Target, table: pd.DataFrame | None = None) -> Words:
        """The phrase given by the model or a reader (in the target, or the table's ``attrs``), else one by rule.

        Examples
        --------
        >>> Words.of("toxicity").phrase, Words.of("P(Yes)").phrase
        ('the toxicity score', 'the chance of “Yes”')
        """
        given = {} if table is None else table.attrs
        if isinstance(target, Target):
            given = {"phrase": target.phrase, "unit": "points" if target.is_in_points else target.unit}
            target = target.name
        chance = re.fullmatch(r"P\((.+)\)", target)
        phrase = str(given.get("phrase") or "")
        if not phrase and chance:
            phrase = f"chance of “{chance[1]}”"
        if phrase:
            phrase = f"the {phrase.removeprefix('the ')}"
        elif target.replace("-", "_").isidentifier():
            phrase = f"the {target if target.endswith('score') else f'{target} score'}"
        return cls(phrase or target, str(given.get("unit") or ("points" if chance else "")))

    @property
    def brief(self) -> str:
        """The phrase without its article and the question it ends with, where room is short.

        Examples
        --------
        >>> Words.of(Target("loan", phrase="chance of a “Yes” to “Would you grant it?”")).brief
        'chance of a “Yes”'
        """
        return self.phrase.partition(" to “")[0].removeprefix("the ")

    @property
    def scale(self) -> int:
        """See `Target.scale`."""
        return POINTS if self.unit == "points" else 1

    def size(self, value: float) -> str:
        """The size of a change: ``0.09``, or ``9 points``; a tiny change is not shown as zero."""
        if self.unit == "points":
            text = self.change(abs(value)).removeprefix("+")
            return text if text.strip("0. points") or not value else "under 0.0001 points"
        text = number(abs(value))
        return "less than 0.000001" if value and not text.strip("0.") else text

    def change(self, value: float, *, digits: int | None = None, signed: bool = True) -> str:
        """A change with its sign, and so many decimals on the scale of the score: ``+0.09``, ``−9 points``."""
        digits = digits_of(value) if digits is None else digits
        if self.unit != "points":
            return number(value, digits=digits, signed=signed)
        text = number(POINTS * value, digits=max(0, digits - 2), signed=signed)
        return f"{text} point{'' if text.strip('+−') == '1' else 's'}"

    def exact(self, change: float) -> str:
        """The size of a change as somebody chose it: ``0.02``, ``2 points``."""
        text = level(self.scale * change)
        return f"{text} point{'' if text == '1' else 's'}" if self.unit == "points" else text

    def at(self, threshold: float) -> str:
        """A threshold as it was chosen: ``0.5``, ``50 %``."""
        return level(self.scale * threshold) + " %" * (self.unit == "points")

    def levels(self, before: float, change: float) -> tuple[str, str]:
        """A score before and after a change, with the digits of the change: ``31 %``, ``40 %``.

        One digit more where the two would else look further apart, or nearer, than the change is.
        """
        digits = digits_of(change)
        shown = digits - 2 if self.unit == "points" else digits
        first, second, between = (round(self.scale * value, shown) for value in (before, before + change, change))
        digits += abs(second - first - between) > 0.5 * 10**-shown
        return self.level(before, digits), self.level(before + change, digits)

    def level(self, score: float, digits: int) -> str:
        """A score with so many decimals, two fewer where it is in points: ``0.31``, ``31 %``."""
        if self.unit == "points":
            return number(POINTS * score, digits=max(0, digits - 2)) + " %"
        return number(score, digits=digits)


def with_interval(
    row: Mapping[str, Any] | pd.Series,
    value: str,
    low: str = "low",
    high: str = "high",
    *,
    signed: bool = False,
    words: Words | None = None,
) -> str:
    """``0.031 (95 % interval 0.028 to 0.034)``, with the digits that the interval supports; no bounds, no brackets.

    With the `words` of a target it is a change of its score, in its unit: ``3.1 points (95 % interval 2.8 to 3.4)``.
    """
    words = words or Words("")
    middle = float(row[value])
    bounds = [float(row[key]) if key in row else nan for key in (low, high)]
    if not all(map(isfinite, bounds)):
        return words.change(middle, signed=signed)
    digits = interval_digits(middle, *bounds)
    first, *ends = (words.change(each, digits=digits, signed=signed) for each in (middle, *bounds))
    return f"{first} (95 % interval {' to '.join(map(bare, ends))})"


def bare(change: str) -> str:
    """A change without its unit, where that has just been said."""
    return change.partition(" ")[0]


def interval_digits(middle: float, low: float, high: float) -> int:
    """Decimals that an interval supports."""
    return max(digits_of(middle), digits_of((high - low) / 2))


def number(value: float, *, digits: int | None = None, signed: bool = False) -> str:
    """A number with a real minus sign; zero has none."""
    text = f"{value:{'+' if signed else ''}.{digits_of(value) if digits is None else digits}f}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")


def p_text(p_value: float) -> str:
    """A p-value in a table.

    Examples
    --------
    >>> p_text(0.0312), p_text(float("nan"))
    ('0.031', '–')
    """
    if np.isnan(p_value):
        return "–"
    return "<\u00a00.001" if p_value < 0.001 else f"{p_value:.3f}"


def percent(share: float) -> str:
    """A share in per cent with two digits; a tiny one is not shown as zero, nor an almost whole one as whole.

    Examples
    --------
    >>> percent(0.0034), percent(0.374), percent(1.0), percent(0.9996), percent(0.000001)
    ('0.34 %', '37 %', '100 %', 'over 99.9 %', 'under 0.01 %')
    """
    if 0 < share < 0.0001:
        return "under 0.01 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    digits = 1 if 0.99 < share < 1 else min(2, max(0, 1 - floor(log10(100 * share)))) if share else 0
    return f"{100 * share:.{digits}f} %"


def over(row: pd.Series) -> str:
    """The sentences behind a claim, and their number of families, if any."""
    sentences = counted(row["n"], "sentence")
    return f"{sentences} in {row['families']:,} families" if "families" in row else sentences


def about(kind: str, words: Words, row: pd.Series, value: str = "", low: str = "", high: str = "") -> dict[str, Any]:
    """The fields of a finding that come from its row: what it is about, and the columns that have its number."""
    columns = {"estimate": value, "low": low, "high": high, "p_adjusted": "p_adjusted"} if value else {}
    numbers = {field: float(row.get(column, nan)) for field, column in columns.items()}
    sizes = {field: int(row.get(field, 0)) for field in ("n", "families")}
    return {"kind": kind, "target": words.phrase, **sizes, **numbers}


def score_digits(scores: Iterable[float], threshold: float) -> int:
    """Decimals, 2 or more, with which each of the scores is still on its own side of the threshold.

    Examples
    --------
    >>> score_digits([0.6, 0.4], 0.5), score_digits([0.6, 0.4961], 0.5)
    (2, 3)
    """
    exact = np.array(list(scores), np.float64)
    sides = stats.labels_at(exact, threshold)
    return next((n for n in range(2, 8) if (stats.labels_at(exact.round(n), threshold) == sides).all()), 8)


def level(threshold: float) -> str:
    """A threshold as it was chosen, with a real minus sign: ``0.5``, ``−0.25``."""
    return f"{threshold:g}".replace("-", "−")


def speed(texts_per_second: float) -> str:
    """How fast texts are scored, also where one takes longer than a second.

    Examples
    --------
    >>> speed(1250.4), speed(0.8), speed(0.04)
    ('1,250 texts a second', '1 text a second', '1 text in 25 s')
    """
    if texts_per_second < 2 / 3:
        return f"1 text in {duration(1 / texts_per_second)}"
    return f"{counted(round(texts_per_second), 'text')} a second"


def duration(seconds: float) -> str:
    """A short, rounded duration.

    Examples
    --------
    >>> duration(3.2), duration(75), duration(4000)
    ('3 s', '1 min', '1.1 h')
    """
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    return f"{max(1, round(seconds / 60))} min" if seconds < 3570 else f"{seconds / 3600:.1f} h"


def digits_of(value: float) -> int:
    """Decimals that show the first digit of a small number: at least 2, at most 6."""
    is_shown = isfinite(value) and abs(value) >= 5e-7  # smaller ones are zero at six decimals
    # 0.41 − 0.40 is a little under 0.01, and needs no further decimal for it.
    return min(6, max(2, -floor(log10(abs(value)) + 1e-9))) if is_shown else 2
