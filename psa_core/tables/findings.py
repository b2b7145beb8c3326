"""What a table says: one plain sentence with its number, then how sure it is, and no more than the table says.

A finding speaks of perturbation sensitivity: what the score does when the name changes. Whether that is bias is for a
person to judge. Names are written as the table has them: a table with obfuscated names gives an obfuscated text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.plurals import counted, verb
from psa_core.tables.formatting import Finding, amount, interval_digits, number, score_words, with_interval

MIN_P = 0.001
CORRECTION_WORDS = {
    "none": "uncorrected",
    "bonferroni": "Bonferroni-corrected",
    "holm": "Holm-corrected",
    "fdr_bh": "Benjamini–Hochberg-corrected",
}
ANY_FALSE = "which keeps the chance of a single false claim among all of them below 5 %"
CORRECTION_MEANS = {
    "none": "so that about one name in twenty passes by chance",
    "bonferroni": ANY_FALSE,
    "holm": ANY_FALSE,
    "fdr_bh": "which keeps the share of false claims among them below 5 %",
}
TESTS = {"original": "paired t-test over sentences", "names": "t-test over sentences and permutation test over names"}
METRIC_MEANS = {
    "ScoreDev": "the standard deviation over the names of one sentence, averaged over sentences",
    "ScoreRange": "the difference between a sentence's highest and lowest name, averaged over sentences",
    "LabelDist": "how much the set of flagged sentences changes with the name, from 0 (same) to 1 (none in common)",
}


def name_finding(table: pd.DataFrame, target: str, *, baseline: str = "original", correction: str = "holm") -> Finding:
    """What the significant name with the largest effect does; `table` as made by `tables.name_table`."""
    significant = table[table["p_adjusted"] < stats.SIGNIFICANT]
    shown = table if significant.empty else significant
    row = shown.loc[shown["score_sens"].abs().idxmax()]
    origin = "the original score" if baseline == "original" else "the typical name"
    change = with_interval(row, "score_sens", "ci_low", "ci_high", signed=True)
    if table["p_adjusted"].isna().all():
        return Finding(
            f"{_over(row)} cannot show what a name does to {score_words(target)}{_too_few(row)}.",
            f"The furthest from {origin} is {row['name']} at {change}.",
        )
    said = CORRECTION_WORDS.get(correction, correction)
    means = f", {CORRECTION_MEANS[correction]}" if correction in CORRECTION_MEANS else ""
    evidence = (
        f"Mean change from {origin} over {_over(row)}: {change} for {row['name']}. {len(significant):,} of "
        f"{counted(len(table), 'name')} {verb(len(significant), 'differ')} significantly from it "
        f"({TESTS.get(baseline, 'test')}, {said} p < {stats.SIGNIFICANT}{means})."
    )
    if significant.empty:
        return Finding(f"No name is shown to change {score_words(target)}.", evidence)
    size, up = amount(row["score_sens"]), row["score_sens"] > 0
    if baseline == "original":
        way = "up" if up else "down"
        return Finding(f"Put in “{row['name']}” and {score_words(target)} goes {way} by {size} on average.", evidence)
    higher = "higher" if up else "lower"
    return Finding(
        f"With “{row['name']}”, {score_words(target)} is {size} {higher} than with a typical name.", evidence
    )


def equivalence_finding(table: pd.DataFrame, target: str, *, margin: float) -> Finding:
    """How many names move the score by less than the margin; `table` by `tables.name_test_table` with a margin."""
    shown = int(table["equivalent"].sum())
    if not shown and table["p_equivalence"].isna().all():
        few = isfinite(table["needed"].iloc[0])
        units = "So few families of sentences are" if "families" in table else "One sentence is"
        reason = f"{units} not enough" if few else f"{target.capitalize()} has no fixed range, which is needed"
        return Finding(f"{reason} for an equivalence test.")
    evidence = f"Equivalence test that allows for rare large changes not seen here, p < {stats.SIGNIFICANT}."
    if not shown:
        evidence = f"{evidence} It takes at least {counted(table['needed'].iloc[0], 'sentence')}."
    return Finding(
        f"{shown:,} of {counted(len(table), 'name')} {verb(shown, 'are', 'is')} shown to change "
        f"{score_words(target)} by less than ±{margin:g} on average.",
        evidence,
    )


def threshold_finding(table: pd.DataFrame, target: str, *, threshold: float) -> Finding:
    """What the names do to the labels at (the row nearest to) a threshold; `table` by `tables.label_dist_table`."""
    row = table.loc[(table["threshold"] - threshold).abs().idxmin()]
    up, down = int(row["flips_up"]), int(row["flips_down"])
    cells = int(row["cells"]) if "cells" in row else 0
    changed = counted(up + down, "label") if up + down else "no label"
    changed = f"{up + down:,} of {cells:,} labels" if cells and up + down else changed
    parts = f": {up:,} {verb(up, 'rise', 'rises')} above the threshold, {down:,} {verb(down, 'fall')} below it"
    return Finding(
        f"Swapping in a name changes {changed} at threshold {row['threshold']:g} for {target}"
        f"{parts if up + down else ''}.",
        f"Counted over all sentences and names. LabelDist is {with_interval(row, 'label_dist')}: "
        f"{METRIC_MEANS['LabelDist']}.",
    )


def sentence_finding(table: pd.DataFrame, target: str, *, threshold: float) -> Finding:
    """In how many sentences a label flips, and how wide they are; `table` by `tables.sentence_table`."""
    widest = table.loc[table["score_range"].idxmax()]
    flipped = int((table["flips"] > 0).sum())
    of_all = counted(len(table), "sentence")
    return Finding(
        (f"In {flipped:,} of {of_all} at least one" if flipped else f"In {of_all} no")
        + f" name changes the label at threshold {threshold:g} for {target}.",
        f"These are counted, not estimated. A sentence's highest and lowest name are "
        f"{number(table['score_range'].median())} apart in the median and at most {number(widest['score_range'])} "
        f"(sentence {widest['sentence_id']}).",
    )


def correlation_finding(correlation: Mapping[str, Any], target: str, *, tests: int = 1) -> Finding:
    """Whether sensitive sentences score high or low.

    Parameters
    ----------
    correlation : mapping
        As in ``summary(…)[target]``.
    target : str
    tests : int
        How many correlations are looked at, one for each target of the study; the p-value is corrected for them.
    """
    numbers = {key: _or_nan(correlation[key]) for key in ("r", "p", "low", "high")}
    if not isfinite(numbers["r"]):
        return Finding(
            f"No correlation between sensitivity and original {target} can be computed: one of them does not vary."
        )
    evidence = (
        f"Pearson's r = {with_interval(numbers, 'r', signed=True)}, between a sentence's original score and how far "
        "the names change it on average."
    )
    if not (numbers["p"] * tests < stats.SIGNIFICANT and (numbers["low"] > 0 or numbers["high"] < 0)):
        return Finding(
            f"No significant correlation between a sentence's original {target} and how much names change it.",
            evidence,
        )
    way = "less" if numbers["r"] < 0 else "more"
    return Finding(f"Names change the score of sentences with a higher original {target} {way}.", evidence)


def group_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """The surest group that differs from the rest, or that there is none; `table` by `tables.group_table`."""
    tested = table[table["p_adjusted"].notna()]
    if tested.empty:
        too_few = "too few families of sentences" if "families" in table else "one sentence is too few"
        why = "each has a single name" if (table["names"] == 1).all() else too_few
        return Finding(f"Nothing can be said about groups{_by(column)}: {why}.")
    significant = tested[(tested["p_adjusted"] < stats.SIGNIFICANT) & tested["above_noise"]]
    shown = tested if significant.empty else significant
    row = shown.loc[shown["difference"].abs().idxmax()]
    signed = ("difference", "difference_low", "difference_high")
    digits = interval_digits(*(float(row[bound]) for bound in signed))
    noise = " to ".join(number(row[bound], digits=digits, signed=True) for bound in ("noise_low", "noise_high"))
    drawn = f"Random groups of that size differ by {noise}."
    difference = with_interval(row, *signed, signed=True)
    if significant.empty:
        return Finding(
            f"No group{_by(column)} is shown to differ from the other names in {score_words(target)}.",
            f"The largest difference is that of {row['group']}, {difference}.{_without_furthest(row, digits)} {drawn}",
        )
    higher = "higher" if row["difference"] > 0 else "lower"
    return Finding(
        f"Names with {column} = {row['group']} score {amount(float(row['difference']))} {higher} for {target} than the "
        "other names.",
        f"The difference is {difference}.{_without_furthest(row, digits)} {drawn}",
    )


def _over(row: pd.Series) -> str:
    """The sentences that a claim rests on, and in how many families they come, if they do."""
    sentences = counted(row["n"], "sentence")
    return f"{sentences} in {row['families']:,} families" if "families" in row else sentences


def _too_few(row: pd.Series) -> str:
    return ": the families are too few, or one of them too large" if "families" in row else ""


def _without_furthest(row: pd.Series, digits: int) -> str:
    """What one name less leaves of a group's difference, and that it is no group's where that is under half."""
    left = float(row.get("without_furthest", float("nan")))
    if not isfinite(left):
        return ""
    made = abs(left) < abs(row["difference"]) / 2 or left * row["difference"] < 0
    words = f" Without the one name that makes most of it, {number(left, digits=digits, signed=True)} is left"
    return f"{words}, so it is not the group's." if made else f"{words}."


def _by(column: str) -> str:
    """What groups are formed by; nothing where a column is called no more than that."""
    return "" if column.strip().casefold() in ("group", "groups") else f" by {column}"


def corpus_finding(metrics: Mapping[str, Mapping[str, Any]], target: str) -> Finding:
    """How much scores vary with the name; `metrics` is ``summary(…)[target]``."""
    deviation, span = (
        {key: _or_nan(value) for key, value in metrics[metric].items()} for metric in ("score_dev", "score_range")
    )
    size = number(span["value"])
    changes = f"moves {score_words(target)} by {size} on average, from the lowest-scoring name to the highest"
    return Finding(
        f"Changing only the name {changes if span['value'] else f'never changes {score_words(target)}'}.",
        f"ScoreRange, that difference, is {with_interval(span, 'value')}; ScoreDev, {METRIC_MEANS['ScoreDev']}, is "
        f"{with_interval(deviation, 'value')} ({counted(metrics['size']['sentences'], 'sentence')}, "
        f"{counted(metrics['size']['names'], 'name')}).",
    )


def comparison_finding(table: pd.DataFrame, metric: str) -> Finding:
    """Which of several studies is most and least sensitive.

    Parameters
    ----------
    table : DataFrame
        One row a study: ``label, value, low, high``; with ``cells``, equal where sentences and names are.
    metric : str
    """
    ranked = table.sort_values("value", ascending=False, kind="stable")
    most, least = ranked.iloc[0], ranked.iloc[-1]
    means = next((f" {term} is {words}." for term, words in METRIC_MEANS.items() if metric.startswith(term)), "")
    if len(ranked) < 2:
        return Finding(
            "There is one study here. Add another to compare them.",
            f"{metric} of {most['label']} is {with_interval(most, 'value')}.{means}",
        )
    apart = most["low"] > least["high"]
    overlap = "" if apart else "; their intervals overlap"
    evidence = (
        f"{metric} is largest for {most['label']}, {with_interval(most, 'value')}, and smallest for {least['label']}, "
        f"{with_interval(least, 'value')}{overlap}.{means}"
    )
    if apart and "cells" in ranked and most["cells"] != least["cells"]:
        return Finding(
            f"{most['label']} is more name-sensitive than {least['label']}, but on other names or sentences.",
            evidence,
        )
    if apart:
        return Finding(f"{most['label']} is more name-sensitive than {least['label']}.", evidence)
    return Finding("We see no clear difference between the models.", evidence)


def difference_finding(row: pd.Series, metric: str, titles: tuple[str, str]) -> Finding:
    """Whether one of two studies is more sensitive on the same cells; `row` of `pairs.metric_differences`."""
    both = f"{metric} is {number(row['first'])} for {titles[0]} and {number(row['second'])} for {titles[1]}"
    sentences = counted(row["sentences"], "shared sentence")
    if pd.isna(row["p_adjusted"]):
        few = f"{both}; {sentences} are too few for a test, or too few of them are flagged."
        return Finding("There is too little in common to tell which is more name-sensitive.", few)
    p = f"p < {MIN_P:g}" if row["p_adjusted"] < MIN_P else f"p = {row['p_adjusted']:.2g}"
    found = with_interval(row, "difference", signed=True)
    evidence = f"{both}; difference {found}, by a paired test over {sentences} ({p}, corrected for three metrics)."
    if row["p_adjusted"] >= stats.SIGNIFICANT:
        return Finding("We see no clear difference between the two models on the same sentences and names.", evidence)
    more, less = titles if row["difference"] > 0 else titles[::-1]
    return Finding(f"On the same sentences and names {more} is more name-sensitive than {less}.", evidence)


def try_it_finding(
    names: Sequence[str], scores: Sequence[float] | np.ndarray, target: str, *, threshold: float | None = None
) -> str:
    """What one sentence scores with its extreme names; one score per name, exact and about this sentence only."""
    values = np.asarray(scores, dtype=np.float64)
    high, low = int(values.argmax()), int(values.argmin())
    if values[high] == values[low]:
        same = "1 name gets" if len(values) == 1 else f"all {len(values):,} names get"
        return f"In this sentence {same} a {target} of {number(values[high])}."
    labels = ""
    if threshold is not None:
        reached = int(np.count_nonzero(stats.labels_at(values, threshold)))
        labels = f"; {reached:,} of {counted(len(values), 'name')} {verb(reached, 'reach', 'reaches')} {threshold:g}"
    return (
        f"The same sentence scores {number(values[high])} for {target} with {names[high]} and {number(values[low])} "
        f"with {names[low]}, a difference of {number(values[high] - values[low])}{labels}."
    )


def _or_nan(value: Any) -> float:
    return float("nan") if value is None else float(value)
