"""Groups of names: how they differ, alone, crossed and under conditions, and how often each is selected."""

from __future__ import annotations

from math import isfinite, nan

import pandas as pd

from psa_core import stats
from psa_core.claims.formatting import (
    Finding,
    Words,
    about,
    bare,
    interval_digits,
    number,
    over,
    too_few_rows,
    with_interval,
)
from psa_core.inputs.groups import CROSS
from psa_core.plurals import counted
from psa_core.tables.groups import INTERACTION

#: What of a table of groups is the number of a claim.
DIFFERENCE = ("difference", "difference_low", "difference_high")
FOUR_FIFTHS = 0.8
#: What a study of selection rates is, and what it is not; on the page and in the report.
ABOUT_SELECTION = (
    "The texts behind two groups are identical but for the name. The impact ratio is a group's selection rate over the "
    "highest group's. Local Law 144 of New York City has such ratios "
    "published and sets no limit; 0.8 is the four-fifths rule of thumb of the EEOC (29 CFR 1607.4 D). These are test "
    "data with names put in: they are no bias audit under that law, and say nothing of real applicants."
)


def crossed(group: str) -> str:
    """A crossed group as it is read: *female × black*."""
    return str(group).replace(CROSS, " × ")


def group_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """The largest significant group difference, or that there is none; `table` by `tables.group_table`."""
    words, tested = Words.of(target, table), table[table["p_adjusted"].notna()]
    few, is_generic = too_few_rows(table), column.strip().casefold() in ("group", "groups")
    by = "" if is_generic else f" by {crossed(column)}"
    if tested.empty or few:
        lone = (table["names"] == 1).all()
        why = "too few families of sentences" if "families" in table else "one sentence is too few"
        headline = f"Nothing can be said about groups{by}: {'each has a single name' if lone else why}."
        return Finding(few if few and not lone else headline, **about("groups", words, table.iloc[0]))
    row, is_significant = _largest(tested)
    typed = about("groups", words, row, *DIFFERENCE)
    digits, noise = _random_groups(row, words)
    rest = f"{_without_extreme(row, digits, words)} Names grouped at random differ by {noise}."
    difference = with_interval(row, *DIFFERENCE, signed=True, words=words)
    against, group = str(table.attrs.get("reference") or ""), crossed(row["group"])
    if not is_significant:
        headline = f"No clear difference between groups{by} in {words.phrase}."
        if not tested["difference"].any():
            return Finding(headline, f"The mean is the same for all groups, over {over(row)}.", **typed)
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
    if few := too_few_rows(tested):
        return Finding(few, **about("interaction", words, tested.iloc[0]))
    row, is_significant = _largest(tested)
    digits, noise = _random_groups(row, words)
    evidence = (
        f"For “{crossed(row['group'])}” names it is {with_interval(row, *DIFFERENCE, signed=True, words=words)}."
        f"{_without_extreme(row, digits, words)} Where names differ by their two groups and by chance alone, it is "
        f"{noise}."
    )
    way, size = "higher" if row["difference"] > 0 else "lower", words.size(float(row["difference"]))
    headline = f"No clear interaction of {both} in {words.phrase}."
    if is_significant:
        headline = f"With “{crossed(row['group'])}” names, {words.phrase} is {size} {way} than {both} alone add up to."
    typed = about("interaction", words, row, *DIFFERENCE)
    return Finding(headline, evidence, is_significant=is_significant, **typed)


def condition_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """The largest change of a group's difference that is beyond chance; `table` by `tables.condition_table`."""
    words, tested = Words.of(target, table), table[table["p_adjusted"].notna()]
    few = too_few_rows(table)
    if few or tested.empty:
        why = few or f"Nothing can be said about groups by {crossed(column)}: each has a single name."
        return Finding(why, **about("conditions", words, table.iloc[0]))
    shown, is_significant = _shown(tested)
    is_same = (shown[["after", "after_low", "after_high"]] == 0).all(axis=1)  # one text for all names: no finding
    row = _furthest(shown if is_same.all() else shown[~is_same])
    first, against = str(table.attrs["first"]), str(table.attrs.get("reference") or "")
    group, others = f"“{crossed(row['group'])}” names", f"“{crossed(against)}” names" if against else "the other names"
    columns = (("before", "before_low", "before_high"), ("after", "after_low", "after_high"), DIFFERENCE)
    was, under, change = (with_interval(row, *column, signed=True, words=words) for column in columns)
    level_before, level = words.levels(row["level_before"], row["level"] - row["level_before"])
    evidence = (
        f"Under “{first}” it is {was}, under “{row['condition']}” {under}; the change is {change}, of the same "
        f"{counted(row['n'], 'text')} with the same names, tested over texts and over names and corrected for "
        f"{counted(len(tested), 'comparison')}. The mean score goes from {level_before} to {level}."
    )
    typed = about("conditions", words, row, *DIFFERENCE)
    if not is_significant:
        headline = f"No condition is shown to change how {words.phrase} differs between groups by {crossed(column)}."
        return Finding(headline, f"The largest change is that of {group}. {evidence}", **typed)
    before, after = float(row["before"]), float(row["after"])
    was_there = row["before_low"] > 0 or row["before_high"] < 0
    if was_there and before * after >= 0:
        way = "falls" if abs(after) < abs(before) else "grows"
        ends = f"from {words.size(before)} to {words.size(after)}"
        change = f"the difference in {words.phrase} between {group} and {others} {way} {ends}"
    else:
        way, size = "up" if row["difference"] > 0 else "down", words.size(float(row["difference"]))
        change = f"{words.phrase} of {group} goes {way} by {size} against {others}"
    why = ", by definition: all names make the same text" if is_same.all() else ""
    return Finding(f"Under “{row['condition']}”, {change}{why}.", evidence, is_significant=True, **typed)


def selection_finding(table: pd.DataFrame, target: str, *, column: str) -> Finding:
    """Whom the model selects less often, of 100 identical texts; `table` by `tables.selection_table`."""
    words, by = Words.of(target, table), crossed(column)
    sized, nothing = table[table["names"] > 1], about("selection", words, table.iloc[0])
    if len(sized) < 2:
        return Finding(f"Nothing can be said about groups by {by}: each has a single name.", **nothing)
    if few := too_few_rows(table):
        return Finding(few, **nothing)
    if not sized["rate"].max() > 0:
        return Finding(f"No text is selected by {words.phrase}, with any name.", **nothing)
    best = sized.loc[sized["rate"].idxmax()]
    lower = sized[sized["is_lower"]]
    row = (sized if lower.empty else lower).sort_values("rate", kind="stable").iloc[0]
    typed = about("selection", words, row, "impact_ratio", "low", "high")
    for digits in (0, 1, 2):  # decimals only where the two shares would look alike without
        first, last = (number(100 * float(each["rate"]), digits=digits) for each in (best, row))
        if first != last:
            break
    with_best, with_row = (f"with “{crossed(each['group'])}” names" for each in (best, row))
    sizes = f"{counted(row['n'], 'text')}, {row['names']:,} and {best['names']:,} names"
    ratio = f"The impact ratio is {with_interval(row, 'impact_ratio')} ({sizes})."
    if lower.empty:
        if float(row["rate"]) == float(best["rate"]):
            often = f"{number(100 * float(row['rate']), digits=0)} of 100"
            return Finding(f"Groups by {by} are selected equally often, {often}.", ratio, **typed)
        headline = f"No clear difference in how often groups by {by} are selected."
        shares = f"Of 100 identical texts, {first} {with_best} and {last} {with_row}."
        return Finding(headline, f"{shares} {ratio}", **typed)
    below = float(row["impact_ratio"]) < FOUR_FIFTHS
    rule = f"That is {'below' if below else 'not below'} 0.8, the EEOC's four-fifths rule of thumb."
    headline = f"Of 100 identical texts, {first} are selected {with_best} and {last} {with_row}."
    return Finding(headline, f"{ratio} {rule}", is_significant=True, **typed)


def _shown(tested: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """The rows that are beyond chance by both tests; all of them, and False, where none is."""
    significant = tested[(tested["p_adjusted"] < stats.SIGNIFICANT) & tested["above_noise"]]
    return (tested, False) if significant.empty else (significant, True)


def _furthest(rows: pd.DataFrame) -> pd.Series:
    return rows.loc[rows["difference"].abs().idxmax()]


def _largest(tested: pd.DataFrame) -> tuple[pd.Series, bool]:
    """The largest difference that is beyond chance, or the largest of all."""
    shown, is_significant = _shown(tested)
    return _furthest(shown), is_significant


def _random_groups(row: pd.Series, words: Words) -> tuple[int, str]:
    """Decimals of a difference, and what chance alone makes of it."""
    digits = interval_digits(*(float(row[bound]) for bound in DIFFERENCE))
    low, high = (words.change(row[bound], digits=digits) for bound in ("noise_low", "noise_high"))
    noise = f"{bare(low)} to {high}"
    return digits, noise + (f" ({over(row)})" if "n" in row else "")


def _without_extreme(row: pd.Series, digits: int, words: Words) -> str:
    """The group difference without its most influential name; if under half remains, it is one name's."""
    left = float(row.get("without_furthest", nan))
    if not isfinite(left):
        return ""
    is_one_name = abs(left) < abs(row["difference"]) / 2 or left * row["difference"] < 0
    size = words.change(left, digits=digits)
    rest = f" Without the one name that makes most of it, {size} {'are' if size.endswith('s') else 'is'} left"
    return f"{rest}: it is one name's difference, not the group's." if is_one_name else f"{rest}."
