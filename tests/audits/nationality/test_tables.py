"""Counts, changes and correlations by hand, and sentences that name the rows of their tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, t, ttest_1samp

from psa_core.audits.nationality import report
from psa_core.audits.nationality.result import measured
from psa_core.audits.nationality.tables import OVERALL, by_country, correlation_table, country_table
from psa_core.cube import ScoreCube, Target
from tests.pages import result_studies

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
    said = report.class_finding(country_table(lower), 4)
    assert said.headline.startswith("No clear difference")
    assert "with names from B, 1 of 4 sentences are predicted as hate instead of 2; too few to tell" in said.evidence


def test_a_planted_change_is_counted_and_its_noise_is_not() -> None:
    """With A's names 20 of 60 sentences leave the class, with B's as many enter as leave."""
    original = np.repeat([0.9, 0.1], 30)
    perturbed = np.stack([original, original], axis=1)
    perturbed[:20, 0] = 0.2
    perturbed[[0, 1], 1], perturbed[[30, 31], 1] = 0.2, 0.8
    names = pd.DataFrame({"name": ["A 1", "B 1"], "country": list("AB"), "iso3": list("XY"), "draw": "1"})
    sentences = pd.DataFrame({"sentence_id": [str(n) for n in range(60)]})
    sentences = sentences.assign(text="x", anchor="", start=0, end=0, role="subject")
    scores = (original[:, None].astype(np.float32), perturbed[:, :, None].astype(np.float32))
    cube = ScoreCube(sentences, names, (Target("hate"),), *scores)
    table = country_table(cube)
    assert (table["p_adjusted"] < 0.05).tolist() == [True, True, False, False]
    row = table.iloc[0]
    change = -np.repeat([1.0, 0.0], [20, 40])
    half = t.ppf(0.975, 59) * change.std(ddof=1) / np.sqrt(60)
    assert (row["change_low"], row["change_high"]) == pytest.approx((-20 - 60 * half, -20 + 60 * half))
    found = report.class_finding(table, 60)
    assert found.headline == "With names from A, 20 fewer sentences are predicted as hate."
    assert found.evidence.startswith(
        "10 of 60 sentences are predicted as hate instead of 30 (95 % interval of the change"
    )
    assert "2 of 4 changes are beyond chance" in found.evidence
    moved = report.score_finding(table, ["hate"], 60)
    assert moved.headline.startswith("The mean hate score moves by −0.233 (") and "from B" not in moved.headline
    assert "Over 60 sentences" in moved.evidence and "1 of 2 countries moves it beyond chance" in moved.evidence
    # Copies of one sentence count once, and so few families show nothing.
    copies = replace(cube, sentences=sentences.assign(family=np.repeat(["a", "b"], 30)))
    assert not (country_table(copies)["p_adjusted"] < 0.05).any()


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
    assert table.loc["A", "sentences"] == 0, "two points are on a line, whatever they are"
    assert np.isnan(table.loc["B", "local_r"]) and table.loc["B", "sentences"] == 0  # one draw varies with nothing
    perplexity[1][0] = 1.5  # nor does a sentence whose counterfactuals are all as unexpected
    row = correlation_table(cube, perplexity).set_index("country").loc[OVERALL]
    assert row["sentences"] == 3 and row["local_r"] == pytest.approx(np.mean(local[1:]), rel=1e-4)


def test_copies_of_a_sentence_do_not_make_a_correlation_sure() -> None:
    random = np.random.default_rng(0)
    names = pd.DataFrame({"name": ["A 1", "A 2", "A 3"], "country": "A", "iso3": "X", "draw": list("123")})
    sentences = pd.DataFrame({"sentence_id": [str(n) for n in range(60)]})
    sentences = sentences.assign(text="x", anchor="", start=0, end=0, role="subject")
    original, perturbed = random.random(60), random.random((60, 3))
    cube = ScoreCube(sentences, names, (Target("hate"),), *(a[..., None].astype("f4") for a in (original, perturbed)))
    perplexity = original + random.normal(0, 0.3, 60), perturbed + random.normal(0, 0.3, (60, 3))
    alone = correlation_table(cube, perplexity).set_index("country").loc[OVERALL]
    assert alone["original_p"] < 0.01 and alone["local_p"] < 0.001
    copies = replace(cube, sentences=sentences.assign(family=np.repeat(["a", "b"], 30)))
    few = correlation_table(copies, perplexity)
    of_few = few.set_index("country").loc[OVERALL]
    assert of_few["original_r"] == alone["original_r"] and of_few["local_r"] == alone["local_r"]
    assert not few[["original_p", "local_p"]].notna().any(axis=None)
    assert report.correlation_finding(few).headline.startswith("No clear correlation")


def test_scores_that_follow_perplexity_exactly(cube: ScoreCube) -> None:
    steps = np.array([[0.25, 0.5, 0.75]] * 3 + [[0.5, 0.25, 0.75]])
    line = ScoreCube(cube.sentences, cube.names, cube.targets, cube.original, steps[:, :, None].astype(np.float32))
    row = correlation_table(line, (np.arange(4.0), 8 * steps)).set_index("country").loc[OVERALL]
    assert row["local_r"] == pytest.approx(1) and not (row["local_p"] or 0) > 0.05
    # One sentence follows it exactly the other way round, and its Fisher z is finite.
    for side in (1, -1):
        turned = (np.arange(4.0), np.array([[side], [1], [1], [1]]) * steps + [[0.0], [0.1], [0.2], [0.3]])
        turned[1][1:, 0] += 0.1
        row = correlation_table(line, turned).set_index("country").loc[OVERALL]
        local = [pearsonr(x, y).statistic for x, y in zip(steps, turned[1], strict=True)]
        z = np.arctanh(np.clip(local, -1 + 1e-12, 1 - 1e-12))
        assert row["local_p"] == pytest.approx(ttest_1samp(z, 0).pvalue, rel=1e-3)


def test_the_strongest_correlation_beyond_chance_is_named_with_its_side() -> None:
    table = pd.DataFrame({"country": [OVERALL, OVERALL, "A"], "target": ["joy", "anger", "fear"]})
    table = table.assign(local_r=[0.1, -0.4, 0.9], local_p=[0.001, 0.01, 1e-9], original_r=0.5, original_p=0.3)
    said = report.correlation_finding(table).headline
    assert "lower “anger”" in said and "−0.40" in said and "joy" not in said and "fear" not in said
    assert "original" not in said
    assert "higher “joy”" in report.correlation_finding(table.assign(local_p=[0.001, 0.1, 0.1])).headline
    # One of two tests at 0.04 is none after the correction.
    none = table.assign(local_p=[0.04, 0.5, 1e-9])
    assert report.correlation_finding(none).headline.startswith("No clear correlation")
    unknown = table.assign(local_r=np.nan, original_r=np.nan)
    assert report.correlation_finding(unknown).headline.startswith("Nothing varies enough")
    across = report.correlation_finding(none.assign(original_p=[0.001, 0.9, 0.9])).headline
    assert across.startswith("Overall, across the original texts, the less expected the words, the higher “joy”")


def test_the_countries_that_move_a_score_most_to_either_side() -> None:
    table = pd.DataFrame({"country": list("ABC") * 2, "target": ["joy"] * 3 + ["fear"] * 3})
    table = table.assign(delta=[0.1, 0.2, 0.15, -0.3, 0.05, 0.2], delta_low=np.nan, delta_high=np.nan)
    table["delta_p_adjusted"] = [0.9, 0.9, 0.9, 0.01, 0.9, 0.01]
    assert report.score_finding(table, ["joy", "fear"], 9).headline == (
        "The mean fear score moves by −0.300 with names from A and by +0.200 with names from C."
    )
    none = report.score_finding(table, ["joy"], 9)
    assert none.headline == "No clear difference: no country's names are shown to move the joy score."
    assert none.evidence == (
        f"The largest mean change over 9 sentences: +0.200 with names from B; p = 0.9, {report.CORRECTED}."
    )


@pytest.fixture(scope="module")
def sampled() -> ScoreCube:
    small = result_studies.cube(40)
    names = pd.DataFrame({"name": [f"n{i}" for i in range(12)], "country": list("abcdef") * 2, "draw": ["0", "1"] * 6})
    effects = 0.05 * (np.arange(12) % 6)
    scores = 0.3 + effects + 0.05 * np.random.default_rng(0).normal(size=(40, 12))
    return replace(small, names=names, perturbed=np.stack([scores] * 2, 2).astype(np.float32))


def test_a_country_is_the_mean_of_its_draws(sampled: ScoreCube) -> None:
    found = by_country(sampled)
    assert found.names["name"].tolist() == list("abcdef")
    assert found.perturbed[:, 1] == pytest.approx(sampled.perturbed[:, [1, 7]].mean(axis=1))


def test_a_clear_order_would_repeat_and_noise_would_not(sampled: ScoreCube) -> None:
    assert "would see a similar ranking" in report.order_finding(sampled, "toxicity").headline
    noise = np.random.default_rng(1).random(sampled.perturbed.shape).astype(np.float32)
    assert "another ranking" in report.order_finding(replace(sampled, perturbed=noise), "toxicity").headline
    assert "cannot be told" in report.order_finding(sampled.rows([0]), "toxicity").headline


def test_an_order_is_reliable_whose_interval_is_above_0(sampled: ScoreCube, monkeypatch: pytest.MonkeyPatch) -> None:
    found = report.order_replicability(report.by_country(sampled), "toxicity")
    for low, words in ((0.0, "may well see another ranking"), (0.01, "would see a similar ranking")):
        some = replace(found, reliability=found.reliability._replace(value=0.5, low=low, high=0.9))
        monkeypatch.setattr(report, "order_replicability", lambda *_, some=some: some)
        said = report.order_finding(sampled, "toxicity")
        assert words in said.headline
        assert said.evidence == f"Reliability 0.50 (95 % interval {low:.2f} to 0.90), from halves of the sentences."


def test_the_mean_change_is_shown_of_signed_targets_and_of_all_where_there_is_none(cube: ScoreCube) -> None:
    for second, expected in ((Target("mood", -1, 1), ["mood"]), (Target("joy"), ["hate", "joy"])):
        both = replace(
            cube,
            targets=(Target("hate"), second),
            original=np.repeat(cube.original, 2, axis=1),
            perturbed=np.repeat(cube.perturbed, 2, axis=2),
        )
        assert measured(both, (), None).moved_targets == expected
