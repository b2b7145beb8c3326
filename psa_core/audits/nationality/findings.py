"""Findings of a nationality audit in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from psa_core.audits.nationality.tables import OVERALL
from psa_core.plurals import counted, verb

#: In a smaller class a single sentence is more than ten percent.
MIN_COUNT = 10


def finding(countries: pd.DataFrame) -> str:
    """The largest change of a predicted class, and between which countries that class differs most.

    Parameters
    ----------
    countries : DataFrame
        As `nationality_tables.country_table` gives it.
    """
    changing = countries.dropna(subset=["change_percent"])
    top = largest(countries)
    if top["change_percent"] == 0:
        return "No predicted class changes its size with the country of the names."
    same = changing[changing["target"] == top["target"]]
    low, high = same.loc[same["change_percent"].idxmin()], same.loc[same["change_percent"].idxmax()]
    words = (
        f"With names from {top['country']}, {_percent(top['change_percent'])} sentences are predicted as "
        f"{top['target']} ({_count(top['perturbed_count'])} instead of {_count(top['original_count'])})."
    )
    if len(same) < 2:
        return words
    runs = [_minus(f"{row['change_percent']:+.1f} %") for row in (low, high)]
    return (
        f"{words} Between countries, “{top['target']}” runs from {runs[0]} ({low['country']}) to {runs[1]} "
        f"({high['country']})."
    )


def largest(countries: pd.DataFrame) -> pd.Series:
    """The row whose class changes most, in percent of its original size; of large enough classes if there are any.

    Some class is always predicted for the original sentences, so there is such a row.
    """
    changing = countries.dropna(subset=["change_percent"])
    large = changing[changing["original_count"] >= MIN_COUNT]
    named = changing if large.empty else large
    return named.loc[named["change_percent"].abs().idxmax()]


def score_finding(countries: pd.DataFrame, targets: Sequence[str]) -> str:
    """The countries whose names move a score most to either side; of several targets, that which moves most."""
    moved = countries[countries["target"].isin(targets)].dropna(subset=["delta"])
    spans = moved.groupby("target", sort=False)["delta"].agg(lambda delta: delta.max() - delta.min())
    target = spans.idxmax()
    moved = moved[moved["target"] == target]
    low, high = moved.loc[moved["delta"].idxmin()], moved.loc[moved["delta"].idxmax()]
    if low["delta"] == high["delta"]:
        return f"The mean {target} score moves by {_signed(low)}, whatever the country."
    return (
        f"The mean {target} score moves by {_signed(low)} with names from {low['country']} and by {_signed(high)} "
        f"with names from {high['country']}."
    )


def correlation_finding(correlations: pd.DataFrame) -> str:
    """The strongest overall correlation with perplexity, global and local."""
    overall = correlations[correlations["country"] == OVERALL]
    parts = []
    for column, words in (("local_r", "within one sentence"), ("global_r", "across all texts")):
        known = overall.dropna(subset=[column])
        if len(known):
            top = known.loc[known[column].abs().idxmax()]
            r = _minus(f"{top[column]:+.2f}")
            way = "lower" if top[column] < 0 else "higher"
            parts.append(f"{words}, the less expected the words, the {way} “{top['target']}” (r = {r})")
    if not parts:
        return "Nothing varies enough to correlate scores with perplexity."
    return "Overall, " + "; ".join(parts) + "."


def left_out(counts: Mapping[str, int]) -> str:
    """How many names were left out since they are not in Latin letters; empty when none were."""
    total = sum(counts.values())
    if not total:
        return ""
    most = sorted(counts.items(), key=lambda item: -item[1])
    named = ", ".join(f"{country} {count}" for country, count in most[:5])
    more = f" and {len(most) - 5} more" if len(most) > 5 else ""
    left = f"{counted(total, 'name')} that {verb(total, 'are', 'is')} not in Latin letters"
    return f"{left} {verb(total, 'were', 'was')} left out ({named}{more})."


def _count(number: float) -> str:
    """A mean over draws need not be whole."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"


def _percent(change: float) -> str:
    return f"{abs(change):.1f} % {'more' if change > 0 else 'fewer'}"


def _signed(row: pd.Series) -> str:
    interval = "" if pd.isna(row["delta_low"]) else f" ({row['delta_low']:+.3f} to {row['delta_high']:+.3f})"
    return _minus(f"{row['delta']:+.3f}{interval}")


def _minus(number: str) -> str:
    """A number with a minus sign; words keep their hyphens (*Guinea-Bissau*)."""
    return number.replace("-", "−")
