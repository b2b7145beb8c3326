"""Do names move a score more than neutral edits do?"""

from __future__ import annotations

from math import isfinite, isinf, isnan
from typing import Any

from psa_core import stats
from psa_core.claims.formatting import Finding, Words, number, too_few
from psa_core.cube import ScoreCube
from psa_core.tables.corpus import control_floor

EDITS = "neutral edits, such as another weekday, digit or comma"


def band_words(cube: ScoreCube, band: tuple[float, float] | None) -> str:
    """What the band behind the bars of names is, from `tables.edits.edit_span`; empty where there is none."""
    if band is None or cube.controls is None:
        return ""
    low, high = (number(end, signed=True) for end in band)
    edits = cube.controls.shape[1] - 1
    return f"Grey band: the mean changes of {edits:,} neutral edits, each taken as a name is, {low} to {high}."


def floor_finding(cube: ScoreCube, target: str) -> Finding | None:
    """The spread over names against that over neutral edits; None where the study has no such edits.

    The p-value is corrected for the number of targets.
    """
    if cube.controls is None:
        return None
    declared = cube.targets[cube.target_index(target)]
    words, floor = Words.of(declared), control_floor(cube, target)
    families = cube.families
    typed: dict[str, Any] = {"kind": "floor", "target": words.phrase, "estimate": floor.ratio}
    p_adjusted = floor.p if isnan(floor.p) else min(1.0, floor.p * len(cube.targets))
    typed |= {"low": floor.low, "high": floor.high, "p_adjusted": p_adjusted}
    typed |= {"n": len(cube.sentences), "families": families.count if families.any else 0}
    if few := too_few(typed["n"], typed["families"] or None):
        return Finding(few, **typed)
    against = f"{words.size(floor.names)} against {words.size(floor.edits)}"
    spread = (
        f"Standard deviation of {words.phrase} of a text over {len(cube.names):,} names, and over "
        f"{cube.controls.shape[1] - 1:,} {EDITS}."
    )
    if "mentions" in cube.sentences and (places := cube.sentences["mentions"].str.split().str.len().mean()) >= 2:
        spread += f" A name changes {places:.0f} places of a text on average, and an edit often fewer."
    if isnan(floor.p):
        headline = "We cannot say whether names do more than neutral edits: there are too few names or texts."
        return Finding(headline, f"{spread} It is {against}." if floor.names else spread, **typed)
    if isinf(floor.ratio):
        headline = f"Names move this model, and neutral edits do not: {against}."
        return Finding(headline, spread, is_significant=True, **typed)
    interval = f"{number(floor.low, digits=2)} to {number(floor.high, digits=2)}" if isfinite(floor.low) else ""
    evidence = f"{spread} The names' is {number(floor.ratio, digits=2)} times as large (95 % interval {interval})."
    if floor.ratio < 1:  # the opposite claim is false too often with heavy tails and few names, so nobody makes it
        headline = f"Names are not shown to move this model more than neutral edits do: {against}."
        return Finding(headline, evidence, **typed)
    if typed["p_adjusted"] < stats.SIGNIFICANT and not floor.low <= 1 <= floor.high:
        headline = f"Names move this model more than neutral edits do: {against}."
        return Finding(headline, evidence, is_significant=True, **typed)
    headline = f"No clear difference between what names and what neutral edits do: {against}."
    return Finding(headline, evidence, **typed)
