"""What a language model audit says: its findings, ``report.html``, and several audits side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from psa_core import generators
from psa_core.audits.generation import groups as grouped
from psa_core.audits.generation.cube import WHOLE, GenerationCube
from psa_core.audits.generation.groups import in_words, people_needed, sides
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import Tables, families_of, group_gaps, side_by_side, surest_first, widest_pair
from psa_core.claims.findings import Finding
from psa_core.models import titled
from psa_core.plurals import counted, verb
from psa_core.report.page import Html, Report, join, section
from psa_core.stats import SIGNIFICANT

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
    "demographic_disparity": "in the share of scores above the threshold",
}
#: As the paper's tables head them.
SHORT_QUALITY = {"ppl": "PPL", "ppl_sensitive": "PPLˢ", "semantic_similarity": "semantic sim."}
SHORT_FAIRNESS = {"individual_fairness": "I.F.", "group_fairness": "G.F."}
LIMITS = (
    "The scorer is a model too: what it reads into a text may be its own sensitivity.",
    "A difference between values is a sensitivity of the language model; a person judges whether it is bias.",
    "Templates and values are a choice; intervals say what other templates of the same kind would "
    "show, and between groups what other values of these groups would.",
)


def report(result: GenerationResult) -> Report:
    """``report.html``: the findings, fairness with floors, the pairs that differ most with their texts."""
    cube, found = result.cube, result.tables
    generator = generators.titled(str(cube.provenance.get("generator", {}).get("id", "a language model")))
    gaps = {scorer: group_gaps(cube, scorer) for scorer in cube.scorers}
    by_scorer = {scorer: finding(found.summary, scorer, found.matrix, gaps[scorer]) for scorer in cube.scorers}
    unknown = UNKNOWN_SEEDS if cube.is_imported else NOT_SHARED
    measured = (found.summary.get("quality") or {}).items()
    quality = {QUALITY.get(name, name): value for name, value in measured if isinstance(value, int | float)}
    table = pd.DataFrame({"": quality.keys(), "value": quality.values()})
    return Report(
        title=f"What {generator} writes about one value and another",
        findings=[Finding(f"{titled(scorer)}: {each.headline}", each.evidence) for scorer, each in by_scorer.items()],
        method=[*account(cube), "Continuations are scored alone, without their prompt."],
        body=[*(_scorer(cube, found, scorer, gaps[scorer]) for scorer in cube.scorers), section("Quality", table)],
        limits=[*LIMITS, EMPTY_CELLS, *([] if cube.common_noise else [unknown])],
    )


def account(cube: GenerationCube) -> list[str]:
    """How many continuations there are, how they were sampled, and which were left out."""
    m, a, k = cube.shape
    sizes = families_of(cube).sizes
    copies = int(sizes[sizes > 1].sum())
    options, left_out = cube.provenance.get("options", {}), cube.texts.size - int(cube.kept.sum())
    why = EMPTY if options.get("cut") == WHOLE else NOT_CUT
    sampling = ", generated elsewhere"
    if not cube.is_imported:
        sampling = f"; at most {options.get('tokens')} tokens at temperature {options.get('temperature')}, seed "
        sampling += str(options.get("seed"))
    return [
        f"{counted(m, 'template')}, {counted(a, 'value')}, {counted(k, 'continuation')} of each{sampling}.",
        *([COPIES.format(copies=copies, m=m)] if copies else []),
        *([f"{left_out:,} of {cube.texts.size:,} continuations were left out: {why}"] if left_out else []),
        *(f"{n:,} more have no score by {titled(scorer)}." for scorer, n in cube.unscored.items() if n),
    ]


NOT_CUT = "they have no full stop and no line break to be cut at."
EMPTY = "they are empty."
COPIES = "{copies} of the {m} templates are near-copies of each other, which count once in intervals and directions."
EMPTY_CELLS = "Where nothing stands as a corrected value, the number is not above noise."
NOT_SHARED = "The values' continuations are not known to share a random seed."
UNKNOWN_SEEDS = "How the continuations were sampled (seed, temperature, length) is not known: they come from a file."


def finding(summary: Mapping[str, Any], scorer: str, matrix: pd.DataFrame, gaps: pd.DataFrame | None = None) -> Finding:
    """The finding for one scorer: which groups and which values differ, by the tables, and how sure that is.

    `gaps` is `group_gaps` of this scorer; without it nothing is said of groups but that they differ.
    """
    numbers, rows = summary[scorer], surest_first(matrix, scorer)
    marked, individual = int(rows["corrected"].notna().sum()), numbers["individual_fairness"]
    sure = _sure_groups(gaps, numbers)
    told = [] if sure.empty else [_group_words(sure)]
    if marked:
        told.append(_pair_words(rows.iloc[0]))
    elif individual["above_noise"]:
        told.append("What is written differs between values; no single pair stands out from chance.")
    told += _others(numbers, set(sure["column"]), first=not told)
    evidence = [f"{marked} of {counted(len(rows), 'pair')} {verb(marked, 'are', 'is')} above noise."] if marked else []
    if individual["above_noise"]:
        evidence.append(
            f"Continuations differ between values by {individual['corrected']:.3f} on a scale of 0 to 1"
            f"{_interval(individual)}, beyond a noise of {individual['floor']:.3f}."
        )
    else:
        evidence.append(
            f"I.F., the mean distance between the scores of two values, is {individual['value']:.3f} where chance "
            f"alone shows {individual['floor']:.3f} (p = {individual['p']:.2g})."
        )
    about_groups = _group_evidence(gaps, sure)
    if not told:
        return Finding(NOTHING, " ".join([*evidence, *about_groups]), kind="values", target=scorer)
    ordered = [*about_groups, *told[1:], *evidence] if len(sure) else [*told[1:], *evidence, *about_groups]
    found = Finding(told[0], " ".join(ordered), kind="values", target=scorer, is_significant=True)
    if sure.empty:
        return found
    estimate, low, high, p = (float(sure.iloc[0][end]) for end in ("difference", "low", "high", "p_adjusted"))
    return replace(found, kind="groups", estimate=estimate, low=low, high=high, p_adjusted=p)


NOTHING = "No clear difference between what is written about one value and another."


def _pair_words(most: pd.Series) -> str:
    """The pair of values that differs most."""
    values = (str(most["value_a"]), str(most["value_b"]))
    words = f"What is written about {values[0]} and {values[1]} differs most: their scores are "
    words += f"{most['corrected']:.3f} apart on a scale of 0 to 1"
    low, high = (float(most.get(end, np.nan)) for end in ("difference_low", "difference_high"))
    if low > 0 or high < 0:  # a distance can be one of spread alone
        higher = values[1] if low > 0 else values[0]
        ends = " to ".join(f"{end:.3f}" for end in sorted((abs(low), abs(high))))
        words += f"; {higher} scores higher, by {abs(most['difference']):.3f} on average (95 % interval {ends})"
    return f"{words}."


def area_words(found: Tables, scorer: str, pair: tuple[str, str], area: float, template: str = "") -> str:
    """What is seen between two curves, and whether their distance is beyond chance; of one template or of all."""
    rows = surest_first(found.pairs[found.pairs["template"] == template] if template else found.matrix, scorer)
    words = f"The shaded area is the distance between the two (W1): {area:.3f}, chance included."
    for _, row in rows[rows["value_a"].isin(pair) & rows["value_b"].isin(pair)].dropna(subset="p_adjusted").iterrows():
        verdict = "could be chance" if pd.isna(row["corrected"]) else "is beyond chance"
        words += f" The difference {verdict} (p = {row['p_adjusted']:.2g}, corrected)."
    return words


def _above(numbers: Mapping[str, Any]) -> list[str]:
    """The columns of groups whose G.F. is above noise."""
    return [column for column, number in (numbers.get("groups") or {}).items() if number.get("above_noise")]


def _sure_groups(gaps: pd.DataFrame | None, numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Two groups that differ in their mean, by a column whose G.F. is above noise too; the surest first."""
    if gaps is None:
        return pd.DataFrame({"column": []})
    is_sure = (gaps["p_adjusted"] < SIGNIFICANT) & gaps["column"].isin(_above(numbers))
    return grouped.surest_first(gaps[is_sure])


def _group_words(sure: pd.DataFrame) -> str:
    """The surest difference between two groups, and how many others there are."""
    row, rest = sure.iloc[0], len(sure) - 1
    about, than = sides(row, others="values")
    sign = 1 if row["difference"] > 0 else -1
    low, high = sorted(sign * float(row[end]) for end in ("low", "high"))
    interval = f"95 % interval {low:.3f} to {high:.3f}".replace("-", "−")
    words = f"What is written about {about} scores {abs(row['difference']):.3f} {'higher' if sign > 0 else 'lower'} "
    words += f"than about {than}, on a scale of 0 to 1 ({interval})"
    return words + (f"; {counted(rest, 'other pair')} of groups {verb(rest, 'differ')} too." if rest else ".")


def _others(numbers: Mapping[str, Any], named: set[str], *, first: bool) -> list[str]:
    """What the table of averages marks beside pairs of values and of groups; of shares, where nothing was said yet."""
    told = []
    if columns := [column for column in _above(numbers) if column not in named]:
        by = in_words(columns)
        told.append(f"What is written differs between groups by {by}; which of them scores higher is not clear.")
    if first and not told and (numbers.get("demographic_disparity") or {}).get("above_noise"):
        told.append("Values differ in the share of scores above the threshold.")
    return told


def _group_evidence(gaps: pd.DataFrame | None, sure: pd.DataFrame) -> list[str]:
    """How sure a difference between groups is; or that there is none, or that groups are too small to tell."""
    if gaps is None or gaps.empty:
        return []
    if len(sure):
        row = sure.iloc[0]
        alike, m = int(row["same_sign"]), int(row["tasks"])
        return [
            f"{alike} of {counted(m, 'template')} {verb(alike, 'differ')} in this direction; {int(row['people_b'])} "
            f"and {int(row['people_a'])} values, p = {row['p_adjusted']:.2g}, by exchanging values between groups"
            f"{f', corrected for {len(gaps)} comparisons' if len(gaps) > 1 else ''}.",
            *(["It is shown for these templates; others might not show it."] if grouped.is_of_these(row) else []),
        ]
    by = in_words(list(dict.fromkeys(gaps["column"])))
    fewest, needed = int(gaps[["people_a", "people_b"]].min(axis=None)), people_needed(len(gaps))
    if fewest < needed:
        return [f"Groups by {by} may be too small to tell: {fewest} values in the smallest, {needed} are needed."]
    return [f"No group by {by} scores clearly higher than another."]


def group_table(gaps: pd.DataFrame, numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Differences between groups in words, surest first; ``beyond chance`` marks what the finding may say."""
    rows, sure = grouped.surest_first(gaps), _sure_groups(gaps, numbers)
    keys = set(zip(sure["column"], sure["group_a"], sure["group_b"], strict=True)) if len(sure) else set()
    told = [sides(row, others="values") for _, row in rows.iterrows()]
    return pd.DataFrame(
        {
            "about": [about for about, _ in told],
            "than about": [than for _, than in told],
            "difference": rows["difference"],
            "95 % low": rows["low"],
            "95 % high": rows["high"],
            "p, Holm": rows["p_adjusted"],
            "beyond chance": [
                "yes" if key in keys else "no"
                for key in zip(rows["column"], rows["group_a"], rows["group_b"], strict=True)
            ],
        }
    )


def _scorer(cube: GenerationCube, found: Tables, scorer: str, gaps: pd.DataFrame) -> Html:
    averages = shown_averages(found.summary, [scorer]).drop(columns=["score", "continuations needed"])
    matrix = surest_first(found.matrix, scorer).head(SHOWN_PAIRS)
    pairs = pd.DataFrame({"pair": matrix["value_a"] + " – " + matrix["value_b"]}).join(
        matrix[["w1", "floor", "corrected", "p_adjusted"]]
    )
    pairs = pairs.rename(columns={"w1": "distance (W1)", "p_adjusted": "p, Holm"})
    return join(
        [
            section(titled(scorer), averages),
            section("Groups of values", group_table(gaps, found.summary[scorer]), heading="h3"),
            section("Values that differ most, over all templates", pairs, heading="h3"),
            _texts(cube, scorer, widest_pair(found, scorer)),
        ]
    )


def shown_averages(summary: Mapping[str, Any], scorers: Sequence[str]) -> pd.DataFrame:
    """Every measure of fairness with its floor, one row each; what does not exceed chance has no corrected value."""
    rows = []
    for scorer in scorers:
        for words, number in fairness_rows(summary[scorer]):
            is_shown = bool(number.get("above_noise"))
            low, high, corrected = (number.get(key) if is_shown else None for key in ("low", "high", "corrected"))
            rows.append(
                {
                    "score": scorer,
                    "difference": words,
                    "as measured": number.get("value"),
                    "floor": number.get("floor"),
                    "corrected": corrected,
                    "95 % low": low,
                    "95 % high": high,
                    "p": number.get("p_adjusted", number.get("p")),
                    "continuations needed": number.get("needed"),
                }
            )
    # Missing everywhere, a column would have no kind; how many continuations are needed is a whole number.
    table = pd.DataFrame(rows)
    numbers = table.columns.drop(["score", "difference"])
    return table.astype(dict.fromkeys(numbers, float)).astype({"continuations needed": "Int64"})


def fairness_rows(numbers: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The measures of one scorer in words; group fairness by every column of the values that forms groups."""
    rows = [(title, numbers[key]) for key, title in MEASURES.items() if key != "group_fairness"]
    columns = numbers.get("groups") or {}
    group = numbers["group_fairness"]
    first = [] if group.get("by") in columns else [(MEASURES["group_fairness"], group)]
    by = [(f"between groups by {column} (G.F.)", of_column) for column, of_column in columns.items()]
    return [rows[0], *first, *by, *rows[1:]]


def _interval(number: Mapping[str, Any]) -> str:
    return "" if number["low"] is None else f" ({number['low']:.3f} to {number['high']:.3f})"


def _texts(cube: GenerationCube, scorer: str, pair: tuple[str, str]) -> Html:
    """Continuations of the two values that differ most, side by side, of one template and one k each."""
    most = side_by_side(cube, scorer, pair).dropna(subset="difference").head(SHOWN_TEXTS)
    sides = {
        value: [f"{text} ({score:.2f})" for text, score in zip(most[side], most[f"{side}_score"], strict=True)]
        for value, side in zip(pair, ("first", "second"), strict=True)
    }
    same = ", generated with the same random seed" if cube.common_noise else ""
    title = f"Continuations of {pair[0]} and {pair[1]}{same}; most different first"
    return section(title, pd.DataFrame({"template": most["template"], **sides}), heading="h3")


def model_table(audits: Mapping[str, GenerationResult]) -> pd.DataFrame:
    """One row an audit and score, as the paper's tables have them, each number of fairness beside its floor.

    ``audit, K, PPL, PPLˢ, semantic sim., kept, score``; for I.F. and G.F. the plug-in, its floor and the corrected
    value with its interval in words, or that it is not above noise. Quality is None where it was not measured, and left
    out where it was measured of none.
    """
    rows = []
    for name, opened in audits.items():
        summary = opened.tables.summary
        quality: Mapping[str, Any] = summary.get("quality") or {}
        shown = {words: quality.get(key) for key, words in SHORT_QUALITY.items()}
        for scorer in opened.cube.scorers:
            row = {"audit": name, "K": opened.cube.shape[2], **shown, "kept": float(opened.cube.kept.mean())}
            for key, words in SHORT_FAIRNESS.items():
                number = summary[scorer][key]
                row |= {
                    words: number["value"],
                    f"floor of {words}": number["floor"],
                    f"{words} corrected": corrected_words(number),
                }
            rows.append({**row, "score": scorer})
    table = pd.DataFrame(rows).dropna(axis=1, how="all")
    return table[["score", *(column for column in table if column != "score")]].sort_values("score", kind="stable")


def relevance_table(audits: Mapping[str, GenerationResult], scorer: str) -> pd.DataFrame:
    """Fairness against relevance, as in Figure 4 of the paper: one row an audit that has both.

    ``audit, similarity, fairness, low, high``: share of continuations that are about their value; corrected I.F. with
    its interval, all 0 where it is not above noise.
    """
    rows = []
    for name, opened in audits.items():
        similarity = (opened.tables.summary.get("quality") or {}).get("semantic_similarity")
        if similarity is None or scorer not in opened.cube.scorers:
            continue
        number = opened.tables.summary[scorer]["individual_fairness"]
        value = number["corrected"] if number["above_noise"] else 0.0
        low, high = (
            value if number[end] is None or not number["above_noise"] else number[end] for end in ("low", "high")
        )
        rows.append((name, similarity, value, low, high))
    return pd.DataFrame(rows, columns=["audit", "similarity", "fairness", "low", "high"])


def corrected_words(number: Mapping[str, Any]) -> str:
    """A corrected value with its interval."""
    if not number["above_noise"]:
        return NOT_SHOWN
    return f"{number['corrected']:.3f}{_interval(number)}"


def comparable(audits: Mapping[str, GenerationResult]) -> bool:
    """Whether all have the same templates and values: only then are their numbers about the same thing."""
    prompts = {
        (tuple(opened.cube.templates["template"]), tuple(opened.cube.values["value"])) for opened in audits.values()
    }
    return len(prompts) <= 1


def comparison_finding(audits: Mapping[str, GenerationResult], scorer: str) -> str:
    """Which audit's continuations differ most between values and which least, and whether that is sure."""
    numbers = {
        name: opened.tables.summary[scorer]["individual_fairness"]
        for name, opened in audits.items()
        if scorer in opened.cube.scorers
    }
    words = {name: f"{name} ({corrected_words(number)})" for name, number in numbers.items()}
    above = {name: number for name, number in numbers.items() if number["above_noise"]}
    if len(numbers) < 2:
        return f"Only one of these audits was scored by {titled(scorer)}."
    if not above:
        return f"By {titled(scorer)} none of these audits shows differences between values above noise."
    most = max(above, key=lambda name: above[name]["corrected"])
    low = above[most]["low"]
    # One that is not above noise is no evidence of a smaller difference: only intervals that do not meet are.
    smaller = [name for name, n in above.items() if None not in (n["high"], low) and n["high"] < low]
    others = ", ".join(words[name] for name in numbers if name != most)
    if not smaller:
        return f"By {titled(scorer)} there is no clear difference between these audits: {words[most]}, {others}."
    least = " and ".join(words[name] for name in smaller)
    return f"By {titled(scorer)} values differ more in {words[most]} than in {least}; the intervals do not meet."
