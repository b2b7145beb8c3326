"""What a table says, in one plain sentence with its number and its uncertainty, and no more than it says.

A finding speaks of perturbation sensitivity: what the score does when the name changes. Whether that is bias is for a
person to judge. Names are written as the table has them: a table with obfuscated names gives an obfuscated text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite, log10
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats

SIGNIFICANT = 0.05
FEW_LABELLED, HALF_LABELLED = 0.05, 0.5
CORRECTION_WORDS = {
    "none": "uncorrected",
    "bonferroni": "Bonferroni-corrected",
    "holm": "Holm-corrected",
    "fdr_bh": "Benjamini–Hochberg-corrected",
}


def name_finding(table: pd.DataFrame, target: str, *, baseline: str = "original", correction: str = "holm") -> str:
    """How many names move the score distinguishably, and which one most; `table` as made by `tables.name_table`."""
    sure = table[table["p_adjusted"] < SIGNIFICANT]
    shown = table if sure.empty else sure
    row = shown.loc[shown["score_sens"].abs().idxmax()]
    origin = "the original score" if baseline == "original" else "the typical name"
    furthest = f"the furthest is {row['name']} at {_with_interval(row, 'score_sens', 'ci_low', 'ci_high', signed=True)}"
    if table["p_adjusted"].isna().all():
        return f"With {_counted(row['n'], 'sentence')} nothing can be said about sureness; {furthest} from {origin}."
    test = f"{CORRECTION_WORDS.get(correction, correction)} p < {SIGNIFICANT}, {_counted(row['n'], 'sentence')}"
    return (
        f"{len(sure):,} of {_counted(len(table), 'name')} {_verb(len(sure), 'move')} {target} distinguishably from "
        f"{origin} ({test}); {furthest}."
    )


def equivalence_finding(table: pd.DataFrame, target: str, *, margin: float) -> str:
    """How many names move the score by less than the margin; `table` by `tables.name_test_table` with a margin."""
    shown = int(table["equivalent"].sum())
    if not shown and table["p_equivalence"].isna().all():
        reason = "one sentence cannot show it" if isfinite(table["needed"].iloc[0]) else f"{target} has no range"
        return f"That a name moves {target} by less than ±{margin:g} on average cannot be shown here: {reason}."
    words = (
        f"For {shown:,} of {_counted(len(table), 'name')} the average move of {target} is shown to be less than "
        f"±{margin:g} (equivalence test with room for rare moves not seen yet, p < {SIGNIFICANT})"
    )
    return f"{words}." if shown else f"{words}; it takes at least {_counted(table['needed'].iloc[0], 'sentence')}."


def threshold_finding(table: pd.DataFrame, target: str, *, threshold: float) -> str:
    """What the names do to the labels at (the row nearest to) a threshold; `table` by `tables.label_dist_table`."""
    row = table.loc[(table["threshold"] - threshold).abs().idxmin()]
    return (
        f"At threshold {row['threshold']:g} for {target}, LabelDist is {_with_interval(row, 'label_dist')}: over all "
        f"sentences and names, {_counted(row['flips_up'], 'label')} {_verb(row['flips_up'], 'appear')} and "
        f"{int(row['flips_down']):,} {_verb(row['flips_down'], 'disappear')} when a name takes the anchor's place."
    )


def safest_threshold(table: pd.DataFrame) -> float | None:
    """The threshold where LabelDist is least, among those at which the label still picks something out.

    Where nearly nothing has the label nothing can flip, and where most sentences have it the labelled sets overlap
    whatever the name does; neither is safety. So only thresholds count that give the label to between 5 % and 50 % of
    the original sentences. None when there is no such threshold.
    """
    dividing = _dividing(table)
    return None if dividing.empty else float(dividing.loc[dividing["label_dist"].idxmin(), "threshold"])


def safest_finding(table: pd.DataFrame, target: str) -> str:
    """Where labels depend least on the name; `table` by `tables.label_dist_table`."""
    threshold = safest_threshold(table)
    share = f"between {FEW_LABELLED:.0%} and {HALF_LABELLED:.0%} of the sentences".replace("%", " %")
    if threshold is None:
        return f"No threshold for {target} gives {share} the label, so none can be called safest."
    row = table.loc[(table["threshold"] - threshold).abs().idxmin()]
    most = _dividing(table)["label_dist"].max()
    return (
        f"Among the thresholds for {target} that give {share} the label, labels depend least on the name at "
        f"{threshold:g}: LabelDist {_with_interval(row, 'label_dist')}, against {_number(most)} where they depend most."
    )


def sentence_finding(table: pd.DataFrame, target: str, *, threshold: float) -> str:
    """In how many sentences a label flips, and how wide they are; `table` by `tables.sentence_table`."""
    widest = table.loc[table["score_range"].idxmax()]
    flipped = int((table["flips"] > 0).sum())
    return (
        f"In {flipped:,} of {_counted(len(table), 'sentence')} at least one name changes the label at threshold "
        f"{threshold:g} for {target}; the names of one sentence are {_number(table['score_range'].median())} apart in "
        f"the median and at most {_number(widest['score_range'])} (sentence {widest['sentence_id']})."
    )


def correlation_finding(correlation: Mapping[str, Any], target: str) -> str:
    """Whether sensitive sentences score high or low; `correlation` as in ``summary(…)[target]``."""
    numbers = {key: _or_nan(correlation[key]) for key in ("r", "low", "high")}
    if not isfinite(numbers["r"]):
        return f"Sensitivity and original {target} have no correlation to speak of: one of them does not vary."
    where = f"r = {_with_interval(numbers, 'r', signed=True)}"
    if not (numbers["low"] > 0 or numbers["high"] < 0):
        return (
            f"A sentence's sensitivity has no correlation with its original {target} that can be told from 0: {where}."
        )
    return f"Sentences with a higher original {target} move {'less' if numbers['r'] < 0 else 'more'}: {where}."


def group_finding(table: pd.DataFrame, target: str, *, column: str) -> str:
    """The surest group that differs from the rest, or that there is none; `table` by `tables.group_table`."""
    tested = table[table["p_adjusted"].notna()]
    if tested.empty:
        return f"Nothing can be said about groups by {column}: each has one name only, or there is one sentence."
    sure = tested[(tested["p_adjusted"] < SIGNIFICANT) & tested["above_noise"]]
    shown = tested if sure.empty else sure
    row = shown.loc[shown["difference"].abs().idxmax()]
    signed = ("difference", "difference_low", "difference_high")
    digits = _interval_digits(*(float(row[bound]) for bound in signed))
    noise = " to ".join(_number(row[bound], digits=digits, signed=True) for bound in ("noise_low", "noise_high"))
    differs = f"{_with_interval(row, *signed, signed=True)}"
    drawn = f"groups of that size drawn from these names at random differ by {noise}"
    if sure.empty:
        return (
            f"No group by {column} is shown to differ in {target} from the other names. The largest difference is that "
            f"of {row['group']}, {differs}; {drawn}."
        )
    return f"Names with {column} = {row['group']} differ in {target} from the other names by {differs}; {drawn}."


def corpus_finding(metrics: Mapping[str, Mapping[str, Any]], target: str) -> str:
    """How much scores vary with the name; `metrics` is ``summary(…)[target]``."""
    deviation, extent = (
        {key: _or_nan(value) for key, value in metrics[metric].items()} for metric in ("score_dev", "score_range")
    )
    return (
        f"With another name in it, a sentence's {target} varies by a ScoreDev of {_with_interval(deviation, 'value')}, "
        f"and its highest and lowest name are {_with_interval(extent, 'value')} apart on average "
        f"({_counted(metrics['size']['sentences'], 'sentence')}, {_counted(metrics['size']['names'], 'name')})."
    )


def comparison_finding(table: pd.DataFrame, metric: str) -> str:
    """Which of several studies is most and least sensitive; `table` has ``label, value, low, high``, one row each."""
    ranked = table.sort_values("value", ascending=False, kind="stable")
    most, least = ranked.iloc[0], ranked.iloc[-1]
    if len(ranked) < 2:
        return f"{metric} of {most['label']} is {_with_interval(most, 'value')}."
    overlap = "; their intervals overlap" if most["low"] <= least["high"] else ""
    return (
        f"{metric} is largest for {most['label']}, {_with_interval(most, 'value')}, and smallest for {least['label']}, "
        f"{_with_interval(least, 'value')}{overlap}."
    )


def try_it_finding(
    names: Sequence[str], scores: Sequence[float] | np.ndarray, target: str, *, threshold: float | None = None
) -> str:
    """What one sentence scores with its extreme names; one score per name, exact and about this sentence only."""
    values = np.asarray(scores, dtype=np.float64)
    high, low = int(values.argmax()), int(values.argmin())
    if values[high] == values[low]:
        same = "1 name gets" if len(values) == 1 else f"all {len(values):,} names get"
        return f"In this sentence {same} a {target} of {_number(values[high])}."
    labels = ""
    if threshold is not None:
        reached = int(np.count_nonzero(stats.labels_at(values, threshold)))
        labels = f"; {reached:,} of {_counted(len(values), 'name')} {_verb(reached, 'reach', 'reaches')} {threshold:g}"
    return (
        f"The same sentence scores {_number(values[high])} for {target} with {names[high]} and {_number(values[low])} "
        f"with {names[low]}, a difference of {_number(values[high] - values[low])}{labels}."
    )


def _dividing(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["labelled"].between(FEW_LABELLED, HALF_LABELLED)]


def _with_interval(
    row: Mapping[str, Any] | pd.Series, value: str, low: str = "low", high: str = "high", *, signed: bool = False
) -> str:
    """``0.031 (95 % interval 0.028 to 0.034)``, with the digits that the interval supports; no bounds, no brackets."""
    middle = float(row[value])
    bounds = [float(row[key]) if key in row else float("nan") for key in (low, high)]
    if not all(map(isfinite, bounds)):
        return _number(middle, signed=signed)
    digits = _interval_digits(middle, *bounds)
    texts = [_number(number, digits=digits, signed=signed) for number in (middle, *bounds)]
    return f"{texts[0]} (95 % interval {texts[1]} to {texts[2]})"


def _interval_digits(middle: float, low: float, high: float) -> int:
    return max(_digits(middle), _digits((high - low) / 2))


def _digits(number: float) -> int:
    """Decimals that show the first digit of a small number: at least 2, at most 6."""
    return 2 if number == 0 or not isfinite(number) else min(6, max(2, -floor(log10(abs(number)))))


def _number(number: float, *, digits: int | None = None, signed: bool = False) -> str:
    text = f"{number:{'+' if signed else ''}.{_digits(number) if digits is None else digits}f}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")


def _counted(count: float, noun: str) -> str:
    return f"{int(count):,} {noun}{'' if int(count) == 1 else 's'}"


def _verb(count: float, plural: str, singular: str = "") -> str:
    return (singular or f"{plural}s") if int(count) == 1 else plural


def _or_nan(number: Any) -> float:
    return float("nan") if number is None else float(number)
