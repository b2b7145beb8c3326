"""What an audit of answers says: one sentence first, of what its table marks as beyond chance; and ``report.html``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from psa_core import generators, models
from psa_core.audits.chats.measures import Measure
from psa_core.audits.chats.planning import PLACES
from psa_core.audits.chats.result import ChatResult
from psa_core.audits.chats.tables import differing_answers, measure_titles
from psa_core.audits.generation.groups import (
    group_pairs,
    in_words,
    is_of_these,
    people_needed,
    people_words,
    sides,
    surest_first,
)
from psa_core.claims.findings import Finding
from psa_core.plurals import counted, verb
from psa_core.report.page import Html, Report, section
from psa_core.stats import SIGNIFICANT

MOST_CLAUSES = 3
NOTHING = "nothing else is above noise"
NO_GROUPS = "No two groups of people can be compared: the list has no column with two groups of two people or more."
ALL_ALIKE = "No clear difference: all answers are alike in everything that is measured."
TOO_FEW_ANSWERS = "No two groups of people can be compared: too few people of each have an answer."
SHOWN_WORDS = 3
#: Rows of unusual answers in a report.
SHOWN = 12
GAPS, TAILS, QUANTILES = "Every measure, between every two groups", "Unusual answers", "Quantiles"
DOMAINS, WORDS = "Domains", "Words that differ"
LIMITS = (
    "A difference between groups is a sensitivity of the language model; a person judges whether it is bias.",
    "In what scorers read, another name stands for the person's own; pronouns and all else stay.",
    "The tasks are a choice: what holds on them need not hold on others.",
)


def size_words(row: Any, measure: Measure, *, signed: bool = False) -> tuple[str, str]:
    """How large a difference is with its 95 % interval, as in *8 %* and *[3, 13]*; second against first group.

    The interval has the sign of the difference only where it is `signed`: beside *shorter* it has none.
    """
    scale = 100 / row["mean_a"] if measure.kind == "relative" and row["mean_a"] else 100.0
    unit = {"relative": " %", "share": " points of 100", "plain": f" {measure.unit}"}[measure.kind]
    factor = 1.0 if measure.kind == "plain" else scale
    size, *ends = (factor * row[name] for name in ("difference", "low", "high"))
    sign = -1 if size < 0 and not signed else 1
    digits = 1 if abs(size) < 10 and (measure.kind == "plain" or abs(size) < 2) else 0
    low, high = sorted(sign * end for end in ends)
    if low * high > 0 and float(f"{low:.{digits}f}") * float(f"{high:.{digits}f}") == 0:
        digits += 1  # an interval without 0 does not end at 0
    interval = ", ".join(f"{round(end, digits) + 0.0:.{digits}f}" for end in (low, high))  # no −0
    return f"{abs(size):.{digits}f}{unit}", f"[{interval}]".replace("-", "−")


def clause(row: Any, measure: Measure) -> str:
    """One difference: *8 % [3, 13] shorter*."""
    words = measure.more if row["difference"] > 0 else measure.less
    return words.format(size=" ".join(size_words(row, measure)))


def gap_words(row: pd.Series, measure: Measure, graders: Mapping[str, Any]) -> str:
    """What a chosen square says: the mean difference, and whether it is beyond chance.

    `row` is one of `Tables.gaps`. Without a difference there is no direction.
    """
    people, others = sides(row)
    chance = f"p = {row['p_adjusted']:.2g}, corrected"
    if not row["difference"]:
        return f"On average, answers to {people} do not differ from those to {others} in {measure.title}."
    could_be = marked(row.to_frame().T, graders).empty
    verdict = "which could be chance" if could_be else "beyond chance"
    return f"On average, answers to {people} are {clause(row, measure)} than to {others}, {verdict} ({chance})."


def short(row: Any, measure: Measure) -> str:
    """One difference as a number: *−8 %*; none at all has no sign."""
    sign = "+" if row["difference"] > 0 else "−" if row["difference"] < 0 else ""
    return sign + size_words(row, measure)[0]


def marked(gaps: pd.DataFrame, graders: Mapping[str, Any]) -> pd.DataFrame:
    """Rows that are beyond chance, without those of a grader that was not found to see planted differences."""
    doubted = [name for name, trial in graders.items() if not trial.get("believed")]
    is_marked = (gaps["p_adjusted"] < SIGNIFICANT) & ~gaps["measure"].isin(doubted)
    return surest_first(gaps[is_marked])


def finding(
    gaps: pd.DataFrame,
    titles: Mapping[str, Measure],
    graders: Mapping[str, Any],
    *,
    shape: tuple[int, int, int],
    words: pd.DataFrame | None = None,
    nothing_compared: str = NO_GROUPS,
) -> Finding:
    """The first sentence of page, report and terminal.

    `gaps` and `words` are of `Tables` (where some words differ, no sentence says that nothing does), `graders` of the
    manifest; `shape` is tasks, people and answers of each, and `nothing_compared` says why `gaps` is empty where it is.
    """
    m, a, k = shape
    over = f"{counted(m, 'task')}, {a:,} people, {counted(k, 'answer')} to each"
    if gaps.empty:
        return Finding(nothing_compared, f"{over}.", kind="answers")
    fewest = int(gaps[["people_a", "people_b"]].min(axis=None))
    tests = f"{counted(len(gaps), 'comparison')}, p corrected for their number (Holm) and found by exchanging people"
    found, quoted = marked(gaps, graders), _quoted(words)
    if found.empty:
        said = "No clear difference between the answers to one group of people and another."
        if quoted:
            said = "No measure differs clearly between the answers to one group of people and another, but some words "
            said += f"do: {quoted}."
        elif fewest < (needed := people_needed(len(gaps))):
            said = f"Too few people to say whether answers differ: {fewest} in the smallest group, and "
            said += f"{needed} are needed."
            if (gaps[["people_a", "people_b"]].min(axis=1) >= needed).any():
                said = f"No clear difference between groups of {needed} people or more; others are too small to say: "
                said += f"{fewest} in the smallest."
        return Finding(said, f"{over}; {tests}.", kind="answers", n=m)
    first = found.iloc[0]
    same = found[(found["column"] == first["column"]) & (found["group_a"] == first["group_a"])
                 & (found["group_b"] == first["group_b"])]  # fmt: skip
    clauses = [clause(row, titles[row["measure"]]) for _, row in same.head(MOST_CLAUSES).iterrows()]
    clauses.sort(key=lambda words: not words[0].isdigit())  # *14 % shorter and with 13 % fewer sentences*
    to, than = sides(first)
    headline = f"Answers to {to} are {in_words(clauses)} than to {than}"
    rest = len(found) - len(clauses)
    nothing = f"beside this only some words differ: {quoted}" if quoted else NOTHING
    more = f"{counted(rest, 'other difference')} {verb(rest, 'are', 'is')} above noise too"
    headline += f"; {more if rest else nothing}."
    doubt = " It is shown for these tasks; other tasks might not show it." if is_of_these(first) else ""
    alike = int(first["same_sign"])
    agree = f"{alike} of {counted(int(first['tasks']), 'task')} {verb(alike, 'differ')} in this direction."
    return Finding(
        headline,
        f"{agree}{doubt} {over}; {tests}. In brackets: 95 % intervals over people.",
        kind="answers",
        target=str(first["measure"]),
        estimate=float(first["difference"]),
        low=float(first["low"]),
        high=float(first["high"]),
        p_adjusted=float(first["p_adjusted"]),
        n=m,
        is_significant=True,
    )


def _quoted(words: pd.DataFrame | None) -> str:
    """The surest words that differ; empty where none does."""
    known = [] if words is None else list(dict.fromkeys(f"“{word}”" for word in words["word"]))
    return (in_words(known[:SHOWN_WORDS]) if known else "") + (", among others" if len(known) > SHOWN_WORDS else "")


def headline(result: ChatResult) -> Finding:
    """The one sentence."""
    manifest = result.manifest
    titles = measure_titles(result.measured, manifest)
    found = result.tables
    why = NO_GROUPS
    if group_pairs(result.cube.values):
        differ = any(np.isfinite(part).any() and np.nanstd(part) > 0 for part in result.measured.values())
        why = TOO_FEW_ANSWERS if differ else ALL_ALIKE
    graders = manifest.get("graders", {})
    return finding(found.gaps, titles, graders, shape=result.cube.shape, words=found.words, nothing_compared=why)


def method_lines(result: ChatResult) -> list[str]:
    """How the audit was made, and what is missing from it."""
    manifest, (m, a, k) = result.manifest, result.cube.shape
    options = manifest.get("options", {})
    place = PLACES.get(str(options.get("person")), "")
    said = f"{counted(m, 'task')} × {a:,} people × {counted(k, 'answer')}; the person stands {place}."
    if result.cube.is_imported:
        how = "The answers come from a file: how they were sampled is not known."
    else:
        how = f"At most {options.get('tokens')} tokens at temperature {options.get('temperature')}, seed "
        how += str(options.get("seed"))
        how += f", from the {options['top_k']} most probable tokens" if options.get("top_k") else ""
        how += (f", top-p {options['top_p']}" if options.get("top_p", 1) != 1 else "") + "."
        if not result.cube.common_noise:
            how += " Whether the model keeps to the seed is not known."
    missing = manifest.get("missing", {})
    lines = [said, how, f"{missing.get('answers', 0):,} of {result.cube.texts.size:,} answers are missing or empty."]
    titles = measure_titles(result.measured, manifest)
    lines += [
        f"{missing[name]:,} answers have no {titles[name].title}."
        for name in titles
        if name in ("distance", *result.cube.scorers) and missing.get(name)
    ]
    lines += [f"Grader {models.titled(str(trial.get('id')))}: {trial.get('verdict')}{_grader(trial)}"
              for trial in manifest.get("graders", {}).values()]  # fmt: skip
    return lines


def _grader(trial: Mapping[str, Any]) -> str:
    words = ""
    if isinstance(trial.get("order"), float):
        words += f" The answer shown first gains {100 * trial['order']:.0f} points of 100."
    if isinstance(trial.get("ties"), float):
        words += f" {100 * trial['ties']:.0f} % of its picks are close to even."
    return words


def report(result: ChatResult) -> Report:
    """``report.html``."""
    generator = generators.titled(str(result.manifest.get("generator", {}).get("id", "a language model")))
    shown = shown_tables(result)
    shown[TAILS] = shown[TAILS].head(SHOWN)
    return Report(
        title=f"What {generator} answers to whom",
        findings=[headline(result)],
        method=method_lines(result),
        body=[*(section(title, shown[title]) for title in (GAPS, TAILS, WORDS)), _answers(result)],
        limits=list(LIMITS),
    )


def shown_tables(result: ChatResult) -> dict[str, pd.DataFrame]:
    """The tables of an audit in words, by their titles, as page and report show them; surest first."""
    found, titles = result.tables, measure_titles(result.measured, result.manifest)
    tails = found.tails.sort_values(["p_adjusted", "p_value"], kind="stable")
    shares = {"beyond": "beyond the others' range, %", "below": "below, %", "above": "above, %"}
    tails = tails.assign(**{name: 100 * tails[name] for name in shares}).rename(columns=shares)
    counts = {"count_b": "answers with it", "count_a": "answers with it, of the others"}
    return {
        GAPS: _gaps(surest_first(found.gaps), titles),
        TAILS: _in_words(tails, titles),
        QUANTILES: _in_words(found.quantiles, titles),
        DOMAINS: _gaps(found.domains, titles),
        WORDS: _in_words(found.words.rename(columns=counts).drop(columns="log_odds"), titles),
    }


def _in_words(table: pd.DataFrame, titles: Mapping[str, Measure]) -> pd.DataFrame:
    """A table with measures and groups in words instead of ids; groups first."""
    heads = {"group": "answers to", "group_b": "answers to", "group_a": "against"}
    told = {
        words: [people_words(*each) for each in zip(table["column"], table[group], strict=True)]
        for group, words in heads.items()
        if group in table
    }
    if "measure" in table:
        told = {"measure": [titles[name].title for name in table["measure"]], **told}
    rest = table.drop(columns=["column", "measure", *heads], errors="ignore")
    named = {"p_value": "p", "p_adjusted": "p, Holm"}
    return pd.concat([pd.DataFrame(told, index=table.index), rest.rename(columns=named)], axis=1)


def _gaps(gaps: pd.DataFrame, titles: Mapping[str, Measure]) -> pd.DataFrame:
    """Differences between groups with their sizes in units that people read."""
    rows = []
    for _, row in gaps.iterrows():
        measure = titles[row["measure"]]
        rows.append(
            {
                "difference": short(row, measure),
                "95 % interval": size_words(row, measure, signed=True)[1],
                "noise": _in_units(row, measure, "floor"),
                "sampling alone": _in_units(row, measure, "repeat_floor"),
                "corrected": _in_units(row, measure, "corrected") if row["p_adjusted"] < SIGNIFICANT else "",
                "tasks alike": f"{int(row['same_sign'])} of {int(row['tasks'])}",
            }
        )
    named = ["measure", "column", "group_a", "group_b", "p_value", "p_adjusted", *gaps.columns.intersection(["domain"])]
    return pd.concat([_in_words(gaps[named], titles), pd.DataFrame(rows, index=gaps.index)], axis=1)


def _in_units(row: Any, measure: Measure, name: str) -> str:
    if not np.isfinite(row[name]):
        return "–"
    return size_words({"difference": row[name], "low": 0.0, "high": 0.0, "mean_a": row["mean_a"]}, measure)[0]


def _answers(result: ChatResult) -> Html:
    """The answers that differ most in the surest difference."""
    if result.tables.gaps.empty:
        return Html("")
    row = surest_first(result.tables.gaps).iloc[0]
    column, groups = row["column"], (row["group_a"], row["group_b"])
    found = differing_answers(result.cube, result.measured[row["measure"]], column, groups)
    told = {
        people_words(column, group): [
            f"{who} ({score:.3g}): {text}"
            for who, score, text in zip(
                found[f"person_{side}"], found[f"score_{side}"], found[f"answer_{side}"], strict=True
            )
        ]
        for side, group in zip("ab", groups, strict=True)
    }
    title = measure_titles(result.measured, result.manifest)[row["measure"]].title
    return section(f"Answers that differ most: {title}", pd.DataFrame({"task": found["task"], **told}))
