"""Findings about several studies or other sentences: which is more name-sensitive, what changed, what repeats."""

from __future__ import annotations

from functools import partial
from math import isfinite, isinf, isnan
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import studentized_range

from psa_core import stats
from psa_core.claims.findings import METRIC_MEANS
from psa_core.claims.formatting import Finding, number, too_few, with_interval
from psa_core.plurals import counted
from psa_core.stats.reliability import TOP_DRAWS
from psa_core.tables.pairs import Agreement, Replicability

MIN_P = 0.001
#: Standard errors from a value to the end of its 95 % interval.
TO_95 = 1.96
TINY = 1e-12
_number = partial(number, digits=2)
#: A rank correlation of at least so much, in a word or two.
LIKENESS = {0.95: "nearly the same", 0.8: "a similar", 0.5: "a roughly similar"}
#: The largest share that is shown as a number.
MOST_SHOWN = 0.99
INDISTINGUISHABLE = "the top name ties with another, however many sentences there are"


def comparison_finding(table: pd.DataFrame, metric: str) -> Finding:
    """Which of several studies is most and least sensitive, by one row a study: ``label, value, low, high``.

    A column ``cells`` is equal where sentences and names are.
    """
    ranked = table.sort_values("value", ascending=False, kind="stable")
    most, least = ranked.iloc[0], ranked.iloc[-1]
    means = next((f" {term} is {words}." for term, words in METRIC_MEANS.items() if metric.startswith(term)), "")
    if len(ranked) < 2:
        return Finding(
            "There is one study here. Add another to compare them.",
            f"{metric} of {most['label']} is {with_interval(most, 'value')}.{means}",
            kind="comparison",
        )
    is_apart = bool(most["low"] > least["high"])
    is_clear = is_apart and _range_p(most, least, len(ranked)) < stats.SIGNIFICANT
    of_so_many = f"; of {len(ranked)} studies, two may be this far apart by chance"
    overlap = "" if is_clear else of_so_many if is_apart else "; their intervals overlap"
    evidence = (
        f"{metric} is largest for {most['label']}, {with_interval(most, 'value')}, and smallest for {least['label']}, "
        f"{with_interval(least, 'value')}{overlap}.{means}"
    )
    headline = "We see no clear difference between the models."
    if is_clear:
        elsewhere = ", but on other names or sentences" if "cells" in ranked and most["cells"] != least["cells"] else ""
        headline = f"{most['label']} is more name-sensitive than {least['label']}{elsewhere}."
    return Finding(headline, evidence, kind="comparison", is_significant=is_clear)


def _range_p(most: pd.Series, least: pd.Series, studies: int) -> float:
    """How often the largest and smallest of so many equal values are as far apart by chance (Tukey's range test)."""
    errors = [(most["value"] - most["low"]) / TO_95, (least["high"] - least["value"]) / TO_95]
    apart = (most["value"] - least["value"]) / max(float(np.sqrt(np.mean(np.square(errors)))), TINY)
    return float(studentized_range.sf(apart, studies, np.inf))


def difference_finding(row: pd.Series, metric: str, titles: tuple[str, str]) -> Finding:
    """Which of two studies is more sensitive on the same cells; `row` of `pairs.metric_differences`."""
    both = f"{metric} is {number(row['first'])} for {titles[0]} and {number(row['second'])} for {titles[1]}"
    sentences = counted(row["sentences"], "shared sentence")
    typed = {"kind": "comparison", "estimate": row["difference"], "low": row["low"], "high": row["high"]}
    typed |= {"p_adjusted": float(row["p_adjusted"]), "n": int(row["sentences"])}
    if pd.isna(row["p_adjusted"]) or too_few(int(row["sentences"])):
        few = f"{both}; {sentences} are too few for a test, or too few of them are flagged."
        return Finding("There is too little in common to tell which is more name-sensitive.", few, **typed)
    p = f"p < {MIN_P:g}" if row["p_adjusted"] < MIN_P else f"p = {row['p_adjusted']:.2g}"
    found = with_interval(row, "difference", signed=True)
    evidence = f"{both}; difference {found}, by a paired test over {sentences} ({p}, corrected for three metrics)."
    if row["p_adjusted"] >= stats.SIGNIFICANT:
        headline = "We see no clear difference between the two models on the same sentences and names."
        return Finding(headline, evidence, **typed)
    more, less = titles if row["difference"] > 0 else titles[::-1]
    headline = f"On the same sentences and names {more} is more name-sensitive than {less}."
    return Finding(headline, evidence, is_significant=True, **typed)


def change_finding(table: pd.DataFrame, limit: float) -> Finding:
    """How many names' effects grew by more than a limit since an earlier result; `table` by `tables.change_table`."""
    above, changed = int(table["above"].sum()), int((table["p_change"] < stats.SIGNIFICANT).sum())
    if table["p_above"].isna().all():
        few = "One sentence, or too few families of sentences, cannot tell a change from chance."
        return Finding(few, kind="changes")
    names = counted(len(table), "name")
    grown = f"Effects of {above:,} of {names} are shown to have grown by more than {limit:g}"
    headline = f"{grown}; {changed:,} changed significantly."
    tests = f"Paired tests over sentences, corrected, p < {stats.SIGNIFICANT}."
    return Finding(headline, tests, kind="changes", estimate=above, is_significant=above + changed > 0)


def replicability_finding(replicability: Replicability, target: str) -> Finding:
    """Would other sentences rank the names alike, and how many are needed for a stable top?"""
    value, low, high = replicability.reliability
    few = too_few(replicability.sentences, replicability.families)
    of: dict[str, Any] = {"kind": "ranking", "n": replicability.sentences, "families": replicability.families or 0}
    if isnan(value):
        why = f"there are too few sentences or names, or {target} never differs between names"
        headline = few or f"We cannot say whether the ranking of names is reliable: {why}."
        return Finding(headline, **of)
    evidence = (
        f"Reliability {_number(value)} (95 % interval {_number(low)} to {_number(high)}): the rank correlation with "
        "the ranking by other sentences, estimated from split halves (Spearman–Brown); 0 is chance, 1 the same "
        "ranking."
    )
    typed = of | {"estimate": value, "low": low, "high": high}
    if few:
        return Finding(few, evidence, **typed)
    others = f"With {replicability.sentences:,} other sentences of this kind you"
    if low <= 0:
        return Finding(f"{others} may well see another ranking of the names.", evidence, **typed)
    likeness = next((words for least, words in LIKENESS.items() if value >= least), "a partly similar")
    top = _top(replicability)
    if isfinite(replicability.stability.sentences):
        evidence += f" How much of the top is the same: mean over {TOP_DRAWS} simulated pairs of studies of this size."
    if "sentences are needed" in top:
        evidence += " The number of sentences needed is a rough estimate."
    headline = f"{others} would see {likeness} ranking of the names: {top}."
    return Finding(headline, evidence, is_significant=True, **typed)


def _top(replicability: Replicability) -> str:
    top, share, needed = replicability.stability
    if isinf(needed):
        return f"some of the top {top} names tie, however many sentences there are" if top > 1 else INDISTINGUISHABLE
    # No simulation shows that it is always so.
    often = "over 99 %" if share > MOST_SHOWN else f"{100 * share:.0f} %"
    now = (
        f"on average {often} of the top {top} names are the same"
        if top > 1
        else f"the same top name in {often} of cases"
    )
    if needed <= replicability.sentences:
        return now
    rough = float(f"{needed:.0e}")  # to one digit: it is a rough estimate
    return f"{now}; about {rough:,.0f} sentences are needed for 90 %"


def agreement_finding(agreement: Agreement) -> Finding:
    """Whether two studies rank the names alike."""
    order = agreement.order
    names = f"{counted(agreement.names, 'name')} in common"
    if order.reason:
        return Finding(f"With {names}, their rankings cannot be compared: {order.reason}.")
    is_significant = agreement.is_reliable and order.p < stats.SIGNIFICANT and (order.low > 0 or order.high < 0)
    words = ("similarly" if order.r > 0 else "in opposite order") if is_significant else "with no clear agreement"
    interval = (
        f"95 % interval over names {_number(order.low)} to {_number(order.high)}, " if isfinite(order.low) else ""
    )
    return Finding(
        f"The two studies rank the {names} {words}: rank correlation {_number(order.r)}.",
        f"{interval}p = {order.p:.2g}."
        + ("" if agreement.is_reliable else " The ranking of at least one of them may be chance."),
        kind="ranking",
        estimate=order.r,
        low=order.low,
        high=order.high,
        p_adjusted=order.p,
        is_significant=bool(is_significant),
    )


def effects_finding(r: stats.Correlation, *, sentences: int, names: int) -> str:
    """How the names' effects in two studies correlate; `r` is Pearson's, over the names in common."""
    common = f"With {counted(sentences, 'sentence')} and {counted(names, 'name')} in common"
    if r.reason:
        return f"{common}, no correlation can be computed: {r.reason}."
    value, low, high = (number(bound, digits=2, signed=True) for bound in (r.r, r.low, r.high))
    bounds = f" (95 % interval {low} to {high})" if isfinite(r.low) else ""
    return f"{common}, the two studies' effects of names correlate with r = {value}{bounds}."
