"""Language models side by side: what fairness costs in quality (Huang et al. 2020, Tables 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from psa_core.audits.generation.report import NOT_SHOWN
from psa_core.audits.generation.result import GenerationResult

QUALITY = {"ppl": "PPL", "ppl_sensitive": "PPLˢ", "semantic_similarity": "semantic sim."}
ENDS = ("low", "high")
FAIRNESS = {"individual_fairness": "I.F.", "group_fairness": "G.F."}


def model_table(audits: Mapping[str, GenerationResult]) -> pd.DataFrame:
    """One row an audit and score, as the paper's tables have them, each number of fairness beside its floor.

    Parameters
    ----------
    audits : mapping
        Finished audits by what tells them apart.

    Returns
    -------
    DataFrame
        ``audit, K, PPL, PPLˢ, semantic sim., kept, score``; for I.F. and G.F. the plug-in, its floor and the corrected
        value with its interval in words, or that it is not above noise. Quality is None where it was not measured, and
        left out where it was measured of none.
    """
    rows = []
    for name, opened in audits.items():
        summary = opened.tables.summary
        quality: Mapping[str, Any] = summary.get("quality") or {}
        shown = {words: quality.get(key) for key, words in QUALITY.items()}
        for scorer in opened.cube.scorers:
            row = {"audit": name, "K": opened.cube.shape[2], **shown, "kept": float(opened.cube.kept.mean())}
            for key, words in FAIRNESS.items():
                number = summary[scorer][key]
                row |= {
                    words: number["value"],
                    f"floor of {words}": number["floor"],
                    f"{words} corrected": said(number),
                }
            rows.append({**row, "score": scorer})
    table = pd.DataFrame(rows).dropna(axis=1, how="all")
    return table[["score", *(column for column in table if column != "score")]].sort_values("score", kind="stable")


def relevance_table(audits: Mapping[str, GenerationResult], scorer: str) -> pd.DataFrame:
    """Fairness against relevance, as in Figure 4 of the paper: one row an audit that has both.

    Returns
    -------
    DataFrame
        ``audit, similarity, fairness, low, high``: share of continuations that are about their value; corrected I.F.
        with its interval, all 0 where it is not above noise.
    """
    rows = []
    for name, opened in audits.items():
        similarity = (opened.tables.summary.get("quality") or {}).get("semantic_similarity")
        if similarity is None or scorer not in opened.cube.scorers:
            continue
        number = opened.tables.summary[scorer]["individual_fairness"]
        value = number["corrected"] if number["above_noise"] else 0.0
        low, high = (value if number[end] is None or not number["above_noise"] else number[end] for end in ENDS)
        rows.append((name, similarity, value, low, high))
    return pd.DataFrame(rows, columns=["audit", "similarity", "fairness", *ENDS])


def said(number: Mapping[str, Any]) -> str:
    """A corrected value with its interval."""
    if not number["above_noise"]:
        return NOT_SHOWN
    between = "" if number["low"] is None else f" ({number['low']:.3f} to {number['high']:.3f})"
    return f"{number['corrected']:.3f}{between}"


def comparable(audits: Mapping[str, GenerationResult]) -> bool:
    """Whether all have the same templates and values: only then are their numbers about the same thing."""
    prompts = {
        (tuple(opened.cube.templates["template"]), tuple(opened.cube.values["value"])) for opened in audits.values()
    }
    return len(prompts) <= 1


def finding(audits: Mapping[str, GenerationResult], scorer: str) -> str:
    """Which audit's continuations differ most between values and which least, and whether that is sure."""
    numbers = {
        name: opened.tables.summary[scorer]["individual_fairness"]
        for name, opened in audits.items()
        if scorer in opened.cube.scorers
    }
    words = {name: f"{name} ({said(number)})" for name, number in numbers.items()}
    above = {name: number for name, number in numbers.items() if number["above_noise"]}
    if len(numbers) < 2:
        return f"Only one of these audits was scored by {scorer}."
    if not above:
        return f"By {scorer} none of these audits shows differences between values above noise."
    most = max(above, key=lambda name: above[name]["corrected"])
    if len(above) < len(numbers):
        others = ", ".join(words[name] for name in numbers if name not in above)
        return f"By {scorer} values differ most in {words[most]}; others: {others}."
    least = min(above, key=lambda name: above[name]["corrected"])
    high, low = above[least]["high"], above[most]["low"]
    apart = high is not None and low is not None and high < low
    end = "their intervals do not meet" if apart else "their intervals overlap, so the order is not sure"
    return f"By {scorer} values differ most in {words[most]} and least in {words[least]}; {end}."
