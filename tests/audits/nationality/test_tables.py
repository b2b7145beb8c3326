"""Counts, changes and correlations by hand, and sentences that name the rows of their tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, t, ttest_1samp

from psa_core.audits.nationality import findings
from psa_core.audits.nationality.tables import OVERALL, correlation_table, country_table
from psa_core.cube import ScoreCube, Target

ORIGINAL = [0.4, 0.6, 0.9, 0.2]
#: Two draws of A, one of B.
PERTURBED = [[0.6, 0.4, 0.45], [0.2, 0.9, 0.3], [0.8, 0.7, 0.6], [0.1, 0.3, 0.7]]


@pytest.fixture
def cube() -> ScoreCube:
    names = pd.DataFrame({"name": ["A 1", "A 2", "B 1"], "country": list("AAB"), "iso3": list("XXY"), "draw": "1"})
    sentences = pd.DataFrame({"sentence_id": list("1234")}).assign(text="x", anchor="", start=0, end=0, role="subject")
    original = np.array(ORIGINAL, np.float32)[:, None]
    return ScoreCube(sentences, names, (Target("hate"),), original, np.array(PERTURBED, np.float32)[:, :, None])


def test_classes_are_counted_before_and_after(cube: ScoreCube) -> None:
    table = country_table(cube).set_index(["country", "target"])
    counted = table[["original_count", "perturbed_count", "change_percent"]].to_numpy().tolist()
    # Of A's draws 0.6, 0.9, 0.8 and 0.7 of eight reach 0.5, each a half sentence; the originals 0.6 and 0.9 do.
    assert table.index.tolist() == [("A", "hate"), ("A", "not hate"), ("B", "hate"), ("B", "not hate")]
    assert counted == [[2, 2.0, 0.0], [2, 2.0, 0.0], [2, 2.0, 0.0], [2, 2.0, 0.0]]
    assert table["iso3"].tolist() == ["X", "X", "Y", "Y"]
    change = np.mean(PERTURBED, axis=1, where=[[True, True, False]]) - ORIGINAL
    half = t.ppf(0.975, 3) * change.std(ddof=1) / 2
    row = table.loc[("A", "hate")]
    assert [row["delta"], row["delta_low"], row["delta_high"]] == pytest.approx(
        [change.mean(), change.mean() - half, change.mean() + half]
    )
    assert np.isnan(table.loc[("A", "not hate"), "delta"])


def test_a_class_that_grows_and_one_that_shrinks(cube: ScoreCube) -> None:
    lower = ScoreCube(cube.sentences, cube.names, cube.targets, cube.original, cube.perturbed - np.float32(0.15))
    table = country_table(lower).set_index(["country", "target"])["change_percent"]
    assert table.tolist() == [-25.0, 25.0, -50.0, 50.0]  # of A 0.75, 0.65 and 0.55 are left, of B 0.55
    said = findings.finding(country_table(lower))
    assert "names from B, 50.0 % fewer sentences are predicted as hate (1 instead of 2)" in said
    assert "from −50.0 % (B) to −25.0 % (A)" in said


def test_correlations_are_scipys(cube: ScoreCube) -> None:
    random = np.random.default_rng(0)
    perplexity = random.normal(size=4), random.normal(size=(4, 3))
    table = correlation_table(cube, perplexity).set_index("country")
    given = np.array(PERTURBED)
    of_a = pearsonr(given[:, :2].ravel(), perplexity[1][:, :2].ravel())
    assert (table.loc["A", "global_r"], table.loc["A", "global_p"]) == pytest.approx(
        (of_a.statistic, of_a.pvalue), rel=1e-4
    )
    every = pearsonr(np.append(given, ORIGINAL), np.append(perplexity[1], perplexity[0]))
    assert table.loc[OVERALL, "global_r"] == pytest.approx(every.statistic, rel=1e-4)
    assert table.loc[OVERALL, "original_r"] == pytest.approx(pearsonr(ORIGINAL, perplexity[0]).statistic, rel=1e-4)
    local = [pearsonr(x, y).statistic for x, y in zip(given, perplexity[1], strict=True)]
    assert table.loc[OVERALL, "local_r"] == pytest.approx(np.mean(local), rel=1e-4)
    assert table.loc[OVERALL, "local_p"] == pytest.approx(ttest_1samp(np.arctanh(local), 0).pvalue, rel=1e-3)
    assert table.loc[OVERALL, "sentences"] == 4
    assert np.isnan(table.loc["B", "local_r"]) and table.loc["B", "sentences"] == 0  # one draw varies with nothing


def test_scores_that_follow_perplexity_exactly(cube: ScoreCube) -> None:
    steps = np.array([[0.25, 0.5, 0.75]] * 3 + [[0.5, 0.25, 0.75]])
    line = ScoreCube(cube.sentences, cube.names, cube.targets, cube.original, steps[:, :, None].astype(np.float32))
    row = correlation_table(line, (np.arange(4.0), 8 * steps)).set_index("country").loc[OVERALL]
    assert row["local_r"] == pytest.approx(1) and not (row["local_p"] or 0) > 0.05


def test_the_strongest_correlation_is_named_with_its_side() -> None:
    table = pd.DataFrame(
        {
            "country": [OVERALL, OVERALL, "A"],
            "target": ["joy", "anger", "fear"],
            "global_r": [0.1, -0.4, 0.9],
            "local_r": None,
        }
    )
    said = findings.correlation_finding(table)
    assert "lower “anger”" in said and "−0.40" in said and "joy" not in said and "fear" not in said
    assert "higher “joy”" in findings.correlation_finding(table.assign(global_r=[0.5, -0.4, 0.9]))


def test_the_countries_that_move_a_score_most_to_either_side() -> None:
    table = pd.DataFrame({"country": list("ABC") * 2, "target": ["joy"] * 3 + ["fear"] * 3})
    table = table.assign(delta=[0.1, 0.2, 0.15, -0.3, 0.05, 0.2], delta_low=np.nan, delta_high=np.nan)
    assert findings.score_finding(table, ["joy", "fear"]) == (
        "The mean fear score moves by −0.300 with names from A and by +0.200 with names from C."
    )
    assert "+0.100 with names from A and by +0.200 with names from B" in findings.score_finding(table, ["joy"])


def test_a_small_class_is_not_the_largest_change() -> None:
    table = pd.DataFrame({"country": ["A", "B"], "target": ["rare", "common"], "original_count": [9, 10]})
    table = table.assign(change_percent=[90.0, -20.0])
    assert findings.largest(table)["target"] == "common"
    assert findings.largest(table.assign(original_count=[9, 8]))["target"] == "rare"
