"""Every sentence over random, null and planted studies: it says that something differs exactly where a mark is set."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core import stats, tables
from psa_core.claims import comparison, findings, reasons
from psa_core.claims.formatting import MIN_SENTENCES, Finding, Words, number, too_few, too_few_in
from psa_core.claims.groups import group_finding
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.tables.corpus import word_table
from psa_core.tables.factors import factor_regression
from psa_core.tables.matrix import matrix
from psa_core.tables.pairs import metric_differences, order_in_both, order_replicability, shared_cells

#: What only a sentence about something significant may say in its headline.
CLAIMS = re.compile(
    r"goes up|goes down|(higher|lower) than with|the higher |more name-sensitive|ranking of the names: "
)
#: What a sentence may never look like.
BROKEN = re.compile(r"nan|inf\b|None|--|−0\.0+ |\b1 (names|sentences|labels)\b|  |\.\.|\{|\}")
KINDS = ("null", "planted", "tied", "rare", "huge", "constant", "few", "one", "families", "peak")


def study(kind: str, seed: int, *, target: Target | None = None) -> ScoreCube:
    random = np.random.default_rng([seed, KINDS.index(kind)])
    size = {"few": int(random.integers(2, MIN_SENTENCES)), "one": 1}.get(kind, int(random.integers(14, 60)))
    names = int(random.integers(6, 14))
    original = random.uniform(0.2, 0.8, size)
    perturbed = original[:, None] + random.normal(0, 0.05, (size, names))
    if kind == "planted":
        perturbed[:, 0] += 0.2
        perturbed[:, ::2] += 0.1
    elif kind == "tied":
        perturbed = perturbed.round(1)
    elif kind == "rare":
        perturbed = original[:, None] + 0.4 * (random.random((size, names)) < 0.03)
    elif kind == "huge":
        perturbed[:, 0], perturbed[:, 1:] = 1.0, 0.0
    elif kind == "constant":
        perturbed[:] = original[:, None]
    elif kind == "peak":
        perturbed = original[:, None] + 0.3 * (np.abs(original - 0.5) < 0.1)[:, None] * random.random((size, names))
    sentences = pd.DataFrame({"sentence_id": [f"s{s}" for s in range(size)], "text": "He left early.", "anchor": "He"})
    sentences = sentences.assign(start=0, end=2, role="subject")
    if kind == "families":
        sentences["family"] = np.arange(size) // 3
    people = pd.DataFrame(
        {
            "name": [f"Name{chr(65 + n)}" for n in range(names)],
            "team": ["red", "blue"] * (names // 2) + ["red"] * (names % 2),
        }
    )
    scores = np.clip(perturbed, 0, 1).astype(np.float32)[:, :, None]
    return ScoreCube(sentences, people, (target or Target("anger"),), original.astype(np.float32)[:, None], scores)


def said_of(cube: ScoreCube) -> list[tuple[Finding, bool]]:
    """Each finding of a study, and whether its table marks something as significant."""
    name, enough = (
        cube.targets[0].name,
        not too_few_in(cube),
    )
    found = []
    for baseline in ("original", "names"):
        table = tables.name_table(cube, name, baseline=baseline)
        claim = findings.name_finding(table, name, baseline=baseline)
        found.append((claim, enough and bool((table["p_adjusted"] < 0.05).any())))
        assert_largest(claim, table[table["p_adjusted"] < 0.05], "score_sens", "name")
    groups = tables.group_table(cube, name, "team")
    claim = group_finding(groups, name, column="team")
    found.append((claim, enough and bool(groups["above_noise"].any())))
    assert_largest(claim, groups[groups["above_noise"]], "difference", "group")
    outside = ~groups["difference"].between(groups["noise_low"] - 1e-12, groups["noise_high"] + 1e-12)
    assert outside.tolist() == groups["above_noise"].tolist(), "a mark is what lies outside of its band"
    assert (groups["p_adjusted"][groups["above_noise"]] < 0.05).all()
    metrics = tables.target_summary(cube, name)
    r = metrics["sensitivity_correlation"]
    clear = enough and None not in (r["r"], r["low"]) and r["p"] < 0.05 and (r["low"] > 0 or r["high"] < 0)
    shape = metrics["sensitivity_trend"]["shape"]
    clear = clear and shape == ("rising" if (r["r"] or 0) > 0 else "falling")
    found.append((findings.correlation_finding(metrics, name), bool(clear)))
    repeated = order_replicability(cube, name)
    found.append((comparison.replicability_finding(repeated, name), enough and bool(repeated.reliability.low > 0)))
    counted = tables.label_dist_table(cube, name, interval=False)
    exact = [
        findings.corpus_finding(metrics, name),
        findings.threshold_finding(counted, name, threshold=0.5),
        findings.sentence_finding(tables.sentence_table(cube, name), name, threshold=0.5),
    ]
    assert exact[1].headline == exact[2].headline, "one count of changed labels"
    assert exact[1].estimate == metrics["flips"]["up"] + metrics["flips"]["down"]
    words = word_table(cube, name)
    clusters = matrix(cube, name)
    for text in (reasons.where_finding(words, name), reasons.cluster_finding(clusters)):
        assert not BROKEN.search(str(text)), text
    return found + [(claim, False) for claim in exact]


def assert_largest(claim: Finding, marked: pd.DataFrame, column: str, label: str) -> None:
    """The row that a significant claim is about has the largest effect of the marked ones, and its sign and number."""
    if not claim.is_significant:
        return
    row = marked.loc[marked[column].abs().idxmax()]
    assert f"“{row[label]}”" in claim.headline
    assert claim.estimate == row[column] and claim.p_adjusted == row["p_adjusted"] < 0.05
    assert Words.of(claim.target, marked).size(row[column]) in claim.headline
    assert bool(re.search(r"goes up|higher", claim.headline)) == (row[column] > 0)
    assert bool(re.search(r"goes down|lower", claim.headline)) == (row[column] < 0)
    assert claim.low <= claim.estimate <= claim.high


#: What is no score and no change of one, and has the same numbers in any unit.
UNITLESS = re.compile(r"LabelDist is .*?\)|Pearson's r = .*?\)|Reliability .*?\)|p < [\d.]+")
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


@pytest.mark.parametrize("kind", ["planted", "null", "huge", "families"])
def test_of_a_chance_every_number_of_a_sentence_is_in_hundredths(kind: str) -> None:
    """Each is that of the same study on another scale, or a hundred times it; only counts and whole names stay."""
    said = {name: said_of(study(kind, 1, target=Target(name))) for name in ("anger", "P(Yes)")}
    scaled = 0
    for (plain, _), (chance, _) in zip(*said.values(), strict=True):
        numbers = [NUMBER.findall(UNITLESS.sub("", str(found)).replace("95 %", "")) for found in (plain, chance)]
        for before, after in zip(*numbers, strict=True):
            is_same, digits = before == after, len(before.partition(".")[2])
            wrong = abs(float(after.replace(",", "")) - 100 * float(before.replace(",", "")))
            assert (is_same and not digits) or wrong <= 100 * 0.5 * 10**-digits + 0.5, (str(plain), str(chance))
            scaled += not is_same
    assert scaled > 8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_significance_is_said_exactly_where_the_table_marks_it(kind: str, seed: int) -> None:
    for claim, marked in said_of(study(kind, seed)):
        assert claim.is_significant == marked, (claim, marked)
        assert bool(CLAIMS.search(claim.headline)) == marked, claim
        assert not BROKEN.search(str(claim)), claim
        assert claim.kind and claim.headline.endswith(".")
        if marked:
            assert claim.n >= MIN_SENTENCES and number(claim.estimate)[:4].strip("+−") in str(claim)
        if claim.n and claim.n < MIN_SENTENCES and claim.kind in ("names", "groups", "correlation", "ranking"):
            assert claim.headline == too_few(claim.n) or "compared" in str(claim) or "cannot say" in str(claim)


@pytest.mark.parametrize(("kind", "expected"), [("planted", True), ("null", False)])
def test_a_planted_difference_is_found_and_none_is_none(kind: str, expected: bool) -> None:
    found = [findings.name_finding(tables.name_table(study(kind, seed), "anger"), "anger") for seed in range(8)]
    assert sum(claim.is_significant for claim in found) >= 7 if expected else sum(c.is_significant for c in found) <= 1


def test_two_studies_are_ranked_only_where_their_test_says_so() -> None:
    for seed in range(4):
        for kinds in (("null", "null"), ("planted", "planted"), ("null", "planted")):
            first, second = (study(kind, seed + 10 * side) for side, kind in enumerate(kinds))
            agreed = order_in_both(first, second, ("anger", "anger"))
            assert agreed is not None
            claim = comparison.agreement_finding(agreed)
            order = agreed.order
            is_clear = order.p < 0.05 and (order.low > 0 or order.high < 0)
            assert claim.is_significant == (is_clear and agreed.is_reliable)
            assert ("no clear agreement" in claim.headline) == (not claim.is_significant and not order.reason)
            moved = replace(first, perturbed=(first.perturbed * np.float32(0.5)))
            row = metric_differences(shared_cells(first, moved), ("anger", "anger")).iloc[0]
            told = comparison.difference_finding(row, "ScoreDev", ("A", "B"))
            assert told.is_significant == (row["p_adjusted"] < stats.SIGNIFICANT) == bool(CLAIMS.search(told.headline))
            assert ("A is more" in told.headline) == (told.is_significant and row["difference"] > 0)


def test_factors_that_are_not_significant_are_not_named() -> None:
    for seed in range(4):
        for kind in ("null", "planted"):
            cube = study(kind, seed)
            try:
                why = factor_regression(cube, "anger", ["length", "team"])
            except CubeError:
                continue
            text = reasons.why_finding(why, "anger")
            for factor, mark in zip(why.shares["factor"], why.shares["is_significant"], strict=True):
                assert (f"{factor}: " in text or f" {factor} " in text) == mark
            assert ("no factor" in text) == (not why.shares["is_significant"].any())


def test_a_phrase_and_a_unit_reach_every_sentence() -> None:
    target = Target("P(Yes)", phrase="chance of a “Yes” to the loan", unit="points")
    cube = study("planted", 1, target=target)
    table = tables.name_table(cube, "P(Yes)", baseline="names")
    claim = findings.name_finding(table, "P(Yes)", baseline="names")
    assert claim.headline.startswith("With “NameA”, the chance of a “Yes” to the loan is ")
    assert re.search(
        r" is \d+(\.\d+)? points higher than with a typical name: [\d.]+ % instead of [\d.]+ %\.$", claim.headline
    )
    assert (
        "the chance of a “Yes” to the loan"
        in group_finding(tables.group_table(cube, "P(Yes)", "team"), "P(Yes)", column="team").headline
    )
