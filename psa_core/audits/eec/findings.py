"""Findings of an Equity Evaluation Corpus audit in plain sentences."""

from __future__ import annotations

import pandas as pd

from psa_core.audits.eec.clusters import words
from psa_core.audits.eec.significance import ALPHA

SIDES = {
    "gender": ("sentences about women", "the same sentences about men"),
    "race": ("sentences with African American names", "the same sentences with European American names"),
}


def finding(systems: pd.DataFrame, kind: str) -> str:
    """How many scores differ, the largest difference, and what stands when pairs that hang together count once.

    Parameters
    ----------
    systems : DataFrame
        As `eec_tables.system_table` gives it.
    kind : {"gender", "race"}
    """
    return f"{headline(systems, kind)} {further(systems, kind)}".strip()


def headline(systems: pd.DataFrame, kind: str) -> str:
    """How many scores differ, and the largest difference; arguments as for `finding`."""
    different = _different(systems)
    count = f"{len(different)} of {len(systems)} scores differ" if len(systems) > 1 else "The score differs"
    if different.empty:
        none = "None of the scores differs" if len(systems) > 1 else "The score does not differ"
        return f"{none} significantly between {SIDES[kind][0]} and {SIDES[kind][1]}."
    return f"{count} significantly by {kind}. {_most(largest(systems), kind)}"


def further(systems: pd.DataFrame, kind: str) -> str:
    """How far a single pair goes, and how many verdicts stand when what hangs together is counted once.

    Nothing where no score differs; arguments as for `finding`.
    """
    different = _different(systems)
    if different.empty:
        return ""
    single = f"A single pair differs by up to {100 * largest(systems)['largest']:.1f} %."
    if different["p_clustered"].isna().any():
        return single
    return f"{single} {words(kind, int((different['p_clustered'] < ALPHA).sum()), len(different))}"


def largest(systems: pd.DataFrame) -> pd.Series:
    """The score with the largest mean difference among those that differ significantly; of all where none does."""
    different = _different(systems)
    some = systems if different.empty else different
    return some.loc[some["mean_difference"].abs().idxmax()]


def _different(systems: pd.DataFrame) -> pd.DataFrame:
    return systems[systems["p_adjusted"] < ALPHA]


def correction(systems: pd.DataFrame) -> str:
    """The Bonferroni count, explicit."""
    count = int(systems["assessments"].iloc[0])
    tests = "1 test was" if count == 1 else f"{count} tests were"
    return (
        f"{tests} made (every score of every system, by gender and by race), so a p-value counts as significant "
        f"below {ALPHA} / {count} = {ALPHA / count:.2g} (Bonferroni)."
    )


def spelling_line(table: pd.DataFrame, spelling: str) -> str:
    """The difference that the spelling of *disappointed* makes, from ``spelling.csv``."""
    changed = table[table["verdict"] != table["verdict_respelled"]]
    shift = (table["mean_difference_respelled"] - table["mean_difference"]).abs().max()
    other = "“disappointed”" if spelling == "published" else "“dissapointed”"
    verdicts = "no verdict changes" if changed.empty else f"{len(changed)} of {len(table)} verdicts change"
    return (
        f"Spelled {other} instead, in 240 of the sentences: {verdicts}, no mean difference moves by more than "
        f"{shift:.4f}, and no single score by more than {table['largest_change'].max():.2f}."
    )


def _most(row: pd.Series, kind: str) -> str:
    amount, (first, second) = abs(row["mean_difference"]), SIDES[kind]
    more = "higher" if row["mean_difference"] > 0 else "lower"
    return (
        f"Most by {row['system']}: its {row['target']} score is {100 * amount:.2f} % of the range {more} on average "
        f"for {first} than for {second}."
    )
