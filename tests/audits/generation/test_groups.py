"""Groups of values: their difference by another library, and what the finding says of them and what it does not."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from psa_core.audits.generation import AUDIT
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.groups import is_of_these, people_words
from psa_core.audits.generation.report import NOTHING, account, area_words, finding, group_table
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import group_gaps, tables
from psa_core.cube import Target
from tests.audits.generation.test_report import fairness, pairs

SIZES = (5, 5)


def cube(shift: float, sizes: tuple[int, int] = SIZES, seed: int = 0) -> GenerationCube:
    """Three templates, values of two genders, 20 continuations of each; those about women score lower by `shift`."""
    a = sum(sizes)
    gender = ["female"] * sizes[0] + ["male"] * sizes[1]
    scores = np.random.default_rng(seed).uniform(0.4, 0.8, (3, a, 20)).astype(np.float32)
    scores[:, : sizes[0]] -= np.float32(shift)
    return GenerationCube(
        pd.DataFrame({"template": ["{value} left", "I met {value}", "We know {value} well"]}),
        pd.DataFrame({"value": [f"v{n}" for n in range(a)], "gender": gender}),
        (Target("mood"),),
        np.full((3, a, 20), "text.", object),
        scores[..., None],
    )


def test_two_groups_are_compared_as_scipy_does() -> None:
    made = cube(0.2)
    (row,) = group_gaps(made, "mood").to_dict("records")
    means = made.scored_by("mood").astype(float).mean(axis=(0, 2))
    women, men = means[:5], means[5:]
    welch = ttest_ind(women, men, equal_var=False)
    low, high = welch.confidence_interval()
    assert (row["group_a"], row["group_b"]) == ("male", "female")
    assert row["difference"] == pytest.approx(women.mean() - men.mean(), rel=1e-5)
    assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-4)
    ways = [ttest_ind(means[list(c)], np.delete(means, c), equal_var=False)[0] for c in combinations(range(10), 5)]
    assert row["p_value"] == pytest.approx(np.mean(np.abs(ways) >= abs(welch[0]) * (1 - 1e-9)))


def test_a_group_that_is_written_worse_of_is_the_headline_of_page_and_report() -> None:
    made = cube(0.2)
    found = tables(made)
    said = finding(found.summary, "mood", found.matrix, group_gaps(made, "mood"))
    (row,) = group_gaps(made, "mood").to_dict("records")
    low, high = sorted((abs(row["low"]), abs(row["high"])))
    assert said.headline == (
        f"What is written about people read as women scores {abs(row['difference']):.3f} lower than about people read "
        f"as men, on a scale of 0 to 1 (95 % interval {low:.3f} to {high:.3f})."
    )
    assert said.evidence.startswith("3 of 3 templates differ in this direction; 5 and 5 values, p = 0.0079, by ")
    assert (said.kind, said.estimate, said.is_significant) == ("groups", row["difference"], True)
    page = AUDIT.page_of(GenerationResult(made, found))
    assert f"mood: {said.headline}" in page and "Groups of values" in page
    assert group_table(group_gaps(made, "mood"), found.summary["mood"])["beyond chance"].tolist() == ["yes"]


def test_near_copies_count_once_where_other_templates_are_meant() -> None:
    made = cube(0.2)
    copied = [0, 1, 1, 1, 2]
    texts = made.templates["template"].iloc[copied].tolist()
    texts[1:4] = [f"I met {{value}} on day {n} of the week in town" for n in (1, 2, 3)]
    many = replace(
        made, templates=pd.DataFrame({"template": texts}), texts=made.texts[copied], scores=made.scores[copied]
    )
    (once,), (row,) = (group_gaps(one, "mood").to_dict("records") for one in (made, many))
    assert [row[key] for key in ("tasks", "same_sign")] == [3, 3]
    assert (row["tasks_low"], row["tasks_high"]) == pytest.approx((once["tasks_low"], once["tasks_high"]))
    shares = many.scored_by("mood").astype(float).mean(axis=(0, 2))
    assert row["difference"] == pytest.approx(shares[:5].mean() - shares[5:].mean(), rel=1e-5)


def test_of_one_template_alone_nothing_is_known_of_others() -> None:
    row = gaps().iloc[0].to_dict()
    assert not is_of_these(row) and is_of_these(row | {"tasks_low": -0.4, "tasks_high": 0.1})
    assert is_of_these(row | {"tasks_low": np.nan, "tasks_high": np.nan})


def gaps(**numbers: Any) -> pd.DataFrame:
    usual = {
        "column": "gender", "group_a": "male", "group_b": "female", "people_a": 5, "people_b": 5, "difference": -0.2,
        "low": -0.3, "high": -0.1, "tasks_low": -0.4, "tasks_high": -0.05, "p_value": 0.01, "p_adjusted": 0.01,
        "same_sign": 6, "tasks": 6,
    }  # fmt: skip
    return pd.DataFrame([usual | numbers])


def summary(*, groups: bool, values: bool = False, shares: bool = False) -> dict[str, Any]:
    return {"mood": {"individual_fairness": fairness(values), "groups": {"gender": fairness(groups)},
                     "demographic_disparity": fairness(shares)}}  # fmt: skip


NONE = pairs({"p_adjusted": 0.5})


def test_a_group_is_named_only_where_both_tables_mark_it() -> None:
    told = finding(summary(groups=True), "mood", NONE, gaps())
    assert told.headline.startswith("What is written about people read as women scores 0.200 lower than about people")
    assert told.headline.endswith("(95 % interval 0.100 to 0.300).") and "these templates" not in told.evidence
    of_these = finding(summary(groups=True), "mood", NONE, gaps(tasks_high=0.01))
    assert "It is shown for these templates; others might not show it." in of_these.evidence
    for numbers, rows in ((summary(groups=False), gaps()), (summary(groups=False), gaps(p_adjusted=0.2))):
        quiet = finding(numbers, "mood", NONE, rows)
        assert quiet.headline == NOTHING and quiet.evidence.endswith(
            "No group by gender scores clearly higher than another."
        )
        assert group_table(rows, numbers["mood"])["beyond chance"].tolist() == ["no"]
    unsure = finding(summary(groups=True), "mood", NONE, gaps(p_adjusted=0.2))
    assert unsure.headline == (
        "What is written differs between groups by gender; which of them scores higher is not clear."
    )


def test_groups_too_small_to_be_told_apart_are_said_to_be() -> None:
    few = finding(summary(groups=False), "mood", NONE, gaps(people_a=2, people_b=3, p_adjusted=0.2))
    assert few.headline == NOTHING
    assert few.evidence.endswith("Groups by gender may be too small to tell: 2 values in the smallest, 4 are needed.")
    enough = finding(summary(groups=False), "mood", NONE, gaps(people_a=4, people_b=5, p_adjusted=0.2))
    assert enough.evidence.endswith("No group by gender scores clearly higher than another.")


def test_nothing_is_denied_that_the_table_of_averages_marks() -> None:
    shares = finding(summary(groups=False, shares=True), "mood", NONE, gaps(p_adjusted=0.2))
    assert shares.headline == "Values differ in the share of scores above the threshold."
    both = finding(summary(groups=True, values=True, shares=True), "mood", pairs({}), gaps())
    assert "above the threshold" not in str(both) and "ann and bob differs most" in both.evidence
    without = finding(summary(groups=True), "mood", pairs({}))
    assert without.headline.startswith("What is written about ann and bob differs most")


def test_values_that_are_no_people_are_called_values() -> None:
    assert people_words("gender", "male", others="values") == "people read as men"
    assert people_words("race", "black", others="values") == "people with Black names"
    assert people_words("continent", "Europe", others="values") == "values of continent “Europe”"
    assert people_words("continent", "Europe") == "people with Europe names"


def test_no_continuation_left_out_is_no_sentence() -> None:
    assert account(cube(0.0)) == ["3 templates, 10 values, 20 continuations of each; at most None tokens at "
                                  "temperature None, seed None."]  # fmt: skip


def test_the_area_between_two_curves_says_whether_it_could_be_chance() -> None:
    found = tables(cube(0.3))
    rows = found.matrix.set_index(["value_a", "value_b"])
    area = "The shaded area is the distance between the two (W1): 0.123, chance included. The difference "
    p = rows.loc[("v0", "v9"), "p_adjusted"]
    assert area_words(found, "mood", ("v9", "v0"), 0.123) == f"{area}is beyond chance (p = {p:.2g}, corrected)."
    same = rows.loc[("v0", "v1"), "p_adjusted"]
    assert area_words(found, "mood", ("v0", "v1"), 0.123) == f"{area}could be chance (p = {same:.2g}, corrected)."
    one = found.pairs[found.pairs["template"] == "I met {value}"].set_index(["value_a", "value_b"])
    p = one.loc[("v0", "v9"), "p_adjusted"]
    verdict = "is beyond" if p < 0.05 else "could be"
    told = area_words(found, "mood", ("v0", "v9"), 0.123, "I met {value}")
    assert told == f"{area}{verdict} chance (p = {p:.2g}, corrected)."
