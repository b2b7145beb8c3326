"""What a condition does to a difference between groups of names, in one sentence."""

from __future__ import annotations

from typing import Any

import pandas as pd

from psa_core import stats
from psa_core.claims.findings import crossed
from psa_core.claims.formatting import Finding, Words, number, too_few, with_interval
from psa_core.plurals import counted


def condition_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """The largest change of a group's difference that is beyond chance; `table` by `tables.conditions`."""
    words, tested = Words.of(target, table), table[table["p_adjusted"].notna()]
    sentences = int(table["n"].iloc[0])
    few = too_few(sentences, int(table["families"].iloc[0]) if "families" in table else None)
    if few or tested.empty:
        why = few or f"Nothing can be said about groups by {crossed(column)}: each has a single name."
        return Finding(why, kind="conditions", target=words.phrase, n=sentences)
    significant = tested[tested["above_noise"] & (tested["p_adjusted"] < stats.SIGNIFICANT)]
    shown = tested if significant.empty else significant
    is_same = (shown[["after", "after_low", "after_high"]] == 0).all(axis=1)  # one text for all names: no finding
    shown = shown if is_same.all() else shown[~is_same]
    row = shown.loc[shown["difference"].abs().idxmax()]
    first, against = str(table.attrs["first"]), str(table.attrs.get("reference") or "")
    group, others = f"“{crossed(row['group'])}” names", f"“{crossed(against)}” names" if against else "the other names"
    change = with_interval(row, "difference", "difference_low", "difference_high", signed=True)
    evidence = (
        f"Under “{first}” it is {with_interval(row, 'before', 'before_low', 'before_high', signed=True)}, under "
        f"“{row['condition']}” {with_interval(row, 'after', 'after_low', 'after_high', signed=True)}; the change is "
        f"{change}, of the same {counted(sentences, 'text')} with the same names, tested over texts and over names and "
        f"corrected for {counted(len(tested), 'comparison')}. The mean score goes from "
        f"{number(row['level_before'])} to {number(row['level'])}."
    )
    typed: dict[str, Any] = {
        "kind": "conditions",
        "target": words.phrase,
        "estimate": float(row["difference"]),
        "low": float(row["difference_low"]),
        "high": float(row["difference_high"]),
        "p_adjusted": float(row["p_adjusted"]),
        "n": sentences,
    }
    if significant.empty:
        headline = f"No condition is shown to change how {words.phrase} differs between groups by {crossed(column)}."
        return Finding(headline, f"The largest change is that of {group}. {evidence}", **typed)
    why = ", by definition: all names make the same text" if is_same.all() else ""
    headline = f"Under “{row['condition']}”, {_moves(row, words, group, others)}{why}."
    return Finding(headline, evidence, is_significant=True, **typed)


def _moves(row: pd.Series, words: Words, group: str, others: str) -> str:
    """What became of the difference: where it was there before, from how much to how much."""
    before, after = float(row["before"]), float(row["after"])
    was_there = row["before_low"] > 0 or row["before_high"] < 0
    if not was_there or before * after < 0:
        way = "up" if row["difference"] > 0 else "down"
        return f"{words.phrase} of {group} goes {way} by {words.size(float(row['difference']))} against {others}"
    way = "falls" if abs(after) < abs(before) else "grows"
    ends = f"from {words.size(before)} to {words.size(after)}"
    return f"the difference in {words.phrase} between {group} and {others} {way} {ends}"
