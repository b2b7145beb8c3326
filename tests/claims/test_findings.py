"""Each finding as a reader would check it against its table; and what none may say."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core.claims import comparison, findings, groups
from psa_core.claims.formatting import Words
from psa_core.claims.groups import group_finding
from psa_core.cube import ScoreCube, Target
from psa_core.stats import Floor

NAMES = pd.DataFrame(
    {
        "name": ["Ada", "Ben", "Cy"],
        "score_sens": [0.0412, -0.2, 0.001],
        "ci_low": [0.0313, -0.25, -0.01],
        "ci_high": [0.0511, -0.15, 0.012],
        "p_adjusted": [0.001, 0.049, 0.8],
        "n": [1000, 1000, 1000],
    }
)
THRESHOLDS = pd.DataFrame(
    {
        "threshold": [0.0, 0.25, 0.5, 0.75, 1.0],
        "label_dist": [0.0, 0.1, 0.3, 0.2, 0.0],
        "low": [0.0, 0.05, 0.25, 0.1, 0.0],
        "high": [0.0, 0.15, 0.35, 0.3, 0.0],
        "flips_up": [0, 1200, 1, 7, 0],
        "flips_down": [0, 3, 40, 1, 0],
        "labelled": [1.0, 0.6, 0.2, 0.05, 0.0],
    }
)
SENTENCES = pd.DataFrame(
    {"sentence_id": ["s0", "s1", "s2"], "score_range": [0.1, 0.62, 0.05], "flips": [0, 4, 1]}
    | {"flips_up": [0, 4, 0], "flips_down": [0, 0, 1]}
)
GROUPS = pd.DataFrame(
    {
        "group": ["female", "male"],
        "names": [2, 3],
        "difference": [0.012, -0.012],
        "difference_low": [0.008, -0.016],
        "difference_high": [0.016, -0.008],
        "noise_low": [-0.015, -0.015],
        "noise_high": [0.015, 0.015],
        "p_adjusted": [0.4, 0.4],
        "above_noise": [False, False],
    }
)
METRICS = {
    "score_dev": {"value": 0.0213, "low": 0.0201, "high": 0.0225},
    "score_range": {"value": 0.1104, "low": 0.1, "high": 0.12},
    "size": {"sentences": 1000, "names": 100},
}
STUDIES = pd.DataFrame(
    {
        "label": ["vader", "minilm", "hate"],
        "value": [0.05, 0.02, 0.04],
        "low": [0.04, 0.01, 0.03],
        "high": [0.06, 0.03, 0.05],
    }
)


def test_names() -> None:
    found = findings.name_finding(NAMES, "toxicity")
    assert found.headline == "Put in “Ben” and the toxicity score goes down by 0.20 on average."
    assert found.evidence == (
        "Mean change from the original score over 1,000 sentences: −0.20 (95 % interval −0.25 to −0.15) for Ben. 2 "
        "of 3 names differ significantly from the original score (paired t-test over sentences, Holm-corrected "
        "p < 0.05, which keeps the chance of a single false claim among all of them below 5 %)."
    )
    against_names = findings.name_finding(NAMES.iloc[[0]], "toxicity", baseline="names", correction="none")
    assert against_names.headline == "With “Ada”, the toxicity score is 0.04 higher than with a typical name."
    assert "1 of 1 name differs significantly from the typical name (t-test over sentences and permutation test" in (
        against_names.evidence
    )
    assert "uncorrected p < 0.05" in against_names.evidence


def test_a_change_too_small_for_six_decimals_is_not_called_zero() -> None:
    tiny = NAMES.iloc[[1]].assign(score_sens=-2e-8)
    said = "Put in “Ben” and the toxicity score goes down by less than 0.000001 on average."
    assert findings.name_finding(tiny, "toxicity").headline == said


def test_no_sure_name_is_no_claim() -> None:
    found = findings.name_finding(NAMES.assign(p_adjusted=0.2), "toxicity")
    assert found.headline == "No name is shown to change the toxicity score."
    assert "−0.20 (95 % interval −0.25 to −0.15) for Ben. 0 of 3 names differ" in found.evidence


def test_names_in_one_sentence_claim_nothing_sure() -> None:
    unsure = NAMES.assign(ci_low=np.nan, ci_high=np.nan, p_adjusted=np.nan, n=1)
    assert str(findings.name_finding(unsure, "toxicity")) == (
        "1 sentence is too few to say anything. Results come from 12 on. The furthest from the original score is Ben "
        "at −0.20."
    )
    assert findings.name_finding(NAMES.assign(n=11), "toxicity").headline.startswith("11 sentences are too few")
    assert not findings.name_finding(NAMES.assign(n=11), "toxicity").is_significant
    assert findings.name_finding(NAMES.assign(n=12), "toxicity").is_significant


def test_the_words_and_the_levels_that_a_table_carries() -> None:
    table = NAMES.copy()
    table.attrs = {"phrase": "offensiveness score", "before": 0.55}
    headline = findings.name_finding(table, "offensive").headline
    assert headline == "Put in “Ben” and the offensiveness score goes down by 0.20 on average, from 0.55 to 0.35."
    table.attrs = {"before": 0.31}
    chance = findings.name_finding(table.iloc[[0]], "P(Yes)", baseline="names").headline
    assert (
        chance == "With “Ada”, the chance of “Yes” is 4 points higher than with a typical name: 35 % instead of 31 %."
    )


EQUIVALENCE = NAMES.assign(equivalent=[False, False, True], p_equivalence=[0.3, 0.9, 0.001], needed=411)


def test_equivalence() -> None:
    found = findings.equivalence_finding(EQUIVALENCE, "toxicity", margin=0.02)
    assert found.is_significant
    assert str(found) == (
        "1 of 3 names is shown to change the toxicity score by less than ±0.02 on average. Equivalence test that "
        "allows for rare large changes not seen here, p < 0.05."
    )


def test_no_equivalence_says_what_it_takes() -> None:
    found = findings.equivalence_finding(EQUIVALENCE.assign(equivalent=False), "toxicity", margin=0.02)
    assert found.evidence.endswith("It takes at least 411 sentences.") and not found.is_significant


@pytest.mark.parametrize(("needed", "reason"), [(411.0, "One sentence is not enough"), (np.inf, "has no fixed range")])
def test_equivalence_that_cannot_be_shown(needed: float, reason: str) -> None:
    table = EQUIVALENCE.assign(equivalent=False, p_equivalence=np.nan, needed=needed)
    assert reason in findings.equivalence_finding(table, "perplexity", margin=0.02).headline


def test_threshold() -> None:
    found = findings.threshold_finding(THRESHOLDS, "toxicity", threshold=0.25)
    assert found.headline == (
        "Swapping in a name changes 1,203 labels for the toxicity score (flagged at 0.25 and above): 1,200 become "
        "flagged, 3 stop being flagged."
    )
    assert "LabelDist is 0.10 (95 % interval 0.05 to 0.15): how much the set" in found.evidence


def test_where_no_label_changes_nothing_is_counted() -> None:
    found = findings.threshold_finding(THRESHOLDS.assign(flips_up=0, flips_down=0), "toxicity", threshold=0.25)
    assert found.headline == ("Swapping in a name changes no label for the toxicity score (flagged at 0.25 and above).")
    still = findings.sentence_finding(SENTENCES.assign(flips=0, flips_up=0, flips_down=0), "toxicity", threshold=0.25)
    assert still.headline == found.headline
    assert still.evidence.startswith("0 of 3 sentences change label with at least one name.")


def test_threshold_between_rows_names_the_row_it_speaks_of() -> None:
    found = findings.threshold_finding(THRESHOLDS.drop(columns=["low", "high"]), "toxicity", threshold=0.51)
    assert found.headline.startswith("Swapping in a name changes 41 labels for the toxicity score (flagged at 0.5 and")
    assert found.headline.endswith("1 becomes flagged, 40 stop being flagged.")
    assert "LabelDist is 0.30: " in found.evidence


def test_sentences() -> None:
    table = SENTENCES.copy()
    table.attrs = {"names": 7}
    assert str(findings.sentence_finding(table, "toxicity", threshold=0.5)) == (
        "Swapping in a name changes 5 of 21 labels for the toxicity score (flagged at 0.5 and above): 4 become "
        "flagged, 1 stops being flagged. 2 of 3 sentences change label with at least one name. These are counted, not "
        "estimated. A sentence's highest and lowest name are 0.10 apart in the median and at most 0.62 (sentence s1)."
    )


def test_without_the_number_of_cells_labels_are_counted_alone() -> None:
    said = findings.sentence_finding(SENTENCES, "toxicity", threshold=0.5).headline
    assert said.startswith(
        "Swapping in a name changes 5 labels for the toxicity score (flagged at 0.5 and above): 4 become"
    )


def correlated(shape: str = "falling", **numbers: float | None) -> dict[str, dict[str, float | str | None]]:
    """Of a summary, what `correlation_finding` reads."""
    return {"sensitivity_correlation": numbers, "sensitivity_trend": {"shape": shape}, "size": {"sentences": 90}}


def test_correlation() -> None:
    falls = correlated(r=-0.48, p=1e-9, low=-0.53, high=-0.43)
    found = findings.correlation_finding(falls, "toxicity")
    assert found.headline == "On the whole, the higher the toxicity score of a sentence, the less names change it."
    assert found.evidence.startswith("Pearson's r = −0.48 (95 % interval −0.53 to −0.43), between")
    bent = findings.correlation_finding(falls | {"sensitivity_trend": {"shape": "peak"}}, "toxicity")
    assert bent.headline == (
        "How much names change a sentence rises and falls again with the toxicity score: no simple relation."
    )
    assert found.is_significant and not bent.is_significant
    unclear = correlated(r=0.1, p=0.2, low=-0.05, high=0.25)
    assert findings.correlation_finding(unclear, "toxicity").headline.startswith("No clear relation")
    few = correlated(r=0.9, p=0.2, low=None, high=None)
    assert findings.correlation_finding(few, "toxicity").headline.startswith("No clear relation")
    undefined = correlated(**dict.fromkeys(("r", "p", "low", "high")))
    assert "does not vary" in findings.correlation_finding(undefined, "toxicity").headline
    many = findings.correlation_finding(correlated(r=-0.3, p=0.03, low=-0.5, high=-0.1), "toxicity", tests=2)
    assert many.headline.startswith("No clear relation")


def test_no_sure_group() -> None:
    assert str(group_finding(GROUPS, "toxicity", column="gender")) == (
        "No clear difference between groups by gender in the toxicity score. The largest difference is that of female, "
        "+0.012 (95 % interval +0.008 to +0.016). Names grouped at random differ by −0.015 to +0.015."
    )


def test_the_surest_group_is_named_though_another_lies_further_out() -> None:
    table = GROUPS.assign(difference=[0.3, -0.1], p_adjusted=[np.nan, 0.01], above_noise=[False, True])
    found = group_finding(table, "toxicity", column="gender")
    assert found.headline == "With “male” names, the toxicity score is 0.10 lower than with the other names."
    assert found.evidence.startswith("The difference is −0.100 (95 % interval ")


def test_outside_of_the_noise_floor_but_not_sure_over_sentences_is_no_finding() -> None:
    text = group_finding(GROUPS.assign(above_noise=True), "toxicity", column="gender").headline
    assert text.startswith("No clear difference between groups by gender")


def test_groups_of_which_nothing_can_be_said() -> None:
    untold = GROUPS.assign(p_adjusted=np.nan)
    text = group_finding(untold, "toxicity", column="gender").headline
    assert text == "Nothing can be said about groups by gender: one sentence is too few."
    text = group_finding(untold.assign(names=1), "toxicity", column="gender").headline
    assert text == "Nothing can be said about groups by gender: each has a single name."


def test_groups_of_a_column_called_group_are_not_groups_by_group() -> None:
    untold = GROUPS.assign(p_adjusted=np.nan)
    text = group_finding(untold, "toxicity", column="Group").headline
    assert text == "Nothing can be said about groups: one sentence is too few."
    text = group_finding(GROUPS.assign(above_noise=False), "toxicity", column="group").headline
    assert text == "No clear difference between groups in the toxicity score."


def test_corpus() -> None:
    found = findings.corpus_finding(METRICS, "toxicity")
    assert found.headline == (
        "Changing only the name moves the toxicity score by 0.11 on average, from the lowest-scoring name to the "
        "highest."
    )
    assert "is 0.11 (95 % interval 0.10 to 0.12); ScoreDev, the standard deviation" in found.evidence
    assert found.evidence.endswith("is 0.021 (95 % interval 0.020 to 0.022) (1,000 sentences, 100 names).")


def test_a_score_that_no_name_moves_stays_the_same() -> None:
    still = METRICS | {"score_range": {"value": 0.0, "low": 0.0, "high": 0.0}}
    text = findings.corpus_finding(still, "toxicity").headline
    assert text == "Changing only the name never changes the toxicity score in these 1,000 sentences."


def test_corpus_of_one_sentence_has_no_interval() -> None:
    single = {metric: {**numbers, "low": None, "high": None} for metric, numbers in METRICS.items() if metric != "size"}
    text = findings.corpus_finding({**single, "size": {"sentences": 1, "names": 3}}, "toxicity").evidence
    assert "interval" not in text
    assert "averaged over sentences, is 0.02 (1 sentence, 3 names)" in text


def test_comparison() -> None:
    found = comparison.comparison_finding(STUDIES, "ScoreDev")
    assert found.headline == "vader is more name-sensitive than minilm."
    assert found.evidence.startswith(
        "ScoreDev is largest for vader, 0.05 (95 % interval 0.04 to 0.06), and smallest for minilm, 0.02 (95 % "
        "interval 0.01 to 0.03). ScoreDev is the standard deviation"
    )


def test_studies_of_other_cells_are_not_ranked_as_models() -> None:
    same = comparison.comparison_finding(STUDIES.assign(cells=[1] * len(STUDIES)), "ScoreDev")
    assert same.headline == "vader is more name-sensitive than minilm."
    other = comparison.comparison_finding(STUDIES.assign(cells=range(len(STUDIES))), "ScoreDev")
    assert other.headline == "vader is more name-sensitive than minilm, but on other names or sentences."


def test_comparison_without_bounds_or_with_bounds_that_overlap_claims_nothing() -> None:
    for table in (STUDIES.iloc[[0, 2]], STUDIES.assign(low=np.nan, high=np.nan)):
        found = comparison.comparison_finding(table, "ScoreDev")
        assert found.headline == "We see no clear difference between the models."
    assert "; their intervals overlap." in comparison.comparison_finding(STUDIES.iloc[[0, 2]], "ScoreDev").evidence
    alone = comparison.comparison_finding(STUDIES.iloc[[0]], "ScoreDev")
    assert alone.evidence.startswith("ScoreDev of vader is 0.05 (95 % interval 0.04 to 0.06).")


def test_try_it() -> None:
    assert findings.try_it_finding(["Ada", "Ben", "Cy"], [0.5, 0.99, 0.09], "toxicity", threshold=0.5) == (
        "In this sentence, the toxicity score is 0.99 with Ben and 0.09 with Cy; 2 of 3 names reach 0.5."
    )
    assert (
        findings.try_it_finding(["Ada"], [0.5], "toxicity") == "In this sentence, the toxicity score is 0.50 with Ada."
    )
    assert "is 0.50 with all 2 names." in findings.try_it_finding(["Ada", "Ben"], [0.5, 0.5], "toxicity")


def test_a_finding_of_a_summary_or_sentence_has_the_phrase_and_unit_of_its_target() -> None:
    loan = Target("P(Yes)", phrase="chance of a “Yes” to the loan", unit="points")
    assert findings.try_it_finding(["Ada", "Ben"], [0.5, 0.25], loan) == (
        "In this sentence, the chance of a “Yes” to the loan is 50 % with Ada and 25 % with Ben."
    )
    corpus = findings.corpus_finding(METRICS, loan).headline
    assert corpus.startswith("Changing only the name moves the chance of a “Yes” to the loan by 11 points on average")
    related = findings.correlation_finding(correlated(r=-0.48, p=1e-9, low=-0.53, high=-0.43), loan).headline
    assert (
        related == "On the whole, the higher the chance of a “Yes” to the loan of a sentence, the less names change it."
    )


@pytest.mark.parametrize(
    ("unit", "before", "change", "ends"),
    [
        ("", 0.4142, 0.2308, ("0.414", "0.645")),  # 0.41 and 0.65 look 0.24 apart, and the change is 0.23
        ("", 0.41, 0.23, ("0.41", "0.64")),
        ("", 0.5, -0.0004, ("0.5000", "0.4996")),
        ("points", 0.535, 0.23, ("53.5 %", "76.5 %")),
        ("points", 0.58, 0.13, ("58 %", "71 %")),
    ],
)
def test_the_ends_of_a_change_are_as_far_apart_as_it_says(
    unit: str, before: float, change: float, ends: tuple[str, str]
) -> None:
    assert Words("the score", unit).levels(before, change) == ends


def test_the_digits_of_try_it_are_those_of_the_scores_beside_it() -> None:
    said = findings.try_it_finding(["Ada", "Ben"], [0.8249, -0.1519], "sentiment")
    assert said == "In this sentence, the sentiment score is 0.82 with Ada and −0.15 with Ben."


def test_try_it_compares_float32_scores_as_everywhere() -> None:
    scores = np.array([0.7, 0.71], dtype=np.float32)
    assert "2 of 2 names reach 0.7." in findings.try_it_finding(["Ada", "Ben"], scores, "toxicity", threshold=0.7)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.00042, 0.0004, 0.00045, "0.0004"),
        (0.0, 0.0, 0.0, "0.00 (95 % interval 0.00 to 0.00)"),
        (-0.0004, -0.4, 0.4, "0.0004 (95 % interval"),
        (12.3456, 11.1, 13.3, "12.35 (95 % interval 11.10 to 13.30)"),
    ],
)
def test_digits_fit_the_interval(value: float, low: float, high: float, text: str) -> None:
    row = pd.DataFrame({"label": ["x"], "value": [value], "low": [low], "high": [high]})
    assert text in comparison.comparison_finding(row, "ScoreDev").evidence


def test_no_finding_claims_more_than_sensitivity() -> None:
    code = "\n".join(inspect.getsource(getattr(findings, name)) for name in dir(findings) if name.endswith("_finding"))
    texts = "\n".join(re.findall(r'f?"[^"\n]*"', code))
    assert not re.search(r"caus|fair|bias|discriminat|because|due to", texts, re.IGNORECASE)


def test_too_few_families_are_said() -> None:
    table = pd.DataFrame(
        {"name": ["Ada"], "score_sens": [0.1], "ci_low": [np.nan], "ci_high": [np.nan], "p_adjusted": [np.nan]}
    ).assign(n=60, families=2)
    told = findings.name_finding(table, "toxicity")
    assert str(told).startswith("60 sentences in 2 families are too few to say anything. Results come from 12 families")
    unequal = findings.name_finding(table.assign(families=14), "toxicity")
    assert "60 sentences in 14 families cannot show" in str(unequal) and "one of them too large" in str(unequal)


@pytest.mark.parametrize(("left", "is_one_name"), [(0.04, True), (0.06, False), (-0.06, True)])
def test_a_difference_of_which_under_half_is_left_is_one_names(left: float, is_one_name: bool) -> None:
    said = groups._without_extreme(pd.Series({"difference": 0.1, "without_furthest": left}), 2, Words("the score"))
    assert ("it is one name's difference, not the group's" in said) is is_one_name


def edited(*targets: Target) -> ScoreCube:
    """A study with two neutral edits whose scores are all alike."""
    texts = pd.DataFrame({"sentence_id": [f"s{row}" for row in range(20)], "text": "He left."})
    scores = np.zeros((20, 3, len(targets)), np.float32)
    return ScoreCube(
        texts.assign(anchor="He", start=0, end=2, role="subject"),
        pd.DataFrame({"name": list("ABC")}),
        targets,
        scores[:, 0],
        scores,
        controls=scores,
    )


@pytest.mark.parametrize(
    ("floor", "headline", "is_significant"),
    [
        ((0.04, 0.02, 2.0, 1.5, 2.6, 0.001), "Names move this model more than neutral edits do: ", True),
        (
            (0.04, 0.02, 2.0, 0.9, 2.6, 0.001),
            "No clear difference between what names ",
            False,
        ),
        ((0.04, 0.02, 2.0, 1.1, 2.6, 0.2), "No clear difference between what names ", False),
        ((0.02, 0.02, 1.0, 0.8, 1.3, 0.9), "No clear difference between what names ", False),
        (
            (0.01, 0.02, 0.5, 0.3, 0.8, 0.001),
            "Names are not shown to move this model more ",
            False,
        ),
        ((0.04, 0.0, np.inf, np.inf, np.inf, 0.0), "Names move this model, and neutral edits do not: ", True),
        ((0.04, 0.02, *[np.nan] * 4), "We cannot say whether names do more than neutral edits: ", False),
        ((0.0, 0.02, *[np.nan] * 4), "Names never change the toxicity score; neutral edits change it by 0.02.", False),
        ((0.0, 0.0, *[np.nan] * 4), "Names never change the toxicity score; nor do neutral edits.", False),
    ],
)
def test_names_against_neutral_edits(
    monkeypatch: pytest.MonkeyPatch, floor: tuple[float, ...], headline: str, is_significant: bool
) -> None:
    monkeypatch.setattr(findings, "control_floor", lambda *_: Floor(*floor))
    found = findings.floor_finding(edited(Target("toxicity")), "toxicity")
    assert found is not None and found.headline.startswith(headline)
    assert found.is_significant is is_significant and found.n == 20
    sizes = "standard deviation of the toxicity score of a text over 3 names, and over 2 neutral edits"
    assert sizes in found.evidence.lower()


ANY_FALSE = "which keeps the chance of a single false claim among all of them below 5 %"


@pytest.mark.parametrize(
    ("correction", "words"),
    [
        ("none", "uncorrected p < 0.05, so that about one name in twenty passes by chance"),
        ("bonferroni", f"Bonferroni-corrected p < 0.05, {ANY_FALSE}"),
        ("holm", f"Holm-corrected p < 0.05, {ANY_FALSE}"),
        ("fdr_bh", "Benjamini–Hochberg-corrected p < 0.05, which keeps the share of false claims among them below 5 %"),
    ],
)
def test_what_a_correction_keeps_small_is_said(correction: str, words: str) -> None:
    assert f", {words})." in findings.name_finding(NAMES, "toxicity", correction=correction).evidence


def test_each_measure_is_explained_as_it_is_computed() -> None:
    assert findings.METRIC_MEANS == {
        "ScoreDev": "the standard deviation over the names of one sentence, averaged over sentences",
        "ScoreRange": "the difference between a sentence's highest and lowest name, averaged over sentences",
        "LabelDist": "how much the set of flagged sentences changes with the name, from 0 (same) to 1 (none in common)",
    }


def test_a_name_without_a_test_takes_no_claim_from_the_others() -> None:
    found = findings.name_finding(NAMES.assign(p_adjusted=[0.001, np.nan, 0.8]), "toxicity")
    assert found.is_significant and found.headline.startswith("Put in “Ada”")
    assert not findings.name_finding(NAMES.assign(p_adjusted=np.nan), "toxicity").is_significant


def test_the_band_behind_the_names_says_what_it_is() -> None:
    cube = edited(Target("toxicity", unit="points"), Target("calm"))
    assert findings.band_words(cube, "calm", (-0.1, 0.25)) == (
        "Grey band: the mean changes of 2 neutral edits, each taken as a name is, −0.10 to +0.25."
    )
    assert findings.band_words(cube, "toxicity", (-0.1, 0.25)).endswith(" is, −10 to +25 points.")
    assert findings.band_words(cube, "calm", None) == ""
    assert findings.band_words(replace(cube, controls=None), "calm", (-0.1, 0.25)) == ""


def test_neutral_edits_are_corrected_for_the_number_of_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "control_floor", lambda *_: Floor(0.04, 0.02, 2.0, 1.5, 2.6, 0.03))
    alone, one_of_two = (
        findings.floor_finding(edited(*targets), "toxicity")
        for targets in ((Target("toxicity"),), (Target("toxicity"), Target("calm")))
    )
    assert alone is not None and alone.is_significant and alone.p_adjusted == 0.03
    assert one_of_two is not None and not one_of_two.is_significant and one_of_two.p_adjusted == 0.06
    assert alone.evidence.endswith("The names' is 2.00 times as large (95 % interval 1.50 to 2.60).")
    assert (alone.estimate, alone.low, alone.high) == (2.0, 1.5, 2.6)


@pytest.mark.parametrize(
    ("shape", "bend"),
    [
        ("peak", "rises and falls again"),
        ("dip", "falls and rises again"),
        ("mixed", "goes up and down"),
        ("rising", "goes up and down"),
    ],
)
def test_a_relation_that_bends_is_no_simple_one(shape: str, bend: str) -> None:
    found = findings.correlation_finding(correlated(shape, r=-0.48, p=0.04, low=-0.6, high=-0.3), "toxicity")
    assert found.headline == f"How much names change a sentence {bend} with the toxicity score: no simple relation."
    assert not found.is_significant


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"r": 0.4, "p": 0.049, "low": 0.1, "high": 0.6}, "the more names change it."),
        ({"r": 0.4, "p": 0.05, "low": 0.1, "high": 0.6}, "No clear relation"),
        ({"r": 0.4, "p": 0.04, "low": 0.0, "high": 0.6}, "No clear relation"),
        ({"r": -0.4, "p": 0.04, "low": -0.6, "high": 0.0}, "No clear relation"),
    ],
)
def test_a_relation_at_the_edge_of_chance(numbers: dict[str, float], words: str) -> None:
    shape = "rising" if numbers["r"] > 0 else "falling"
    assert words in findings.correlation_finding(correlated(shape, **numbers), "toxicity").headline
    sampled = correlated(shape, **numbers) | {"score_dev": {"p": 0.05}}
    assert "No clear relation" in findings.correlation_finding(sampled, "toxicity").headline


@pytest.mark.parametrize(
    ("p", "headline"),
    [
        (
            0.05,
            "No clear difference: with another name 1,203 of 6,000 labels change for the toxicity score (flagged at "
            "0.25 and above), and asking again with the same name changes about as many (1,200).",
        ),
        (
            0.049,
            "Swapping in a name changes 1,203 of 6,000 labels for the toxicity score (flagged at 0.25 and above): "
            "1,200 become flagged, 3 stop being flagged.",
        ),
    ],
)
def test_labels_of_sampled_answers_change_beyond_asking_again_or_not(p: float, headline: str) -> None:
    table = THRESHOLDS.copy()
    table.attrs = {"cells": 6000, "flips_floor": 0.2, "flips_p": p}
    assert findings.threshold_finding(table, "toxicity", threshold=0.25).headline == headline


def test_corpus_of_sampled_answers_is_told_beyond_asking_again() -> None:
    span = {"value": 0.11, "low": 0.1, "high": 0.12, "floor": 0.05, "corrected": 0.098, "p": 0.049}
    sampled = METRICS | {"score_range": span, "score_dev": METRICS["score_dev"] | {"floor": 0.01}}
    found = findings.corpus_finding(sampled, "toxicity")
    assert str(found) == (
        "Changing only the name moves the toxicity score by 0.10 on average, from the lowest-scoring name to the "
        "highest, beyond what asking again does. ScoreRange, from the lowest-scoring name to the highest, is 0.11 "
        "(95 % interval 0.10 to 0.12); asking again with the same name gives 0.05. ScoreDev is 0.02, by chance alone "
        "0.01 (1,000 sentences, 100 names)."
    )
    assert found.is_significant and found.estimate == 0.098
    none = findings.corpus_finding(sampled | {"score_range": span | {"p": 0.05}}, "toxicity")
    assert (
        none.headline
        == "No clear difference: changing the name moves the toxicity score no more than asking again does."
    )
    assert not none.is_significant and none.evidence == found.evidence
