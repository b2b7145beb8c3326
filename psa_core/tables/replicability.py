"""Would it be found again? How well the names' order repeats with other sentences, another model, another corpus."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isinf, isnan

import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.plurals import counted
from psa_core.stats.reliability import TopStability, order_agreement, order_reliability, top_stability
from psa_core.tables.formatting import Finding

TOO_ALIKE = "the furthest name is too like another to be told apart, however many sentences there were"


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
    """Would other sentences of this kind put the names in this order, and from how many on the furthest ones?"""
    value, low, high = again.reliability
    if isnan(value):
        why = f"there are too few sentences or names, or {target} never differs between names"
        return Finding(f"Whether the names' order would repeat cannot be told: {why}.")
    evidence = (
        f"Reliability {_signed(value)} (95 % interval {_signed(low)} to {_signed(high)}): the rank correlation with "
        "the order by other sentences, from the halves of these (Spearman–Brown); 0 is chance, 1 the same order. How "
        "many sentences the furthest names take is known to its order of magnitude only."
    )
    others = f"Another {again.sentences:,} sentences of this kind"
    if low <= 0:
        return Finding(f"{others} may well put the names in another order: what repeats may be chance.", evidence)
    return Finding(f"{others} would put the names in {_likeness(value)} order; {_top(again)}.", evidence)


def _likeness(reliability: float) -> str:
    """A rank correlation in a word or two."""
    words = {0.95: "nearly the same", 0.8: "a similar", 0.5: "a roughly similar"}
    return next((said for least, said in words.items() if reliability >= least), "a partly similar")


def _top(again: Replicability) -> str:
    top, share, needed = again.stability
    few = f"of the {top} furthest names" if top > 1 else "times the furthest name"
    again_there = f"{few} would be the same {'ones' if top > 1 else 'one'}"
    if isinf(needed):
        return f"some {few} are too alike to be told apart, however many sentences there were" if top > 1 else TOO_ALIKE
    if needed <= again.sentences:
        return f"nine in ten {again_there}"
    share_of_it = f"{100 * share:.0f} %" if top > 1 else f"{10 * share:.0f} in ten"
    return f"{share_of_it} {again_there}; nine in ten take very roughly {_rough(needed)} sentences"


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
        return Finding(f"With {names}, whether both put them in one order cannot be told: {order.reason}.")
    told = isfinite(order.low) and (order.low > 0 or order.high < 0)
    words = (
        ("in a similar order" if order.r > 0 else "in an opposite order")
        if told
        else "in no order that is shown to repeat"
    )
    evidence = f"95 % interval over names {_signed(order.low)} to {_signed(order.high)}." if isfinite(order.low) else ""
    return Finding(f"The two studies put the {names} {words}: rank correlation {_signed(order.r)}.", evidence)


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-0.00", "0.00").replace("-", "−")
