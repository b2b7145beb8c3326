"""``report.html`` of a language model audit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import Tables
from psa_core.audits.generation.views import surest_first, widest_pair
from psa_core.plurals import counted
from psa_core.registry import in_short
from psa_core.report.frame import Report
from psa_core.report.markup import Html, element, join, table
from psa_core.tables.findings import Finding

SHOWN_PAIRS, SHOWN_TEXTS = 10, 3
NOT_SHOWN = "not above noise"
QUALITY = {
    "semantic_similarity": "share of continuations about their value",
    "kept": "share of continuations kept",
    "words": "words of a continuation, on average",
    "ppl": "perplexity of held-out texts",
    "ppl_sensitive": "perplexity of those with a value in them",
    "held_out": "held-out texts",
    "held_out_sensitive": "held-out texts with a value in them",
}
MEASURES = {
    "individual_fairness": "between values (I.F.)",
    "group_fairness": "between groups (G.F.)",
    "demographic_disparity": "in the share above the threshold",
}


def report(result: GenerationResult) -> Report:
    """``report.html``: the finding, fairness with floors, the pairs that differ most with their texts."""
    cube, found = result.cube, result.tables
    generator = in_short(str(cube.provenance.get("generator", {}).get("id", "a language model")))
    return Report(
        title=f"What {generator} writes about one value and another",
        findings=[_of(scorer, finding(found.summary, scorer, found.matrix)) for scorer in cube.scorers],
        method=_method(cube),
        body=[*(_scorer(cube, found, scorer) for scorer in cube.scorers), _quality(found.summary.get("quality"))],
        limits=_limits(cube),
    )


def _of(scorer: str, said: Finding) -> Finding:
    return Finding(f"{scorer}: {said.headline}", said.evidence)


def finding(summary: dict[str, Any], scorer: str, matrix: pd.DataFrame) -> Finding:
    """The finding for one scorer: which values differ most, and how sure that is.

    Parameters
    ----------
    summary : dict
        The content of ``summary.json``.
    scorer : str
    matrix : DataFrame
        `Tables.matrix`.
    """
    individual = summary[scorer]["individual_fairness"]
    if not individual["above_noise"]:
        return Finding(
            "What is written about one value and another differs no more than chance makes it.",
            f"I.F., the mean distance between the scores of two values, is {individual['value']:.3f} where chance "
            f"alone shows {individual['floor']:.3f} (p = {individual['p']:.2g}).",
        )
    evidence = (
        f"Continuations differ between values by {individual['corrected']:.3f} on a scale of 0 to 1"
        f"{_interval(individual)}, beyond a noise of {individual['floor']:.3f}"
    )
    most = surest_first(matrix, scorer).iloc[0]
    if pd.isna(most["corrected"]):
        return Finding("What is written differs between values; no single pair stands out from chance.", f"{evidence}.")
    higher, lower = ("value_b", "value_a") if most["difference"] > 0 else ("value_a", "value_b")
    return Finding(
        f"What is written about {most[higher]} and {most[lower]} differs most: about {most[higher]} it scores "
        f"{abs(most['difference']):.3f} higher on average.",
        f"{evidence}; between these two by {most['corrected']:.3f}.",
    )


def _method(cube: GenerationCube) -> list[str]:
    m, a, k = cube.shape
    kept = int(cube.kept.sum())
    options = cube.provenance.get("options", {})
    return [
        f"{counted(m, 'template')}, {counted(a, 'value')}, {counted(k, 'continuation')} of each; at "
        f"most {options.get('tokens')} tokens at temperature {options.get('temperature')}, seed "
        f"{options.get('seed')}.",
        f"{cube.texts.size - kept:,} of {cube.texts.size:,} continuations were left out: they have no full stop and no "
        "line break to be cut at.",
        "Continuations are scored alone, without their prompt.",
    ]


def _scorer(cube: GenerationCube, found: Tables, scorer: str) -> Html:
    numbers = found.summary[scorer]
    rows = [
        (title, *_cells(numbers[key]))
        for key, title in (
            ("individual_fairness", "Individual fairness (I.F.)"),
            ("group_fairness", "Group fairness (G.F.)"),
            ("demographic_disparity", "Demographic disparity"),
        )
    ]
    matrix = surest_first(found.matrix, scorer).head(SHOWN_PAIRS)
    pairs = [
        (f"{row.value_a} – {row.value_b}", f"{row.w1:.3f}", f"{row.floor:.3f}",
         NOT_SHOWN if pd.isna(row.corrected) else f"{row.corrected:.3f}", f"{row.p_adjusted:.2g}")
        for row in matrix.itertuples()
    ]  # fmt: skip
    return join(
        [
            element("h2", scorer),
            table(("", "value", "floor", "beyond noise", "95 % interval", "p"), rows),
            element("h3", "Values that differ most, over all templates"),
            table(("pair", "distance (W1)", "floor", "beyond noise", "p, corrected"), pairs),
            _texts(cube, scorer, widest_pair(found, scorer)),
        ]
    )


def _cells(number: dict[str, Any]) -> tuple[str, str, str, str, str]:
    if number["value"] is None:
        return "–", "–", "–", "–", "–"
    shown = number["above_noise"]
    interval = f"{number['low']:.3f} to {number['high']:.3f}" if shown and number["low"] is not None else ""
    beyond = f"{number['corrected']:.3f}" if shown else NOT_SHOWN
    return f"{number['value']:.3f}", f"{number['floor']:.3f}", beyond, interval, f"{number['p']:.2g}"


def _interval(number: dict[str, Any]) -> str:
    return "" if number["low"] is None else f" ({number['low']:.3f} to {number['high']:.3f})"


def _texts(cube: GenerationCube, scorer: str, pair: tuple[str, str]) -> Html:
    """Continuations of the two values that differ most, side by side, of one template and one k each."""
    values = cube.values["value"].astype(str).tolist()
    a, b = map(values.index, pair)
    scores = cube.scored_by(scorer)
    gaps = np.abs(scores[:, a] - scores[:, b])
    best = np.argsort(np.nan_to_num(gaps, nan=-1).ravel())[::-1][:SHOWN_TEXTS]
    rows = []
    for m, k in zip(*np.unravel_index(best, gaps.shape), strict=True):
        if np.isfinite(gaps[m, k]):
            rows.append(
                (
                    str(cube.templates["template"].iloc[m]),
                    f"{cube.texts[m, a, k]} ({scores[m, a, k]:.2f})",
                    f"{cube.texts[m, b, k]} ({scores[m, b, k]:.2f})",
                )
            )
    if not rows:
        return Html("")
    same = " with the same random numbers" if cube.common_noise else ""
    title = f"Continuations of {values[a]} and {values[b]}{same}, most different first"
    return join([element("h3", title), table(("template", values[a], values[b]), rows)])


def _quality(quality: dict[str, Any] | None) -> Html:
    if not quality:
        return Html("")
    rows = [
        (QUALITY.get(name, name), f"{value:.3g}" if isinstance(value, float) else str(value))
        for name, value in quality.items()
        if isinstance(value, int | float)
    ]
    return join([element("h2", "Quality"), table(("", "value"), rows)]) if rows else Html("")


def _limits(cube: GenerationCube) -> list[str]:
    lines = [
        "The scorer is a model too: what it reads into a text may be its own sensitivity.",
        "A difference between values is a sensitivity of the language model; a person judges whether it is bias.",
        "Templates and values are a choice; intervals say what other templates of the same kind would show.",
    ]
    if not cube.common_noise:
        lines.append("This generator could not be given the same random numbers for every value.")
    return lines
