"""Does the ranking of names replicate with other sentences, another model, another corpus?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isinf, isnan

import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.plurals import counted
from psa_core.stats.reliability import TopStability, order_agreement, order_reliability, top_stability
from psa_core.tables.formatting import Finding

TOO_ALIKE = "the top name cannot be told apart from another, however many sentences there are"


@dataclass(frozen=True)
class Replicability:
    """How well the order of the names repeats.

    Attributes
    ----------
    reliability : Interval
        Rank correlation with the order in another study of as many sentences; see `stats.reliability`.
    stability : TopStability
    sentences : int
    """

    reliability: stats.Interval
    stability: TopStability
    sentences: int


@dataclass(frozen=True)
class Agreement:
    """The Spearman correlation of two studies' effects of the names that both have, and how many these are."""

    order: stats.Correlation
    names: int


def order_replicability(cube: ScoreCube, target: str) -> Replicability:
    """Measure how well the names' order would repeat; `CubeError` when the target is unknown."""
    _, perturbed = cube.units(target)
    sentences = len(cube.sentences)
    stability = top_stability(perturbed)
    each = sentences / len(perturbed)
    if each > 1:  # a family is one unit of so many sentences
        stability = stability._replace(sentences=stability.sentences * each)
    return Replicability(order_reliability(perturbed), stability, sentences)


def again_finding(again: Replicability, target: str) -> Finding:
    """Would other sentences rank the names alike, and how many are needed for a stable top?"""
    value, low, high = again.reliability
    if isnan(value):
        why = f"there are too few sentences or names, or {target} never differs between names"
        return Finding(f"We cannot say whether the ranking of names is reliable: {why}.")
    evidence = (
        f"Reliability {_signed(value)} (95 % interval {_signed(low)} to {_signed(high)}): the rank correlation with "
        "the ranking by other sentences, estimated from split halves (Spearman–Brown); 0 is chance, 1 the same "
        "ranking. The number of sentences needed is a rough estimate."
    )
    others = f"With {again.sentences:,} other sentences of this kind you"
    if low <= 0:
        return Finding(f"{others} may well see another ranking of the names.", evidence)
    return Finding(f"{others} would see {_likeness(value)} ranking of the names: {_top(again)}.", evidence)


def _likeness(reliability: float) -> str:
    """A rank correlation in a word or two."""
    words = {0.95: "nearly the same", 0.8: "a similar", 0.5: "a roughly similar"}
    return next((said for least, said in words.items() if reliability >= least), "a partly similar")


def _top(again: Replicability) -> str:
    top, share, needed = again.stability
    same = f"of the top {top} names" if top > 1 else "the same top name"
    if isinf(needed):
        return f"some {same} cannot be told apart, however many sentences there are" if top > 1 else TOO_ALIKE
    if needed <= again.sentences:
        return f"90 % {same}" if top > 1 else f"{same} in 9 of 10 cases"
    now = f"{100 * share:.0f} % {same}" if top > 1 else f"{same} in {10 * share:.0f} of 10 cases"
    return f"{now}; about {_rough(needed)} sentences are needed for 90 %"


def _rough(number: float) -> str:
    """One digit: the number of sentences is known no better."""
    return f"{float(f'{number:.0e}'):,.0f}"


def order_in_both(first: ScoreCube, second: ScoreCube, targets: tuple[str, str]) -> Agreement | None:
    """Whether two studies, of whatever sentences and models, put the names they share in one order; None without any.

    Raises
    ------
    CubeError
        When a target is unknown.
    """
    effects = [
        pd.Series(cube.scores(target)[1].mean(axis=0, dtype="float64"), index=cube.names["name"].to_numpy())
        for cube, target in zip((first, second), targets, strict=True)
    ]
    shared = [name for name in effects[0].index if name in effects[1].index]
    if not shared:
        return None
    return Agreement(order_agreement(effects[0][shared], effects[1][shared]), len(shared))


def agreement_finding(agreement: Agreement) -> Finding:
    """Whether two studies put the names in one order."""
    order = agreement.order
    names = f"{counted(agreement.names, 'name')} in common"
    if order.reason:
        return Finding(f"With {names}, their rankings cannot be compared: {order.reason}.")
    told = isfinite(order.low) and (order.low > 0 or order.high < 0)
    words = ("similarly" if order.r > 0 else "in opposite order") if told else "with no clear agreement"
    evidence = f"95 % interval over names {_signed(order.low)} to {_signed(order.high)}." if isfinite(order.low) else ""
    return Finding(f"The two studies rank the {names} {words}: rank correlation {_signed(order.r)}.", evidence)


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-0.00", "0.00").replace("-", "−")
