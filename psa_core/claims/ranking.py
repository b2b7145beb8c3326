"""Does the ranking of names replicate?"""

from __future__ import annotations

from functools import partial
from math import isfinite, isinf, isnan
from typing import Any

from psa_core import stats
from psa_core.claims.formatting import Finding, number, too_few
from psa_core.plurals import counted
from psa_core.tables.replicability import Agreement, Replicability

_number = partial(number, digits=2)
#: A rank correlation of at least so much, in a word or two.
LIKENESS = {0.95: "nearly the same", 0.8: "a similar", 0.5: "a roughly similar"}
INDISTINGUISHABLE = "the top name cannot be told apart from another, however many sentences there are"


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
        "ranking. The number of sentences needed is a rough estimate."
    )
    typed = of | {"estimate": value, "low": low, "high": high}
    if few:
        return Finding(few, evidence, **typed)
    others = f"With {replicability.sentences:,} other sentences of this kind you"
    if low <= 0:
        return Finding(f"{others} may well see another ranking of the names.", evidence, **typed)
    likeness = next((words for least, words in LIKENESS.items() if value >= least), "a partly similar")
    headline = f"{others} would see {likeness} ranking of the names: {_top(replicability)}."
    return Finding(headline, evidence, is_significant=True, **typed)


def _top(replicability: Replicability) -> str:
    top, share, needed = replicability.stability
    same = f"of the top {top} names" if top > 1 else "the same top name"
    if isinf(needed):
        return f"some {same} cannot be told apart, however many sentences there are" if top > 1 else INDISTINGUISHABLE
    if needed <= replicability.sentences:
        return f"{0.9 * top:.0f} {same}" if top > 1 else f"{same} in 9 of 10 cases"
    now = f"{100 * share:.0f} % {same}" if top > 1 else f"{same} in {10 * share:.0f} of 10 cases"
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
