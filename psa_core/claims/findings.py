"""Findings from tables: one plain sentence with its number, then its evidence, and no more than the table supports.

A finding speaks of perturbation sensitivity: what the score does when the name changes. Whether that is bias is for a
person to judge. Names are written as the table has them: a table with obfuscated names gives an obfuscated text. That
something differs is claimed exactly where the table marks it, and the largest difference that it marks is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isinf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.claims.formatting import (
    Finding,
    Words,
    about,
    bare,
    digits_of,
    number,
    over,
    too_few,
    too_few_in,
    too_few_rows,
    with_interval,
)
from psa_core.cube import SPREAD_OF_ANSWERS, ScoreCube, Target
from psa_core.plurals import counted, verb
from psa_core.tables.floors import control_floor

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
EDITS = "neutral edits, such as another weekday, digit or comma"
METRIC_MEANS = {
    "ScoreDev": "the standard deviation over the names of one sentence, averaged over sentences",
    "ScoreRange": "the difference between a sentence's highest and lowest name, averaged over sentences",
    "LabelDist": "how much the set of flagged sentences changes with the name, from 0 (same) to 1 (none in common)",
}


def name_finding(table: pd.DataFrame, target: str, *, baseline: str = "original", correction: str = "holm") -> Finding:
    """The effect of the significant name that moves the score most; `table` by `tables.name_table`."""
    words = Words.of(target, table)
    significant = table[table["p_adjusted"] < stats.SIGNIFICANT]
    shown = table if significant.empty else significant
    row = shown.loc[shown["score_sens"].abs().idxmax()]
    typed = about("names", words, row, "score_sens", "ci_low", "ci_high")
    origin = "the original score" if baseline == "original" else "the typical name"
    change = with_interval(row, "score_sens", "ci_low", "ci_high", signed=True, words=words)
    few = too_few_rows(table)
    if few or table["p_adjusted"].isna().all():
        unequal = ": the families are too few, or one of them too large" if "families" in row else ""
        few = few or f"{over(row)} cannot show what a name does to {words.phrase}{unequal}."
        return Finding(few, f"The furthest from {origin} is {row['name']} at {change}.", **typed)
    means = f", {CORRECTION_MEANS[correction]}" if correction in CORRECTION_MEANS else ""
    evidence = (
        f"Mean change from {origin} over {over(row)}: {change} for {row['name']}. {len(significant):,} of "
        f"{counted(len(table), 'name')} {verb(len(significant), 'differ')} significantly from {origin} "
        f"({TESTS.get(baseline, 'test')}, {CORRECTION_WORDS.get(correction, correction)} "
        f"p < {stats.SIGNIFICANT}{means})."
    )
    if significant.empty:
        return Finding(f"No name is shown to change {words.phrase}.", evidence, **typed)
    effect, before = float(row["score_sens"]), table.attrs.get("before")
    size, up = words.size(effect), effect > 0
    was, now = ("", "") if before is None else words.levels(float(before), effect)
    if baseline == "original":
        levels = f", from {was} to {now}" if was != now else ""
        way = "up" if up else "down"
        headline = f"Put in “{row['name']}” and {words.phrase} goes {way} by {size} on average{levels}."
    else:
        levels = f": {now} instead of {was}" if was != now else ""
        way = "higher" if up else "lower"
        headline = f"With “{row['name']}”, {words.phrase} is {size} {way} than with a typical name{levels}."
    return Finding(headline, evidence, is_significant=True, **typed)


def equivalence_finding(table: pd.DataFrame, target: str, *, margin: float) -> Finding:
    """How many names move the score by less than the margin; `table` by `tables.name_test_table` with a margin."""
    shown, words = int(table["equivalent"].sum()), Words.of(target, table)
    if not shown and table["p_equivalence"].isna().all():
        few = isfinite(table["needed"].iloc[0])
        units = "So few families of sentences are" if "families" in table else "One sentence is"
        reason = f"{units} not enough" if few else f"{target.capitalize()} has no fixed range, which is needed"
        return Finding(f"{reason} for an equivalence test.", kind="equivalence", target=words.phrase)
    evidence = f"Equivalence test that allows for rare large changes not seen here, p < {stats.SIGNIFICANT}."
    if not shown:
        evidence = f"{evidence} It takes at least {counted(table['needed'].iloc[0], 'sentence')}."
    return Finding(
        f"{shown:,} of {counted(len(table), 'name')} {verb(shown, 'are', 'is')} shown to change "
        f"{words.phrase} by less than ±{words.exact(margin)} on average.",
        evidence,
        kind="equivalence",
        target=words.phrase,
        estimate=shown,
        is_significant=shown > 0,
    )


def threshold_finding(table: pd.DataFrame, target: str, *, threshold: float) -> Finding:
    """What the names do to the labels at (the row nearest to) a threshold; `table` by `tables.label_dist_table`."""
    row, words = table.loc[(table["threshold"] - threshold).abs().idxmin()], Words.of(target, table)
    up, down = int(row["flips_up"]), int(row["flips_down"])
    cells, floor = int(row.get("cells", table.attrs.get("cells", 0))), _flips_by_chance(table.attrs)
    return Finding(
        _changed_labels(up, down, cells, words.at(row["threshold"]), words, floor),
        f"Counted over all sentences and names. LabelDist is {with_interval(row, 'label_dist')}: "
        f"{METRIC_MEANS['LabelDist']}.",
        kind="thresholds",
        target=words.phrase,
        estimate=up + down,
    )


def sentence_finding(table: pd.DataFrame, target: str, *, threshold: float) -> Finding:
    """How many labels change, in how many sentences, and the score ranges; `table` by `tables.sentence_table`."""
    widest, words = table.loc[table["score_range"].idxmax()], Words.of(target, table)
    flipped, names = int((table["flips"] > 0).sum()), int(table.attrs.get("names", 0))
    of_all = f"{flipped:,} of {counted(len(table), 'sentence')} {verb(flipped, 'change')} label with at least one name."
    median, most = float(table["score_range"].median()), float(widest["score_range"])
    digits = max(digits_of(median), digits_of(most - median))
    ranges = [words.change(value, digits=digits, signed=False) for value in (median, most)]
    spread = (
        f"These are counted, not estimated. A sentence's highest and lowest name are "
        f"{ranges[0]} apart in the median and at most {ranges[1]} "
        f"(sentence {widest['sentence_id']})."
    )
    typed: dict[str, Any] = {"kind": "sentences", "target": words.phrase, "n": len(table)}
    if "flips_up" not in table:
        return Finding(of_all, spread, estimate=flipped, **typed)
    up, down = int(table["flips_up"].sum()), int(table["flips_down"].sum())
    floor = _flips_by_chance(table.attrs)
    cells = int(table.attrs.get("cells", names * len(table)))
    changed = _changed_labels(up, down, cells, words.at(threshold), words, floor)
    return Finding(changed, f"{of_all} {spread}", estimate=up + down, **typed)


def _flips_by_chance(attrs: Mapping[Any, Any]) -> tuple[float, bool] | None:
    """Share of labels that sampling alone changes, and whether names change more; None where nothing is sampled."""
    return (float(attrs["flips_floor"]), float(attrs["flips_p"]) < stats.SIGNIFICANT) if "flips_p" in attrs else None


def _changed_labels(
    up: int, down: int, cells: int, threshold: str, words: Words, by_chance: tuple[float, bool] | None = None
) -> str:
    """The one sentence about changed labels, counted over all sentences and names."""
    which = f"for {words.phrase} (flagged at {threshold} and above)"
    if not up + down:
        return f"Swapping in a name changes no label {which}."
    if by_chance and not by_chance[1]:
        return (
            f"No clear difference: with another name {up + down:,} of {cells:,} labels change {which}, and asking "
            f"again with the same name changes about as many ({cells * by_chance[0]:,.0f})."
        )
    of_all = f" of {cells:,}" if cells else ""
    changed = f"{up + down:,}{of_all} label{'' if (cells or up + down) == 1 else 's'}"
    return (
        f"Swapping in a name changes {changed} {which}: {up:,} {verb(up, 'become', 'becomes')} flagged, {down:,} "
        f"{verb(down, 'stop')} being flagged."
    )


def correlation_finding(metrics: Mapping[str, Mapping[str, Any]], target: str | Target, *, tests: int = 1) -> Finding:
    """Whether sensitive sentences score high or low; claimed only if the relation is monotonic.

    `metrics` is ``summary(…)[target]``; the p-value is corrected for so many `tests`, one for each target of the study.
    """
    numbers = {key: _or_nan(metrics["sensitivity_correlation"][key]) for key in ("r", "p", "low", "high")}
    shape, size = metrics["sensitivity_trend"]["shape"], metrics["size"]
    few = too_few(size["sentences"], size.get("families"))
    r, p, words = numbers["r"], numbers["p"] * tests, Words.of(target)
    typed: dict[str, Any] = {"kind": "correlation", "target": words.phrase, "estimate": r}
    typed |= {"low": numbers["low"], "high": numbers["high"], "p_adjusted": p}
    typed |= {"n": size["sentences"], "families": size.get("families", 0)}
    if few:
        return Finding(few, **typed)
    if not isfinite(r):
        reason = "one of them does not vary"
        return Finding(
            f"No correlation between sensitivity and a sentence's original score can be computed: {reason}.", **typed
        )
    evidence = (
        f"Pearson's r = {with_interval(numbers, 'r', signed=True)}, between a sentence's original score and how far "
        "the names change it on average."
    )
    is_noise = metrics.get("score_dev", {}).get("p", 0.0) >= stats.SIGNIFICANT  # of sampled answers: nothing to relate
    if is_noise or not (p < stats.SIGNIFICANT and (numbers["low"] > 0 or numbers["high"] < 0)):
        headline = f"No clear relation between {words.phrase} of a sentence and how much names change it."
        return Finding(headline, evidence, **typed)
    way = "less" if r < 0 else "more"
    if shape == ("falling" if r < 0 else "rising"):
        headline = f"On the whole, the higher {words.phrase} of a sentence, the {way} names change it."
        return Finding(headline, evidence, is_significant=True, **typed)
    bend = {"peak": "rises and falls again", "dip": "falls and rises again"}.get(shape, "goes up and down")
    return Finding(
        f"How much names change a sentence {bend} with {words.phrase}: no simple relation.", evidence, **typed
    )


def corpus_finding(metrics: Mapping[str, Mapping[str, Any]], target: str | Target) -> Finding:
    """How much scores vary with the name; `metrics` is ``summary(…)[target]``.

    Where scores are means of sampled answers, only what the name moves beyond asking again.
    """
    deviation, span = (
        {key: _or_nan(value) for key, value in metrics[metric].items()} for metric in ("score_dev", "score_range")
    )
    words, size = Words.of(target), metrics["size"]
    counts = f"({counted(size['sentences'], 'sentence')}, {counted(size['names'], 'name')})"
    typed: dict[str, Any] = {"kind": "corpus", "target": words.phrase, "n": int(size["sentences"])}
    ends = "on average, from the lowest-scoring name to the highest"
    if "floor" in span:
        is_above = span["p"] < stats.SIGNIFICANT
        evidence = (
            f"ScoreRange, from the lowest-scoring name to the highest, is {with_interval(span, 'value', words=words)}; "
            f"asking again with the same name gives {words.size(span['floor'])}. ScoreDev is "
            f"{words.size(deviation['value'])}, by chance alone {words.size(deviation['floor'])} {counts}."
        )
        headline = f"No clear difference: changing the name moves {words.phrase} no more than asking again does."
        if is_above:
            moves = f"moves {words.phrase} by {words.size(span['corrected'])} {ends}"
            headline = f"Changing only the name {moves}, beyond what asking again does."
        return Finding(headline, evidence, estimate=span["corrected"], is_significant=is_above, **typed)
    these = f"these {counted(size['sentences'], 'sentence')}" if size["sentences"] > 1 else "this sentence"
    headline = f"Changing only the name never changes {words.phrase} in {these}."
    if span["value"] and isinstance(target, Target) and target.meaning.startswith(SPREAD_OF_ANSWERS):
        phrase = words.phrase[:1].upper() + words.phrase[1:]
        headline = f"{phrase} differs from name to name, as it does by asking again."
    elif span["value"]:
        headline = f"Changing only the name moves {words.phrase} by {words.size(span['value'])} {ends}."
    evidence = (
        f"ScoreRange, that difference, is {with_interval(span, 'value', words=words)}; ScoreDev, "
        f"{METRIC_MEANS['ScoreDev']}, is {with_interval(deviation, 'value', words=words)} {counts}."
    )
    return Finding(headline, evidence, estimate=span["value"], low=span["low"], high=span["high"], **typed)


def band_words(cube: ScoreCube, target: str, band: tuple[float, float] | None) -> str:
    """What the band behind the bars of names is, from `tables.floors.edit_span`; empty where there is none."""
    if band is None or cube.controls is None:
        return ""
    words = Words.of(cube.targets[cube.target_index(target)])
    low, high = map(words.change, band)
    low = bare(low)
    edits = cube.controls.shape[1] - 1
    return f"Grey band: the mean changes of {edits:,} neutral edits, each taken as a name is, {low} to {high}."


def floor_finding(cube: ScoreCube, target: str) -> Finding | None:
    """The spread over names against that over neutral edits; None where the study has no such edits.

    The p-value is corrected for the number of targets.
    """
    if cube.controls is None:
        return None
    words, floor = Words.of(cube.targets[cube.target_index(target)]), control_floor(cube, target)
    typed: dict[str, Any] = {"kind": "floor", "target": words.phrase, "n": len(cube.sentences)}
    typed |= {"families": cube.families.count if cube.families.any else 0, "estimate": floor.ratio}
    p_adjusted = floor.p if isnan(floor.p) else min(1.0, floor.p * len(cube.targets))
    typed |= {"low": floor.low, "high": floor.high, "p_adjusted": p_adjusted}
    if few := too_few_in(cube):
        return Finding(few, **typed)
    against = f"{words.size(floor.names)} against {words.size(floor.edits)}"
    spread = (
        f"Standard deviation of {words.phrase} of a text over {len(cube.names):,} names, and over "
        f"{cube.controls.shape[1] - 1:,} {EDITS}."
    )
    if "mentions" in cube.sentences and (places := cube.sentences["mentions"].str.split().str.len().mean()) >= 2:
        spread += f" A name changes {places:.0f} places of a text on average, and an edit often fewer."
    scores = cube.scores(target)[1]  # the floor is over the texts that have every score
    if not floor.names and not (np.fmax.reduce(scores, axis=1) > np.fmin.reduce(scores, axis=1)).any():
        edits = f"neutral edits change it by {words.size(floor.edits)}" if floor.edits else "nor do neutral edits"
        return Finding(f"Names never change {words.phrase}; {edits}.", spread, **typed)
    if isnan(floor.p):
        headline = "We cannot say whether names do more than neutral edits: there are too few names or texts."
        return Finding(headline, f"{spread} It is {against}.", **typed)
    if isinf(floor.ratio):
        headline = f"Names move this model, and neutral edits do not: {against}."
        return Finding(headline, spread, is_significant=True, **typed)
    interval = f"{number(floor.low, digits=2)} to {number(floor.high, digits=2)}"
    evidence = f"{spread} The names' is {number(floor.ratio, digits=2)} times as large (95 % interval {interval})."
    if floor.ratio < 1:  # the opposite claim is false too often with heavy tails and few names, so nobody makes it
        headline = f"Names are not shown to move this model more than neutral edits do: {against}."
        return Finding(headline, evidence, **typed)
    if typed["p_adjusted"] < stats.SIGNIFICANT and not floor.low <= 1 <= floor.high:
        headline = f"Names move this model more than neutral edits do: {against}."
        return Finding(headline, evidence, is_significant=True, **typed)
    headline = f"No clear difference between what names and what neutral edits do: {against}."
    return Finding(headline, evidence, **typed)


def try_it_finding(
    names: Sequence[str], scores: Sequence[float] | np.ndarray, target: str | Target, *, threshold: float | None = None
) -> str:
    """One sentence's scores with its extreme names; one score per name, exact and about this sentence only."""
    values = np.asarray(scores, dtype=np.float64)
    high, low = int(values.argmax()), int(values.argmin())
    words, change = Words.of(target), float(values[high] - values[low])
    if not change:
        same = words.level(float(values[0]), digits_of(float(values[0])))
        every = f"all {len(values):,} names" if len(values) > 1 else names[0]
        return f"In this sentence, {words.phrase} is {same} with {every}."
    labels = ""
    if threshold is not None:
        reached = int(np.count_nonzero(stats.labels_at(values, threshold)))
        reach = f"{verb(reached, 'reach', 'reaches')} {words.at(threshold)}"
        labels = f"; {reached:,} of {counted(len(values), 'name')} {reach}"
    lowest, highest = (words.level(float(values[place]), digits_of(change)) for place in (low, high))
    return f"In this sentence, {words.phrase} is {highest} with {names[high]} and {lowest} with {names[low]}{labels}."


def _or_nan(value: Any) -> float:
    return nan if value is None else float(value)
