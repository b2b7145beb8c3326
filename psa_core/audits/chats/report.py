"""``report.html`` of an audit of answers: the finding, measures by groups, tails, words, answers side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.chats.findings import finding, people_words, short, size_words
from psa_core.audits.chats.measures import Measure
from psa_core.audits.chats.planning import PLACES
from psa_core.audits.chats.result import ChatResult
from psa_core.audits.chats.tables import differing_answers, measure_titles, surest_first
from psa_core.claims.findings import Finding
from psa_core.plurals import counted
from psa_core.registry import in_short
from psa_core.report.page import Html, Report, section
from psa_core.stats import SIGNIFICANT

#: Rows of unusual answers in a report.
SHOWN = 12
GAPS, TAILS, QUANTILES = "Every measure, between every two groups", "Unusual answers", "Quantiles"
DOMAINS, WORDS = "Domains", "Words that differ"
LIMITS = (
    "A difference between groups is a sensitivity of the language model; a person judges whether it is bias.",
    "In what scorers read, another name stands for the person's own; pronouns and all else stay.",
    "The tasks are a choice: what holds on them need not hold on others.",
)


def headline(result: ChatResult) -> Finding:
    """The one sentence."""
    manifest = result.manifest
    titles = measure_titles(result.measured, manifest)
    found = result.tables
    return finding(found.gaps, titles, manifest.get("graders", {}), shape=result.cube.shape, words=found.words)


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
        how += f"{options.get('seed')}{_truncation(options)}."
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
    lines += [f"Grader {in_short(str(trial.get('id')))}: {trial.get('verdict')}{_grader(trial)}"
              for trial in manifest.get("graders", {}).values()]  # fmt: skip
    return lines


def _truncation(options: Mapping[str, Any]) -> str:
    words = f", from the {options['top_k']} most probable tokens" if options.get("top_k") else ""
    return words + (f", top-p {options['top_p']}" if options.get("top_p", 1) != 1 else "")


def _grader(trial: Mapping[str, Any]) -> str:
    words = ""
    if isinstance(trial.get("order"), float):
        words += f" The answer shown first gains {100 * trial['order']:.0f} points of 100."
    if isinstance(trial.get("ties"), float):
        words += f" {100 * trial['ties']:.0f} % of its picks are close to even."
    return words


def report(result: ChatResult) -> Report:
    """``report.html``."""
    generator = in_short(str(result.manifest.get("generator", {}).get("id", "a language model")))
    shown = {
        title: table.head(SHOWN if title == TAILS else len(table)) for title, table in shown_tables(result).items()
    }
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
