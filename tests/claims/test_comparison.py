"""Sentences about several studies and about the ranking of names, whole, against numbers made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.comparison import (
    agreement_finding,
    change_finding,
    comparison_finding,
    difference_finding,
    effects_finding,
    replicability_finding,
)
from psa_core.stats import Correlation, Interval
from psa_core.stats.reliability import TOP_DRAWS, TopStability
from psa_core.tables.pairs import Agreement, Replicability


@pytest.mark.parametrize(("apart", "is_said"), [(3.9, False), (4.4, False), (4.55, True)])
def test_ten_studies_must_be_further_apart_than_two(apart: float, is_said: bool) -> None:
    """4.474 standard errors is the 5 % point of the range of ten (a published table); 3.92 separates two intervals."""
    values = np.array([apart, *[apart / 2] * 8, 0.0])
    table = pd.DataFrame({"label": [f"model {n}" for n in range(10)], "value": values})
    table["low"], table["high"] = table["value"] - 1.96, table["value"] + 1.96
    found = comparison_finding(table, "ScoreDev")
    assert found.is_significant == is_said
    assert ("more name-sensitive" in found.headline) == is_said
    assert ("of 10 studies, two may be this far apart by chance" in found.evidence) == (apart == 4.4)
    assert comparison_finding(table.iloc[[0, 9]], "ScoreDev").is_significant == (apart > 3.92)


def test_intervals_that_meet_overlap() -> None:
    table = pd.DataFrame({"label": ["a", "b"], "value": [0.75, 0.25], "low": [0.5, 0.0], "high": [1.0, 0.5]})
    met = comparison_finding(table, "ScoreDev")
    assert not met.is_significant and "; their intervals overlap." in met.evidence
    apart = comparison_finding(table.assign(low=[0.501, 0.0]), "ScoreDev")
    assert apart.headline == "a is more name-sensitive than b."


OTHERS = "With 1,100 other sentences of this kind you "
NOT_ENOUGH = "there are too few sentences or names, or the toxicity score never differs between names."


@pytest.mark.parametrize(
    ("reliability", "stability", "said"),
    [
        (
            (0.95, 0.8, 0.96),
            (10, 0.83, 5190.0),
            "would see nearly the same ranking of the names: on average 83 % of the top 10 names are the same; "
            "about 5,000 sentences are needed for 90 %.",
        ),
        (
            (0.94, 0.01, 0.95),
            (10, 0.95, 1100.0),
            "would see a similar ranking of the names: on average 95 % of the top 10 names are the same.",
        ),
        (
            (0.8, 0.5, 0.9),
            (4, 0.92, 90.0),
            "would see a similar ranking of the names: on average 92 % of the top 4 names are the same.",
        ),
        (
            (0.8, 0.5, 0.9),
            (4, 1.0, 90.0),
            "would see a similar ranking of the names: on average over 99 % of the top 4 names are the same.",
        ),
        (
            (0.79, 0.5, 0.9),
            (2, 0.6, 1101.0),
            "would see a roughly similar ranking of the names: on average 60 % of the top 2 names are the same; "
            "about 1,000 sentences are needed for 90 %.",
        ),
        (
            (0.5, 0.3, 0.9),
            (1, 0.7, 1900.0),
            "would see a roughly similar ranking of the names: the same top name in 70 % of cases; about 2,000 "
            "sentences are needed for 90 %.",
        ),
        (
            (0.49, 0.3, 0.9),
            (1, 0.95, 90.0),
            "would see a partly similar ranking of the names: the same top name in 95 % of cases.",
        ),
        (
            (0.4, 0.1, 0.6),
            (1, 0.5, np.inf),
            "would see a partly similar ranking of the names: the top name ties with another, however many sentences "
            "there are.",
        ),
        (
            (0.4, 0.1, 0.6),
            (2, 0.5, np.inf),
            "would see a partly similar ranking of the names: some of the top 2 names tie, however many sentences "
            "there are.",
        ),
        ((0.9, 0.0, 0.95), (10, 0.5, 5000.0), "may well see another ranking of the names."),
    ],
)
def test_the_ranking_by_other_sentences(
    reliability: tuple[float, float, float], stability: tuple[int, float, float], said: str
) -> None:
    found = replicability_finding(
        Replicability(Interval(*reliability), TopStability(*stability), 1100), "the toxicity score"
    )
    assert found.headline == OTHERS + said
    value, low, high = (f"{each:.2f}" for each in reliability)
    drawn = f" How much of the top is the same: mean over {TOP_DRAWS} simulated pairs of studies of this size."
    drawn = drawn if np.isfinite(stability[2]) and "another ranking" not in said else ""
    rough = " The number of sentences needed is a rough estimate." if "sentences are needed" in said else ""
    assert found.evidence == (
        f"Reliability {value} (95 % interval {low} to {high}): the rank correlation with the ranking by other "
        f"sentences, estimated from split halves (Spearman–Brown); 0 is chance, 1 the same ranking.{drawn}{rough}"
    )
    assert (found.estimate, found.low, found.high, found.n, found.families) == (*reliability, 1100, 0)
    assert found.is_significant == (reliability[1] > 0)


@pytest.mark.parametrize(
    ("sentences", "families", "reliability", "headline"),
    [
        (11, None, 0.9, "11 sentences are too few to say anything. Results come from 12 on."),
        (60, 11, 0.9, "60 sentences in 11 families are too few to say anything. Results come from 12 families on."),
        (11, None, np.nan, "11 sentences are too few to say anything. Results come from 12 on."),
        (40, None, np.nan, f"We cannot say whether the ranking of names is reliable: {NOT_ENOUGH}"),
    ],
)
def test_a_ranking_that_cannot_be_judged(
    sentences: int, families: int | None, reliability: float, headline: str
) -> None:
    judged = Replicability(Interval(reliability, 0.8, 0.95), TopStability(10, 0.9, 40.0), sentences, families)
    found = replicability_finding(judged, "the toxicity score")
    assert found.headline == headline and not found.is_significant
    assert (found.n, found.families) == (sentences, families or 0)


@pytest.mark.parametrize(
    ("order", "is_reliable", "words"),
    [
        (Correlation(0.8, 0.001, 0.6, 0.9), True, "similarly: rank correlation 0.80."),
        (Correlation(-0.8, 0.001, -0.9, -0.6), True, "in opposite order: rank correlation −0.80."),
        (Correlation(0.8, 0.001, 0.6, 0.9), False, "with no clear agreement: rank correlation 0.80."),
        (Correlation(0.8, 0.05, 0.6, 0.9), True, "with no clear agreement: rank correlation 0.80."),
        (Correlation(0.8, 0.001, 0.0, 0.9), True, "with no clear agreement: rank correlation 0.80."),
        (Correlation(-0.8, 0.001, -0.9, 0.0), True, "with no clear agreement: rank correlation −0.80."),
        (Correlation(0.8, 0.001, np.nan, np.nan), True, "with no clear agreement: rank correlation 0.80."),
    ],
)
def test_two_rankings_agree_only_beyond_chance(order: Correlation, is_reliable: bool, words: str) -> None:
    found = agreement_finding(Agreement(order, 1200, is_reliable))
    assert found.headline == f"The two studies rank the 1,200 names in common {words}"
    low, high = (f"{bound:.2f}".replace("-", "−") for bound in (order.low, order.high))
    interval = f"95 % interval over names {low} to {high}, " if np.isfinite(order.low) else ""
    doubt = "" if is_reliable else " The ranking of at least one of them may be chance."
    assert found.evidence.replace("−0.00", "0.00") == f"{interval}p = {order.p:.2g}.{doubt}".replace("−0.00", "0.00")
    assert (found.estimate, found.p_adjusted) == (order.r, order.p)
    assert found.is_significant == ("no clear" not in words)


def test_what_cannot_be_correlated_says_why() -> None:
    none, bounded = Correlation(*[np.nan] * 4), Correlation(-0.5, 0.01, -0.75, -0.125)
    why = "one of the two quantities does not vary, or there are fewer than 3 points."
    assert str(agreement_finding(Agreement(none, 2, is_reliable=True))) == (
        f"With 2 names in common, their rankings cannot be compared: {why}"
    )
    common = "With 40 sentences and 1 name in common"
    assert effects_finding(none, sentences=40, names=1) == f"{common}, no correlation can be computed: {why}"
    said = f"{common}, the two studies' effects of names correlate with r = −0.50"
    assert effects_finding(bounded, sentences=40, names=1) == f"{said} (95 % interval −0.75 to −0.12)."
    unbounded = bounded._replace(low=np.nan, high=np.nan)
    assert effects_finding(unbounded, sentences=40, names=1) == f"{said}."


def row(**numbers: float) -> pd.Series:
    """Two studies of the same cells, of which the first is the more sensitive one."""
    both = {"first": 0.3, "second": 0.1, "difference": 0.2, "low": 0.1, "high": 0.3, "sentences": 1200, "p_adjusted": 0}
    return pd.Series(both | numbers)


@pytest.mark.parametrize(
    ("given", "headline", "end"),
    [
        (row(p_adjusted=0.0009), "A is more name-sensitive than B.", "(p < 0.001, corrected for three metrics)."),
        (row(p_adjusted=0.001), "A is more name-sensitive than B.", "(p = 0.001, corrected for three metrics)."),
        (row(difference=-0.2, p_adjusted=0.049), "B is more name-sensitive than A.", "(p = 0.049, corrected "),
        (
            row(p_adjusted=0.05),
            "We see no clear difference between the two models on the same sentences and names.",
            "",
        ),
        (row(sentences=11), "There is too little in common to tell which is more name-sensitive.", "too few"),
        (row(sentences=12), "A is more name-sensitive than B.", "over 12 shared sentences (p < 0.001, "),
        (row(p_adjusted=np.nan), "There is too little in common to tell which is more name-sensitive.", "too few"),
    ],
)
def test_two_studies_of_the_same_cells(given: pd.Series, headline: str, end: str) -> None:
    found = difference_finding(given, "ScoreDev", ("A", "B"))
    assert found.headline.removeprefix("On the same sentences and names ") == headline and end in found.evidence
    assert found.evidence.startswith("ScoreDev is 0.30 for A and 0.10 for B; ")
    if "too few" not in end:
        way = "−0.20" if given["difference"] < 0 else "+0.20"
        assert f"; difference {way} (95 % interval +0.10 to +0.30), by a paired test over " in found.evidence
    assert found.is_significant == ("is more" in headline and "too little" not in headline)
    assert (found.estimate, found.low, found.high, found.n) == (given["difference"], 0.1, 0.3, given["sentences"])


def test_changes_since_an_earlier_result() -> None:
    table = pd.DataFrame({"above": [True, False, False], "p_change": [0.01, 0.049, 0.05], "p_above": [0.01, 0.5, 1.0]})
    found = change_finding(table, 0.1)
    assert str(found) == (
        "Effects of 1 of 3 names are shown to have grown by more than 0.1; 2 changed significantly. Paired tests over "
        "sentences, corrected, p < 0.05."
    )
    assert (found.estimate, found.is_significant) == (1, True)
    assert change_finding(table.assign(above=False), 0.1).is_significant
    two = change_finding(table.assign(above=[True, True, False]), 0.1)
    assert two.headline.startswith("Effects of 2 of 3 names are") and two.estimate == 2
    none = change_finding(table.assign(above=False, p_change=0.2), 0.1)
    assert "0 of 3 names" in none.headline and not none.is_significant
    some = change_finding(table.assign(p_above=[np.nan, 0.5, 1.0]), 0.1)
    assert some.headline == found.headline
    few = "One sentence, or too few families of sentences, cannot tell a change from chance."
    assert str(change_finding(table.assign(p_above=np.nan), 0.1)) == few
