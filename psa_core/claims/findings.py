"""Findings from tables: one plain sentence with its number, then its evidence, and no more than the table supports.

A finding speaks of perturbation sensitivity: what the score does when the name changes. Whether that is bias is for a
person to judge. Names are written as the table has them: a table with obfuscated names gives an obfuscated text. That
something differs is claimed exactly where the table marks it, and the largest difference that it marks is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.claims.formatting import Finding, Words, interval_digits, level, number, too_few, with_interval
from psa_core.cube import SPREAD_OF_ANSWERS, Target
from psa_core.inputs.groups import CROSS
from psa_core.plurals import counted, verb
from psa_core.tables.groups import INTERACTION

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
#: What of the names' table, and of the groups' table, is the number of a claim.
NAME, GROUP = ("score_sens", "ci_low", "ci_high"), ("difference", "difference_low", "difference_high")


def name_finding(table: pd.DataFrame, target: str, *, baseline: str = "original", correction: str = "holm") -> Finding:
    """The effect of the significant name that moves the score most; `table` by `tables.name_table`."""
    words = Words.of(target, table)
    significant = table[table["p_adjusted"] < stats.SIGNIFICANT]
    shown = table if significant.empty else significant
    row = shown.loc[shown["score_sens"].abs().idxmax()]
    typed = _typed("names", words, row, *NAME)
    origin = "the original score" if baseline == "original" else "the typical name"
    change = with_interval(row, *NAME, signed=True)
    few = too_few(typed["n"], typed["families"] or None)
    if few or table["p_adjusted"].isna().all():
        few = few or f"{_over(row)} cannot show what a name does to {words.phrase}{_unequal(row)}."
        return Finding(few, f"The furthest from {origin} is {row['name']} at {change}.", **typed)
    means = f", {CORRECTION_MEANS[correction]}" if correction in CORRECTION_MEANS else ""
    evidence = (
        f"Mean change from {origin} over {_over(row)}: {change} for {row['name']}. {len(significant):,} of "
        f"{counted(len(table), 'name')} {verb(len(significant), 'differ')} significantly from it "
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
        f"{words.phrase} by less than ±{margin:g} on average.",
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
        _changed_labels(up, down, cells, level(row["threshold"]), words, floor),
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
    spread = (
        f"These are counted, not estimated. A sentence's highest and lowest name are "
        f"{number(table['score_range'].median())} apart in the median and at most {number(widest['score_range'])} "
        f"(sentence {widest['sentence_id']})."
    )
    typed: dict[str, Any] = {"kind": "sentences", "target": words.phrase, "n": len(table)}
    if "flips_up" not in table:
        return Finding(of_all, spread, estimate=flipped, **typed)
    up, down = int(table["flips_up"].sum()), int(table["flips_down"].sum())
    floor = _flips_by_chance(table.attrs)
    cells = int(table.attrs.get("cells", names * len(table)))
    changed = _changed_labels(up, down, cells, level(threshold), words, floor)
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
        headline = f"The higher {words.phrase} of a sentence, the {way} names change it."
        return Finding(headline, evidence, is_significant=True, **typed)
    bend = {"peak": "rises and falls again", "dip": "falls and rises again"}.get(shape, "goes up and down")
    return Finding(
        f"How much names change a sentence {bend} with {words.phrase}: no simple relation.", evidence, **typed
    )


def group_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """The largest significant group difference, or that there is none; `table` by `tables.group_table`."""
    words, tested = Words.of(target, table), table[table["p_adjusted"].notna()]
    first = _typed("groups", words, table.iloc[0], *GROUP)
    few = too_few(first["n"], first["families"] or None) if "n" in table else ""
    if tested.empty or few:
        lone = (table["names"] == 1).all()
        why = "too few families of sentences" if "families" in table else "one sentence is too few"
        why = "each has a single name" if lone else why
        headline = few if few and not lone else f"Nothing can be said about groups{_by(column)}: {why}."
        return Finding(headline, kind="groups", target=words.phrase, n=first["n"], families=first["families"])
    significant = tested[(tested["p_adjusted"] < stats.SIGNIFICANT) & tested["above_noise"]]
    shown = tested if significant.empty else significant
    row = shown.loc[shown["difference"].abs().idxmax()]
    typed = _typed("groups", words, row, *GROUP)
    digits = interval_digits(*(float(row[bound]) for bound in GROUP))
    noise = " to ".join(number(row[bound], digits=digits, signed=True) for bound in ("noise_low", "noise_high"))
    rest = f"{_without_extreme(row, digits)} Names grouped at random differ by {noise}{_over_sentences(row)}."
    difference = with_interval(row, *GROUP, signed=True)
    against, group = str(table.attrs.get("reference") or ""), crossed(row["group"])
    if significant.empty:
        headline = f"No clear difference between groups{_by(column)} in {words.phrase}."
        of_it = f" from “{crossed(against)}” names" if against else ""
        return Finding(headline, f"The largest difference{of_it} is that of {group}, {difference}.{rest}", **typed)
    effect = float(row["difference"])
    way, others = "higher" if effect > 0 else "lower", f"“{crossed(against)}”" if against else "the other names"
    headline = f"With “{group}” names, {words.phrase} is {words.size(effect)} {way} than with {others}."
    return Finding(headline, f"The difference is {difference}.{rest}", is_significant=True, **typed)


def interaction_finding(table: pd.DataFrame, target: str, *, columns: str) -> Finding:
    """Whether a crossed group differs from what its two groups add up to; `table` by `tables.crossing_table`."""
    words, both = Words.of(target, table), crossed(columns.replace(CROSS, " and "))
    tested = table[(table["part"] == INTERACTION) & table["p_adjusted"].notna()]
    if tested.empty:
        return Finding(f"Whether {both} add up cannot be told: too few names have both.", kind="interaction")
    if few := too_few(int(tested["n"].iloc[0]), int(tested["families"].iloc[0]) if "families" in tested else None):
        return Finding(few, kind="interaction", target=words.phrase)
    significant = tested[(tested["p_adjusted"] < stats.SIGNIFICANT) & tested["above_noise"]]
    shown = tested if significant.empty else significant
    row = shown.loc[shown["difference"].abs().idxmax()]
    typed = _typed("interaction", words, row, *GROUP)
    digits = interval_digits(*(float(row[bound]) for bound in GROUP))
    noise = " to ".join(number(row[bound], digits=digits, signed=True) for bound in ("noise_low", "noise_high"))
    evidence = (
        f"For “{crossed(row['group'])}” names it is {with_interval(row, *GROUP, signed=True)}."
        f"{_without_extreme(row, digits)} Where names differ by their two groups and by chance alone, it is {noise}"
        f"{_over_sentences(row)}."
    )
    if significant.empty:
        return Finding(f"No clear interaction of {both} in {words.phrase}.", evidence, **typed)
    effect = float(row["difference"])
    headline = (
        f"With “{crossed(row['group'])}” names, {words.phrase} is {words.size(effect)} "
        f"{'higher' if effect > 0 else 'lower'} than {both} alone add up to."
    )
    return Finding(headline, evidence, is_significant=True, **typed)


def crossed(group: str) -> str:
    """A crossed group as it is read: *female × black*."""
    return str(group).replace(CROSS, " × ")


def _typed(kind: str, words: Words, row: pd.Series, value: str, low: str, high: str) -> dict[str, Any]:
    """The numbers of a claim, from its row."""
    keys = {"estimate": value, "low": low, "high": high, "p_adjusted": "p_adjusted"}
    found: dict[str, Any] = {name: float(row.get(key, nan)) for name, key in keys.items()}
    return found | {
        "kind": kind,
        "target": words.phrase,
        "n": int(row.get("n", 0)),
        "families": int(row.get("families", 0)),
    }


def _over(row: pd.Series) -> str:
    """The sentences behind a claim, and their number of families, if any."""
    sentences = counted(row["n"], "sentence")
    return f"{sentences} in {row['families']:,} families" if "families" in row else sentences


def _over_sentences(row: pd.Series) -> str:
    return f" ({_over(row)})" if "n" in row else ""


def _unequal(row: pd.Series) -> str:
    return ": the families are too few, or one of them too large" if "families" in row else ""


def _without_extreme(row: pd.Series, digits: int) -> str:
    """The group difference without its most influential name; if under half remains, it is not the group's."""
    left = float(row.get("without_furthest", nan))
    if not isfinite(left):
        return ""
    is_one_name = abs(left) < abs(row["difference"]) / 2 or left * row["difference"] < 0
    words = f" Without the one name that makes most of it, {number(left, digits=digits, signed=True)} is left"
    return f"{words}, so it is not the group's." if is_one_name else f"{words}."


def _by(column: str) -> str:
    """The attribute that defines the groups; empty for a column with a generic name."""
    return "" if column.strip().casefold() in ("group", "groups") else f" by {crossed(column)}"


def corpus_finding(metrics: Mapping[str, Mapping[str, Any]], target: str | Target) -> Finding:
    """How much scores vary with the name; `metrics` is ``summary(…)[target]``."""
    deviation, span = (
        {key: _or_nan(value) for key, value in metrics[metric].items()} for metric in ("score_dev", "score_range")
    )
    words, size = Words.of(target), metrics["size"]
    if "floor" in span:
        return _sampled_corpus_finding(span, deviation, words, size)
    moves = (
        f"moves {words.phrase} by {words.size(span['value'])} on average, from the lowest-scoring name to the highest"
    )
    headline = f"Changing only the name {moves if span['value'] else f'never changes {words.phrase}'}."
    if span["value"] and isinstance(target, Target) and target.meaning.startswith(SPREAD_OF_ANSWERS):
        headline = (
            f"{words.phrase[:1].upper()}{words.phrase[1:]} differs from name to name, as it does by asking again."
        )
    return Finding(
        headline,
        f"ScoreRange, that difference, is {with_interval(span, 'value')}; ScoreDev, {METRIC_MEANS['ScoreDev']}, is "
        f"{with_interval(deviation, 'value')} ({counted(size['sentences'], 'sentence')}, "
        f"{counted(size['names'], 'name')}).",
        kind="corpus",
        target=words.phrase,
        estimate=span["value"],
        low=span["low"],
        high=span["high"],
        n=int(size["sentences"]),
    )


def _sampled_corpus_finding(
    span: Mapping[str, float], deviation: Mapping[str, float], words: Words, size: Mapping[str, int]
) -> Finding:
    """The same of scores that are means of sampled answers: what the name moves beyond asking again."""
    is_above = span["p"] < stats.SIGNIFICANT
    evidence = (
        f"ScoreRange, from the lowest-scoring name to the highest, is {with_interval(span, 'value')}; asking again "
        f"with the same name gives {number(span['floor'])}. ScoreDev is {number(deviation['value'])}, by chance alone "
        f"{number(deviation['floor'])} ({counted(size['sentences'], 'sentence')}, {counted(size['names'], 'name')})."
    )
    headline = f"No clear difference: changing the name moves {words.phrase} no more than asking again does."
    if is_above:
        headline = (
            f"Changing only the name moves {words.phrase} by {words.size(span['corrected'])} on average, from the "
            "lowest-scoring name to the highest, beyond what asking again does."
        )
    return Finding(
        headline,
        evidence,
        kind="corpus",
        target=words.phrase,
        estimate=span["corrected"],
        n=int(size["sentences"]),
        is_significant=is_above,
    )


def try_it_finding(
    names: Sequence[str], scores: Sequence[float] | np.ndarray, target: str | Target, *, threshold: float | None = None
) -> str:
    """One sentence's scores with its extreme names; one score per name, exact and about this sentence only."""
    values = np.asarray(scores, dtype=np.float64)
    high, low = int(values.argmax()), int(values.argmin())
    words, change = Words.of(target), float(values[high] - values[low])
    if not change:
        _, same = words.levels(0.0, float(values[0]))
        every = f"all {len(values):,} names" if len(values) > 1 else names[0]
        return f"In this sentence, {words.phrase} is {same} with {every}."
    labels = ""
    if threshold is not None:
        reached = int(np.count_nonzero(stats.labels_at(values, threshold)))
        reach = f"{verb(reached, 'reach', 'reaches')} {level(threshold)}"
        labels = f"; {reached:,} of {counted(len(values), 'name')} {reach}"
    lowest, highest = words.levels(float(values[low]), change)
    return (
        f"In this sentence, {words.phrase} is {highest} with {names[high]} and {lowest} with {names[low]}, a "
        f"difference of {words.size(change)}{labels}."
    )


def _or_nan(value: Any) -> float:
    return nan if value is None else float(value)
