"""Scores that a model did not give: every statistic is over the pairs that are there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from psa_core import metrics, stats, tables
from psa_core.claims import findings
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError

NAN = np.nan
ORIGINAL = [0.2, 0.8, NAN]
PERTURBED = [[0.6, NAN], [0.4, 0.9], [0.5, 0.7]]


def study(seed: int = 0, *, missing: float = 0.1, families: bool = False, effect: float = 0.0) -> ScoreCube:
    random = np.random.default_rng(seed)
    sentences, names = 40, 8
    original = random.random((sentences, 1)).astype(np.float32)
    perturbed = np.clip(original[:, None] + random.normal(0, 0.1, (sentences, names, 1)), 0, 1).astype(np.float32)
    perturbed[:, 0] += effect
    perturbed[random.random(perturbed.shape) < missing] = NAN
    original[random.random(original.shape) < missing] = NAN
    table = pd.DataFrame(
        {"sentence_id": [f"s{i}" for i in range(sentences)], "text": [f"he is {i}" for i in range(sentences)]}
    )
    table = table.assign(anchor="he", start=0, end=2, role="subject")
    if families:
        table["family"] = [f"f{i // 2}" for i in range(sentences)]
    list_of_names = pd.DataFrame({"name": list("ABCDEFGH"), "group": list("xxxxyyyy")})
    unanswered = np.isnan(perturbed).astype(np.float32)
    targets = (Target("loan", samples=0), Target("loan_unanswered", unit="points"))
    scores = np.concatenate([perturbed, unanswered], axis=2)
    originals = np.concatenate([original, np.isnan(original).astype(np.float32)], axis=1)
    return ScoreCube(table, list_of_names, targets, originals, scores, {"missing": {"loan": {"no valid answer": 9}}})


def test_metrics_are_over_complete_pairs() -> None:
    np.testing.assert_allclose(metrics.score_sens(ORIGINAL, PERTURBED), [0, 0.1], atol=1e-12)
    assert metrics.score_range(ORIGINAL, PERTURBED) == pytest.approx((0.5 + 0.2) / 2)
    assert metrics.score_dev(ORIGINAL, PERTURBED) == pytest.approx((0.25 + 0.1) / 2)
    # With the first name both labels change, of two; with the second one pair is left, and its label stays.
    assert metrics.label_dist(ORIGINAL, PERTURBED, 0.5) == pytest.approx((1 + 0) / 2)
    assert metrics.label_dist(ORIGINAL, PERTURBED, [0.5, 0.1]) == pytest.approx([0.5, 0])
    with pytest.raises(CubeError, match="infinite"):
        metrics.score_range([np.inf], [[0.1]])
    with pytest.raises(CubeError, match="no pair"):
        metrics.score_range([NAN], [[0.1]])


@pytest.mark.parametrize("threshold", [0.05, 0.31, 0.5, 0.77, 0.99])
def test_label_counts_are_those_of_the_pairs_that_are_there(threshold: float) -> None:
    original, perturbed = (part.astype(np.float64) for part in study(1).scores("loan"))
    distances, ups, downs = [], 0, 0
    for column in perturbed.T:
        pairs = [(a, b) for a, b in zip(original, column, strict=True) if not np.isnan(a + b)]
        both = sum(a >= threshold and b >= threshold for a, b in pairs)
        either = sum(a >= threshold or b >= threshold for a, b in pairs)
        ups += sum(a < threshold <= b for a, b in pairs)
        downs += sum(b < threshold <= a for a, b in pairs)
        distances.append(1 - both / either if either else 0.0)
    grid = stats.threshold_grid(original, perturbed, [threshold])
    np.testing.assert_allclose(grid.label_dist[:, 0], distances)
    assert grid.flips_up.sum() == ups and grid.flips_down.sum() == downs
    assert stats.labels_differ(original, perturbed, threshold).sum() == ups + downs
    assert stats.label_dist_parts(original, perturbed, threshold).mean() == pytest.approx(np.mean(distances))


def test_a_name_is_compared_over_its_own_sentences() -> None:
    """One name's tests are those of its sentences alone."""
    original, perturbed = study(2).scores("loan")
    differences = stats.baseline_differences(original, perturbed)
    one = differences[~np.isnan(differences[:, 3]), 3]
    assert stats.paired_t_p(differences)[3] == pytest.approx(float(stats.paired_t_p(one)))
    np.testing.assert_allclose([part[3] for part in stats.mean_interval(differences)], stats.mean_interval(one))
    assert stats.sign_test_p(differences)[3] == pytest.approx(float(stats.sign_test_p(one)))


def test_a_name_that_is_missing_in_high_scoring_sentences_does_not_look_low() -> None:
    level = np.repeat([0.1, 0.9], 20)[:, None]
    perturbed = np.tile(level, (1, 4)).astype(np.float64)
    perturbed[20:, 0] = NAN
    np.testing.assert_allclose(stats.mean_by_name(perturbed), 0.5)
    assert (
        stats.name_effects(perturbed + np.random.default_rng(0).normal(0, 0.01, perturbed.shape)).p_value.min() > 0.01
    )


@pytest.mark.parametrize("families", [False, True])
def test_every_table_and_sentence_can_be_made(families: bool) -> None:
    cube = study(3, families=families, effect=0.3)
    for baseline in ("original", "names"):
        found = tables.name_table(cube, "loan", baseline=baseline)
        assert found["p_adjusted"].idxmin() == 0 and found["p_adjusted"].iloc[0] < 0.01
        assert (found["p_adjusted"].iloc[1:] > 0.05).all()
        assert np.isfinite(tables.group_table(cube, "loan", "group", baseline=baseline)["difference"]).all()
        assert str(findings.name_finding(found, "loan", baseline=baseline))
    metrics_of = tables.summary(cube)["loan"]
    assert all(metrics_of[name]["value"] is not None for name in ("score_dev", "score_range", "label_dist", "flips"))
    assert metrics_of["sensitivity_correlation"]["r"] is not None
    assert str(findings.corpus_finding(metrics_of, "loan"))
    rows = tables.sentence_table(cube, "loan")
    flips = tables.find_flips(cube, "loan").frame()
    assert rows["flips"].sum() == len(flips) == rows["flips_up"].sum() + rows["flips_down"].sum()
    assert np.isfinite(flips[["original", "perturbed"]].to_numpy()).all()
    assert str(findings.sentence_finding(rows, "loan", threshold=0.5))
    assert np.isfinite(tables.label_dist_table(cube, "loan").to_numpy()).all()


def test_missing_scores_need_a_reason() -> None:
    cube = study(4)
    with pytest.raises(CubeError, match="finite score"):
        ScoreCube(cube.sentences, cube.names, cube.targets, cube.original, cube.perturbed)


def test_a_permuted_name_with_too_few_answers_says_nothing_against_a_name() -> None:
    """Most answers are missing, so many permuted names have one score or none; they are not infinitely far."""
    random = np.random.default_rng(5)
    scores = 0.1 * random.random((12, 8))
    scores[:, 0] += 0.5
    lacking = random.random(scores.shape) < 0.75
    lacking[:, 0] = False
    found = stats.name_effects(np.where(lacking, NAN, scores))
    assert found.p_value[0] < 0.05 and found.low[0] > 0


def test_a_name_with_one_answer_takes_no_interval_from_the_others() -> None:
    _, low, high = stats.mean_interval([[0.1, 0.1], [0.3, NAN], [0.2, NAN]])
    assert np.isfinite([low[0], high[0]]).all() and np.isnan([low[1], high[1]]).all()


def test_a_names_mean_is_that_within_sentences_plus_the_mean_of_the_sentences() -> None:
    # sentences' means 0.2, 0.3 and 1.0; what names differ by within them -0.1, 0.1; 0; -0.5, 0.5
    scores = np.array([[0.1, 0.3], [0.3, NAN], [0.5, 1.5]])
    assert stats.mean_by_name(scores) == pytest.approx([0.5 - 0.2, 0.5 + 0.3])


def test_a_name_is_no_surer_than_by_the_t_test_of_its_own_error() -> None:
    random = np.random.default_rng(2)
    scores = random.normal(0, 1, (9, 30)) + np.where(np.arange(30) < 3, 1.5, 0.0)
    for given in (scores, np.where(random.random(scores.shape) < 0.1, NAN, scores)):
        found = stats.name_effects(given)
        freedom = (~np.isnan(given)).sum(axis=0) - 1
        by_t = 2 * t.sf(np.abs(found.value / found.error), freedom)
        assert (found.p_value >= by_t - 1e-12).all() and (found.p_value <= by_t + 1e-12).any()
