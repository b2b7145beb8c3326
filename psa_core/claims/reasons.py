"""What a name's effect is associated with: factors, its parts, other names, the words of a sentence."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.claims.formatting import Finding, Words, with_interval
from psa_core.cube import Target
from psa_core.plurals import counted, verb
from psa_core.tables.factors import FactorAnalysis
from psa_core.tables.matrix import Matrix
from psa_core.tables.parts import FIRST, REST, WHOLE, part_shares


def why_finding(why: FactorAnalysis, target: str | Target) -> str:
    """In one sentence: how much of the variance between names the factors explain, and which explains most."""
    phrase = Words.of(target).phrase
    leading = why.shares[why.shares["is_significant"]]
    if leading.empty:
        return f"We found no factor that explains how {why.names:,} names differ in {phrase}."
    row = leading.iloc[0]
    words = f"{row['factor']}: {_percent(row['share'])}"
    more = ", ".join(f"{other.factor} {_percent(other.share)}" for other in leading.iloc[1:].itertuples())
    return (
        f"These factors explain {_percent(why.r_squared)} of the variance between {why.names:,} names in "
        f"{phrase}, most of it {words}{f' (then {more})' if more else ''}. Correlation is not causation."
    )


def unexplained_finding(why: FactorAnalysis) -> str:
    """Which names differ significantly from the prediction."""
    far = why.unexplained[why.unexplained["p_adjusted"] < stats.SIGNIFICANT]["name"].tolist()
    if not far:
        return "No name differs significantly from the prediction."
    named = ", ".join(far[:5]) + (f" and {len(far) - 5} more" if len(far) > 5 else "")
    return f"{named} {verb(len(far), 'stand')} out even after these factors."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def part_finding(table: pd.DataFrame, target: str | Target, *, sentences: int) -> str:
    """How much of the effect one part of the name explains, over all names or for the largest effect."""
    words, change = Words.of(target), _changes(target)
    largest = table.loc[table["whole"].abs().idxmax()]
    one = (
        f"{largest['name']} moves {words.phrase} by {change(largest['whole'])}, {largest[FIRST]} alone by "
        f"{change(largest['first_alone'])}, {largest[REST]} alone by {change(largest['rest_alone'])}"
    )
    shares = part_shares(table)
    drawn = counted(sentences, "sampled sentence")
    if not shares:
        return f"In {drawn}, {one}."
    most = max(shares, key=lambda part: shares[part])
    part = {FIRST: "the first part alone", REST: "the rest of the name alone"}.get(most, "neither part alone")
    return (
        f"In {drawn}, {100 * shares[most]:.0f} % of the differences between {len(table):,} names in "
        f"{words.phrase} are explained by {part}; {one}."
    )


def because_finding(table: pd.DataFrame, target: str | Target) -> Finding:
    """Which word of a name explains its effect, if one alone does; `table` by `because_table`."""
    words = Words.of(target)
    by_variant = table.set_index("variant")
    full_name, first, rest = (by_variant.loc[variant] for variant in (WHOLE, FIRST, REST))
    with_bounds = "; ".join(
        f"{row['text']} {with_interval(row, 'effect', signed=True, words=words)}" for row in (full_name, first, rest)
    )
    evidence = (
        f"Effects against a typical name in the same {counted(full_name['n'], 'sampled sentence')}, each part alone in "
        f"the name's place: {with_bounds}. Intervals and tests hold for the three together."
    )
    one, other = (first, rest) if abs(first["effect"]) >= abs(rest["effect"]) else (rest, first)
    sides = np.sign([full_name["effect"], one["effect"]])
    if not max(full_name["p_adjusted"], one["p_adjusted"]) < stats.SIGNIFICANT or sides[0] != sides[1]:
        return Finding(f"No single word of {full_name['text']} is shown to move {words.phrase} the same way.", evidence)
    # One word explains a name only where the other one alone is clearly weaker.
    is_clear = min(abs(one["low"]), abs(one["high"])) > max(abs(other["low"]), abs(other["high"]))
    changes = [f"alone {words.change(one['effect'])}", f"{other['text']} {words.change(other['effect'])}"]
    if is_clear:
        return Finding(f"Because of the word {one['text']}: {', '.join(changes)} ({full_name['text']}).", evidence)
    return Finding(
        f"{one['text']} alone moves {words.phrase} by {words.change(one['effect'])}, {other['text']} "
        f"alone by {words.change(other['effect'])}: no single word explains {full_name['text']}.",
        evidence,
    )


def one_finding(table: pd.DataFrame, target: str | Target) -> str:
    """The effects of one name's parts in one sentence; `table` by `one_name`."""
    phrase, change = Words.of(target).phrase, _changes(target)
    by_variant = table.set_index("variant")
    full_name = by_variant.loc[WHOLE]
    if REST not in by_variant.index:
        return f"{full_name['text']} has one part; it moves {phrase} by {change(full_name['change'])}."
    first, rest = by_variant.loc[FIRST], by_variant.loc[REST]
    both = full_name["change"] - first["change"] - rest["change"]
    return (
        f"{full_name['text']} moves {phrase} by {change(full_name['change'])}: {first['text']} alone by "
        f"{change(first['change'])}, {rest['text']} alone by {change(rest['change'])}; the two words together add "
        f"{change(both)}."
    )


def _changes(target: str | Target) -> partial[str]:
    """Writes changes of a target's score with the same decimals, so that the parts of a sum can be added up."""
    return partial(Words.of(target).change, digits=3)


def cluster_finding(found: Matrix) -> Finding:
    """Whether names fall into clusters with similar effects, and which of them a group explains."""
    table = found.clusters
    if len(found.rows) < 2:
        return Finding("One sentence cannot show which names behave alike.")
    if len(table) < 2:
        return Finding("The names do not fall into groups that behave alike.")
    explained = table[table["p_adjusted"] < stats.SIGNIFICANT]
    sizes = f"The names fall into {len(table)} clusters that behave alike"
    if explained.empty and len(table) == 2 and 1 in table["names"].tolist():
        return Finding(f"One name stands apart; the other {table['names'].max():,} behave alike.")
    if explained.empty:
        return Finding(f"{sizes}; no group of the name list explains any of them.")
    words = [f"{row.group} ({row.inside} of its {row.names} names)" for row in explained.itertuples()]
    evidence = (
        "Each group against the cluster by the hypergeometric test, Bonferroni-corrected over clusters and groups."
    )
    match = verb(len(words), "match", "matches")
    return Finding(f"{sizes}; {len(words)} of them {match} a group: {', '.join(words)}.", evidence)


def where_finding(table: pd.DataFrame, target: str | Target) -> Finding:
    """Which words are associated with more name-sensitive sentences; `table` by `word_table`."""
    phrase = Words.of(target).phrase
    significant = table[table["p_adjusted"] < stats.SIGNIFICANT]
    more, less = (
        significant[significant["log_odds"] > 0]["word"].head(6),
        significant[significant["log_odds"] < 0]["word"].tail(6)[::-1],
    )
    evidence = (
        f"{len(table):,} words of five sentences or more, in the half of the sentences that names change most, against "
        "the other half: log-odds with an informative Dirichlet prior (Monroe et al. 2008), Holm-corrected."
    )
    if significant.empty:
        return Finding(f"No word is significantly associated with how much names change {phrase}.", evidence)
    parts = [
        f"{words} in sentences with {', '.join(f'“{word}”' for word in found)}"
        for words, found in (("more", more), ("less", less))
        if len(found)
    ]
    return Finding(f"Names change {phrase} {', '.join(parts)}.", evidence)
