"""What an Equity Evaluation Corpus audit says: findings, which say what `system_table` marks, and ``report.html``."""

from __future__ import annotations

import pandas as pd

from psa_core import models
from psa_core.audits.eec import tables
from psa_core.audits.eec.result import EquityResult
from psa_core.audits.eec.tables import ALPHA, VERDICTS
from psa_core.claims.formatting import Finding, number
from psa_core.plurals import counted, verb
from psa_core.report.page import Html, Report, section

SIDES = {
    "gender": ("sentences about women", "the same sentences about men"),
    "race": ("sentences with African American names", "the same sentences with European American names"),
}
LIMITS = (
    "This is perturbation sensitivity: what a score does when the person in a sentence changes. Whether a difference "
    "is a defect, a person has to judge.",
    "The sentences are made from few templates and say little about other kinds of text.",
)


def finding(systems: pd.DataFrame, kind: str) -> Finding:
    """How many scores of a `tables.system_table` differ, which most, how surely, and what the paper's test says."""
    return Finding(headline(systems, kind), f"{further(systems, kind)} {correction(systems)}")


def headline(systems: pd.DataFrame, kind: str) -> str:
    """How many scores differ by the verdict of the table, and the largest difference."""
    first, second = SIDES[kind]
    found, several = differing(systems, kind), len(systems) > 1
    if found.empty:
        none = "none of the scores differs" if several else "the score does not differ"
        return f"No clear difference: {none} significantly between {first} and {second}."
    count = f"{len(found)} of {len(systems)} scores {verb(len(found), 'differ')}" if several else "The score differs"
    top = largest(systems, kind)
    more = "higher" if top["mean_difference"] > 0 else "lower"
    ends = ""
    if pd.notna(top["low"]):
        low, high = sorted(100 * abs(top[end]) for end in ("low", "high"))
        ends = f" (95 % interval {low:.2f} to {high:.2f})"
    return (
        f"{count} significantly by {kind}. {'Most by ' if several else 'By '}{models.titled(str(top['system']))}: its "
        f"{top['target']} score is {100 * abs(top['mean_difference']):.2f} % of the range{ends} {more} on average "
        f"for {first} than for {second}."
    )


def further(systems: pd.DataFrame, kind: str) -> str:
    """What the verdicts rest on, and the paper's own count, which takes dependent pairs for independent."""
    top = largest(systems, kind)
    pairs = f"{counted(int(top['pairs']), 'pair')} of sentences"
    if systems["p_clustered"].isna().any():
        few = "One template, or one person on each side, is too little for a verdict"
        return f"{few}; the paper's test of {pairs} takes pairs for independent."
    people = counted(int(top["clusters"]), "pair" if kind == "gender" and top["clusters"] < top["pairs"] else "person")
    people = people.replace("pairs", "pairs of people").replace("persons", "people")
    paper = int((systems["p_adjusted"] < ALPHA).sum())
    return (
        f"Sentences from one template are not independent, so each of {counted(int(top['templates']), 'template')} and "
        f"{people} counts once. The paper's test, over {pairs}, finds a difference in {paper} of {len(systems)}."
    )


def differing(systems: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The scores that the table marks as different."""
    return systems[systems["verdict"] != VERDICTS[kind][0]]


def largest(systems: pd.DataFrame, kind: str) -> pd.Series:
    """The score with the largest mean difference among those that differ significantly; of all where none does."""
    found = differing(systems, kind)
    some = systems if found.empty else found
    return some.loc[some["mean_difference"].abs().idxmax()]


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
    means = "the mean differences stay as they are to four decimals"
    if shift >= 0.00005:
        means = f"no mean difference moves by more than {shift:.4f}"
    return (
        f"Spelled {other} instead, in 240 of the sentences: {verdicts}, {means}, and no single score moves by more "
        f"than {table['largest_change'].max():.2f}."
    )


def report(result: EquityResult) -> Report:
    """``report.html``: the verdicts by gender and by race."""
    kinds = {kind: tables.system_table(result.assessed, kind, tables.ALL) for kind in result.design.comparisons}
    found = [finding(table, kind) for kind, table in kinds.items()]
    if result.respelled:
        found.append(Finding(spelling_line(result.spelling_table, result.spelling)))
    rows, people = len(result.design.rows), len(result.design.people)
    return Report(
        title=f"Equity Evaluation Corpus: {', '.join(map(models.titled, result.systems))}",
        findings=found,
        method=[
            f"{counted(rows, 'template')} with a word each × {people:,} people, spelled as "
            f"{result.spelling} (Kiritchenko and Mohammad 2018).",
            "Paired t-tests of the difference between two sentences that differ in the person alone, over all pairs as "
            "in the paper, and with each template, and each pair of people or person, counted once: a verdict needs "
            "both.",
        ],
        body=[_verdicts(kind, table) for kind, table in kinds.items()],
        limits=LIMITS,
    )


def _verdicts(kind: str, systems: pd.DataFrame) -> Html:
    mean, low, high = (
        ["" if pd.isna(value) else number(100 * value, digits=2, signed=True) for value in systems[name]]
        for name in ("mean_difference", "low", "high")
    )
    shown = pd.DataFrame(
        {
            "System": systems["system"].map(models.titled),
            "Score": systems["target"],
            "Verdict": systems["verdict"],
            "Mean Δ, % of the range": mean,
            "95 % interval": [" to ".join(filter(None, ends)) for ends in zip(low, high, strict=True)],
            "Δ-spread, %": [f"{100 * value:.2f}" for value in systems["spread"]],
            "p, counted once": systems["p_clustered"].astype(float),
            "p, the paper's": systems["p_adjusted"],
        }
    )
    return section(f"By {kind}", shown)
