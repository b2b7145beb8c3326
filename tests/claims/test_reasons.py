"""Each sentence about reasons, whole, against a table made by hand: who, which way, how much, of how many."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.claims.reasons import (
    because_finding,
    cluster_finding,
    one_finding,
    part_finding,
    unexplained_finding,
    where_finding,
    why_finding,
)
from psa_core.tables.factors import FactorAnalysis
from psa_core.tables.matrix import Matrix
from psa_core.tables.parts import FIRST, REST, WHOLE


def analysis(shares: list[float], marked: list[bool], p_adjusted: list[float] | None = None) -> FactorAnalysis:
    factors = pd.DataFrame({"factor": ["length", "career", "word"], "share": shares, "is_significant": marked})
    p_values = p_adjusted or [1.0]
    names = pd.DataFrame({"name": [chr(97 + n) for n in range(len(p_values))], "p_adjusted": p_values})
    return FactorAnalysis(pd.DataFrame(), factors, names, 0.62, 0.6, 1200)


def test_the_factors_that_are_marked_are_named_in_their_order_with_their_shares() -> None:
    some = "These factors explain 62 % of the variance between 1,200 names in the toxicity score, most of it "
    for marked, named in (
        ([True, True, True], "length: 40 % (then career 20 %, word 2 %). Correlation is not causation."),
        ([False, True, True], "career: 20 % (then word 2 %). Correlation is not causation."),
        ([False, True, False], "career: 20 %. Correlation is not causation."),
    ):
        assert why_finding(analysis([0.4, 0.2, 0.02], marked), "toxicity") == some + named
    assert why_finding(analysis([0.4, 0.2, 0.02], [False] * 3), "toxicity") == (
        "We found no factor that explains how 1,200 names differ in the toxicity score."
    )


@pytest.mark.parametrize(
    ("p_adjusted", "said"),
    [
        ([0.05, 1.0], "No name differs significantly from the prediction."),
        ([0.05, 0.049], "b stands out even after these factors."),
        ([0.01] * 5, "a, b, c, d, e stand out even after these factors."),
        ([0.01] * 7, "a, b, c, d, e and 2 more stand out even after these factors."),
    ],
)
def test_names_beyond_the_prediction(p_adjusted: list[float], said: str) -> None:
    assert unexplained_finding(analysis([0.4, 0.2, 0.02], [True] * 3, p_adjusted)) == said


def parts(first: np.ndarray, rest: np.ndarray) -> pd.DataFrame:
    names = [f"A{n} B{n}" for n in range(len(first))]
    words = {FIRST: [name[:2] for name in names], REST: [name[3:] for name in names]}
    return pd.DataFrame({"name": names} | words | {"whole": first + rest, "first_alone": first, "rest_alone": rest})


def test_the_part_that_explains_most_and_the_name_with_the_largest_effect() -> None:
    small, large = np.array([1, -1, 1, -1, 0, 0, 0, -0.5]) / 100, np.array([1, 2, -3, -9, 1, 2, 3, 4]) / 10
    furthest = "A3 B3 moves the toxicity score by −0.910, A3 alone by {}, B3 alone by {}."
    for first, rest, part in ((small, large, "the rest of the name alone"), (large, small, "the first part alone")):
        said = part_finding(parts(first, rest), "toxicity", sentences=4)
        end = furthest.format(*("−0.010", "−0.900") if rest is large else ("−0.900", "−0.010"))
        assert said == (
            "In 4 sampled sentences, 100 % of the differences between 8 names in the toxicity score are explained by "
            f"{part}; {end}"
        )
    mixed = part_finding(parts(np.arange(8) % 2 / 10, np.arange(8) // 4 / 20), "toxicity", sentences=4)
    # Both are independent: the first part has (1/10)² of the variance (1/10)² + (1/20)².
    assert ", 80 % of the differences between 8 names in the toxicity score are explained by the first part" in mixed
    together = parts(small, small).assign(whole=large)
    assert "are explained by neither part alone; A3 B3 moves" in part_finding(together, "toxicity", sentences=1)
    few = part_finding(parts(large, small).head(4), "toxicity", sentences=1)
    assert (
        few
        == "In 1 sampled sentence, A3 B3 moves the toxicity score by −0.910, A3 alone by −0.900, B3 alone by −0.010."
    )


def because(*effects: float, spread: float = 0.01, p_adjusted: tuple[float, ...] = (0.001,) * 3) -> pd.DataFrame:
    low, high = ([effect + side * spread for effect in effects] for side in (-1, 1))
    words = {"variant": [WHOLE, FIRST, REST], "text": ["Dick Cheney", "Dick", "Cheney"], "effect": effects}
    return pd.DataFrame(words | {"low": low, "high": high, "p_adjusted": p_adjusted, "n": 20})


NOT_SHOWN = "No single word of Dick Cheney is shown to move the toxicity score the same way."


@pytest.mark.parametrize(
    ("table", "headline"),
    [
        (because(0.6, 0.63, 0.03), "Because of the word Dick: alone +0.63, Cheney +0.03 (Dick Cheney)."),
        (because(-0.6, 0.03, -0.63), "Because of the word Cheney: alone −0.63, Dick +0.03 (Dick Cheney)."),
        (
            because(0.6, 0.4, 0.39),
            "Dick alone moves the toxicity score by +0.40, Cheney alone by +0.39: no single word explains Dick Cheney.",
        ),
        # Which is clearly weaker is judged by the ends of both intervals that lie nearest to each other.
        (because(0.5, 0.25, 0.125, spread=0.06), "Because of the word Dick: alone +0.25, Cheney +0.12 (Dick Cheney)."),
        (because(0.5, 0.25, -0.125, spread=0.06), "Because of the word Dick: alone +0.25, Cheney −0.12 (Dick Cheney)."),
        (
            because(0.5, 0.25, 0.125, spread=0.0625),
            "Dick alone moves the toxicity score by +0.25, Cheney alone by +0.12: no single word explains Dick Cheney.",
        ),
        (
            because(-0.5, -0.125, -0.25, spread=0.0625),
            "Cheney alone moves the toxicity score by −0.25, Dick alone by −0.12: no single word explains Dick Cheney.",
        ),
        (because(0.6, -0.63, 0.03), NOT_SHOWN),
        (because(0.6, 0.63, 0.03, p_adjusted=(0.05, 0.001, 0.9)), NOT_SHOWN),
        (because(0.6, 0.63, 0.03, p_adjusted=(0.001, 0.05, 0.001)), NOT_SHOWN),
    ],
)
def test_one_word_is_the_reason_only_where_the_other_is_clearly_weaker(table: pd.DataFrame, headline: str) -> None:
    assert because_finding(table, "toxicity").headline == headline


def test_a_reason_has_the_effects_of_all_three_with_their_intervals() -> None:
    assert because_finding(because(0.6, 0.63, -0.03), "toxicity").evidence == (
        "Effects against a typical name in the same 20 sampled sentences, each part alone in the name's place: Dick "
        "Cheney +0.60 (95 % interval +0.59 to +0.61); Dick +0.63 (95 % interval +0.62 to +0.64); Cheney −0.03 (95 % "
        "interval −0.04 to −0.02). Intervals and tests hold for the three together."
    )


def test_the_parts_of_one_name_in_one_sentence() -> None:
    rows = [(WHOLE, "Dick Stone", 0.5), (FIRST, "Dick", 0.625), (REST, "Stone", -0.25)]
    table = pd.DataFrame(rows, columns=["variant", "text", "change"])
    assert one_finding(table, "toxicity") == (
        "Dick Stone moves the toxicity score by +0.500: Dick alone by +0.625, Stone alone by −0.250; the two words "
        "together add +0.125."
    )
    alone = pd.DataFrame([(WHOLE, "Cher", -0.125), (FIRST, "Cher", -0.125)], columns=table.columns)
    assert one_finding(alone, "toxicity") == "Cher has one part; it moves the toxicity score by −0.125."


def clustered(names: list[int], p_adjusted: list[float], sentences: int = 9) -> Matrix:
    groups = ["career = leader", "career = athlete", "gender = woman"][: len(names)]
    table = pd.DataFrame({"names": names, "inside": [4, 3, 2][: len(names)], "group": groups, "p_adjusted": p_adjusted})
    return Matrix(np.arange(sentences), np.arange(9), np.zeros((sentences, 9)), 1.0, np.zeros(9, int), table)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (clustered([5, 4], [0.01, 0.05], sentences=1), "One sentence cannot show which names behave alike."),
        (clustered([9], [np.nan]), "The names do not fall into groups that behave alike."),
        (clustered([1, 1500], [0.05, 1.0]), "One name stands apart; the other 1,500 behave alike."),
        (
            clustered([5, 4], [0.05, 1.0], sentences=2),
            "The names fall into 2 clusters that behave alike; no group of the name list explains any of them.",
        ),
        (
            clustered([1, 4, 4], [0.05, 1.0, 1.0]),
            "The names fall into 3 clusters that behave alike; no group of the name list explains any of them.",
        ),
        (
            clustered([1, 8], [0.05, 0.049]),
            "The names fall into 2 clusters that behave alike; 1 of them matches a group: career = athlete (3 of its 8 "
            "names). Each group against the cluster by the hypergeometric test, Bonferroni-corrected over clusters and "
            "groups.",
        ),
        (
            clustered([4, 3, 2], [0.01, 0.3, 0.04]),
            "The names fall into 3 clusters that behave alike; 2 of them match a group: career = leader (4 of its 4 "
            "names), gender = woman (2 of its 2 names). Each group against the cluster by the hypergeometric test, "
            "Bonferroni-corrected over clusters and groups.",
        ),
    ],
)
def test_clusters_of_names(found: Matrix, said: str) -> None:
    assert str(cluster_finding(found)) == said


def test_words_of_name_sensitive_sentences() -> None:
    words = [chr(97 + n) for n in range(20)]
    table = pd.DataFrame({"word": words, "log_odds": np.arange(10, -10, -1), "p_adjusted": 0.01})
    evidence = (
        "20 words of five sentences or more, in the half of the sentences that names change most, against the other "
        "half: log-odds with an informative Dirichlet prior (Monroe et al. 2008), Holm-corrected."
    )
    found = where_finding(table, "toxicity")
    assert found.evidence == evidence
    assert found.headline == (
        "Names change the toxicity score more in sentences with “a”, “b”, “c”, “d”, “e”, “f”, less in sentences with "
        "“t”, “s”, “r”, “q”, “p”, “o”."
    )
    less = where_finding(table.assign(p_adjusted=[0.05] * 19 + [0.049]), "toxicity")
    assert less.headline == "Names change the toxicity score less in sentences with “t”."
    two = where_finding(table[:2].assign(log_odds=[0.5, -0.5]), "toxicity")
    assert two.headline == "Names change the toxicity score more in sentences with “a”, less in sentences with “b”."
    none = where_finding(table.assign(p_adjusted=0.05), "toxicity")
    assert none.headline == "No word is significantly associated with how much names change the toxicity score."
    assert none.evidence == evidence
