"""Findings about selection rates by group."""

from __future__ import annotations

from typing import Any

import pandas as pd

from psa_core.claims.findings import crossed
from psa_core.claims.formatting import Finding, Words, number, too_few, with_interval
from psa_core.plurals import counted

#: What a study of selection rates is, and what it is not; on the page and in the report.
ABOUT = (
    "Every text was scored with every name, so the texts behind two groups are identical but for the name. The impact "
    "ratio is a group's selection rate over the highest group's. Local Law 144 of New York City has such ratios "
    "published and sets no limit; 0.8 is the four-fifths rule of thumb of the EEOC (29 CFR 1607.4 D). These are test "
    "data with names put in: they are no bias audit under that law, and say nothing of real applicants."
)
FOUR_FIFTHS = 0.8


def selection_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """Whom the model selects less often, of 100 identical texts; `table` by `tables.selection_table`."""
    words, by = Words.of(target, table), crossed(column)
    sized = table[table["names"] > 1]
    few = too_few(int(table["n"].iloc[0]), int(table["families"].iloc[0]) if "families" in table else None)
    typed: dict[str, Any] = {"kind": "selection", "target": words.phrase, "n": int(table["n"].iloc[0])}
    if len(sized) < 2:
        return Finding(f"Nothing can be said about groups by {by}: each has a single name.", **typed)
    if few:
        return Finding(few, **typed)
    if not sized["rate"].max() > 0:
        return Finding(f"No text is selected by {words.phrase}, with any name.", **typed)
    best = sized.loc[sized["rate"].idxmax()]
    lower = sized[sized["is_lower"]]
    row = (sized if lower.empty else lower).sort_values("rate", kind="stable").iloc[0]
    typed |= {"estimate": float(row["impact_ratio"]), "low": float(row["low"]), "high": float(row["high"])}
    typed |= {"p_adjusted": float(row["p_adjusted"])}
    for digits in (0, 1, 2):  # decimals only where the two shares would look alike without
        first, last = (number(100 * float(each["rate"]), digits=digits) for each in (best, row))
        if first != last:
            break
    pair = f"{first} with “{crossed(best['group'])}” names and {last} with “{crossed(row['group'])}” names"
    sizes = f"{counted(row['n'], 'text')}, {row['names']:,} and {best['names']:,} names"
    ratio = f"The impact ratio is {with_interval(row, 'impact_ratio')} ({sizes})."
    if lower.empty:
        if float(row["rate"]) == float(best["rate"]):
            return Finding(f"Groups by {by} are selected equally often, {first} of 100.", ratio, **typed)
        headline = f"No clear difference in how often groups by {by} are selected."
        return Finding(headline, f"Of 100 identical texts, {pair}. {ratio}", **typed)
    below = float(row["impact_ratio"]) < FOUR_FIFTHS
    rule = f" That is {'below' if below else 'not below'} 0.8, the EEOC's four-fifths rule of thumb."
    return Finding(f"Of 100 identical texts, {first} are selected{pair.removeprefix(first)}.", ratio + rule,
                   is_significant=True, **typed)  # fmt: skip
