"""A sentence names the row that its table says, for any table: no fixed words, only which row, which way, how much."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as some

from psa_core.claims import comparison, findings
from psa_core.claims.formatting import number
from psa_core.claims.groups import group_finding

EFFECTS = some.lists(some.integers(-90, 90).filter(bool), min_size=2, max_size=7, unique_by=abs)
P_VALUES = some.sampled_from([0.0, 0.0004, 0.0499, 0.0501, 0.3, 1.0])


@some.composite
def name_tables(draw: some.DrawFn) -> pd.DataFrame:
    """Names whose effects differ in size, each with an interval around it and a p-value of any kind."""
    effects = np.array(draw(EFFECTS)) / 100
    p_adjusted = draw(some.lists(P_VALUES, min_size=len(effects), max_size=len(effects)))
    names = [f"Name{chr(65 + n)}" for n in range(len(effects))]
    low, high = effects - 0.013, effects + 0.017
    return pd.DataFrame(
        {"name": names, "score_sens": effects, "ci_low": low, "ci_high": high, "p_adjusted": p_adjusted, "n": 50}
    )


def furthest(table: pd.DataFrame, column: str) -> pd.Series:
    return max((row for _, row in table.iterrows()), key=lambda row: abs(row[column]))


@given(name_tables())
def test_the_name_of_the_headline_is_the_furthest_of_those_that_are_significant(table: pd.DataFrame) -> None:
    significant = table[table["p_adjusted"] < 0.05]
    for baseline, up, down in (("original", "up by", "down by"), ("names", "higher", "lower")):
        found = findings.name_finding(table, "anger", baseline=baseline)
        assert f"{len(significant)} of {len(table)} names" in found.evidence
        assert furthest(table if significant.empty else significant, "score_sens")["name"] in found.evidence
        if significant.empty:
            assert not any(name in found.headline for name in table["name"])
            continue
        row = furthest(significant, "score_sens")
        assert [name for name in table["name"] if name in found.headline] == [row["name"]]
        assert number(abs(row["score_sens"])) in found.headline
        assert (up in found.headline, down in found.headline) == (row["score_sens"] > 0, row["score_sens"] < 0)


@given(name_tables(), some.data())
def test_the_group_of_the_headline_is_the_furthest_of_those_above_chance(
    table: pd.DataFrame, data: some.DataObject
) -> None:
    above = data.draw(some.lists(some.booleans(), min_size=len(table), max_size=len(table)))
    groups = pd.DataFrame(
        {
            "group": table["name"],
            "names": 3,
            "difference": table["score_sens"],
            "difference_low": table["ci_low"],
            "difference_high": table["ci_high"],
            "noise_low": -0.031,
            "noise_high": 0.033,
            "p_adjusted": table["p_adjusted"],
            "above_noise": above,
        }
    )
    found = group_finding(groups, "anger", column="team")
    significant = groups[(groups["p_adjusted"] < 0.05) & groups["above_noise"]]
    row = furthest(groups if significant.empty else significant, "difference")
    named = [name for name in groups["group"] if name in found.headline]
    assert named == ([] if significant.empty else [row["group"]])
    signed = number(row["difference"], signed=True)
    assert signed in found.evidence or signed in number(row["difference"], digits=3, signed=True)
    if named:
        assert number(abs(row["difference"])) in found.headline
        assert ("higher" in found.headline, "lower" in found.headline) == (row["difference"] > 0, row["difference"] < 0)


@given(EFFECTS)
def test_the_most_and_the_least_sensitive_study_are_those_of_the_largest_and_the_smallest_number(
    numbers: list[int],
) -> None:
    values = np.abs(numbers) / 100
    table = pd.DataFrame({"label": [f"Study{chr(65 + n)}" for n in range(len(values))], "value": values})
    most, least = table.loc[values.argmax(), "label"], table.loc[values.argmin(), "label"]
    for width in (0.0001, 2.0):
        found = comparison.comparison_finding(table.assign(low=values - width, high=values + width), "ScoreRange")
        assert f"largest for {most}, " in found.evidence and f"smallest for {least}, " in found.evidence
        named = sorted(label for label in table["label"] if label in found.headline)
        assert named == (sorted([most, least]) if width < 0.001 else [])
        if named:
            assert found.headline.index(most) < found.headline.index(least)


@given(some.lists(some.integers(0, 100), min_size=2, max_size=8), some.integers(0, 100))
def test_one_sentence_names_its_highest_and_lowest_name_and_counts_those_at_the_threshold(
    scores: list[int], edge: int
) -> None:
    values = np.array(scores) / 100
    assume(values.max() > values.min())
    names = [f"Name{chr(65 + n)}" for n in range(len(values))]
    said = findings.try_it_finding(names, values, "anger", threshold=edge / 100)
    high, low = names[scores.index(max(scores))], names[scores.index(min(scores))]
    assert said.index(high) < said.index(low)
    assert f"the anger score is {number(values.max())} with {high} and {number(values.min())} with {low}" in said
    reached = sum(score >= edge for score in scores)
    assert f"; {reached} of {len(values)} names" in said


@given(some.integers(0, 400), some.integers(0, 400))
def test_labels_that_appear_and_disappear_are_not_exchanged(up: int, down: int) -> None:
    row = {"threshold": 0.5, "label_dist": 0.1, "low": 0.05, "high": 0.15, "flips_up": up, "flips_down": down}
    said = findings.threshold_finding(pd.DataFrame([row]), "anger", threshold=0.5).headline
    words = [word for word in said.replace(",", "").replace(":", "").replace(".", "").split() if word.isdigit()]
    if up + down:
        assert str(up + down) in words and words.index(str(up)) <= len(words) - 1
        assert said.index(f"{up} become") < said.index(f"{down} stop")
    else:
        assert "no label" in said


@given(some.integers(-90, 90).filter(bool), P_VALUES)
def test_of_two_studies_the_one_with_the_larger_number_is_more_sensitive(difference: int, p: float) -> None:
    row = {"first": 0.95 + difference / 100, "second": 0.95, "difference": difference / 100, "p_adjusted": p}
    row |= {"low": difference / 100 - 0.01, "high": difference / 100 + 0.01, "sentences": 40}
    row |= {"difference_low": row["low"], "difference_high": row["high"]}
    said = comparison.difference_finding(pd.Series(row), "ScoreDev", ("Ours", "Theirs")).headline
    if p >= 0.05:
        assert "no clear difference" in said and "Ours" not in said
    else:
        more, less = ("Ours", "Theirs") if difference > 0 else ("Theirs", "Ours")
        assert f"{more} is more name-sensitive" in said and said.index(more) < said.index(less)


@given(some.integers(-95, 95), some.integers(1, 60))
def test_a_correlation_is_claimed_only_where_its_interval_leaves_out_zero(r: int, half: int) -> None:
    numbers = {"r": r / 100, "p": 0.001, "low": (r - half) / 100, "high": (r + half) / 100}
    trend, size = {"shape": "rising" if r > 0 else "falling"}, {"sentences": 40}
    metrics = {"sensitivity_correlation": numbers, "sensitivity_trend": trend, "size": size}
    said = findings.correlation_finding(metrics, "anger").headline
    if abs(r) <= half:
        assert said.startswith("No clear relation")
    else:
        assert f", the {'more' if r > 0 else 'less'} names" in said
