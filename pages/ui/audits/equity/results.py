"""Results of an Equity Evaluation Corpus audit: finding, figure, tables, pairs, export."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import compared, frame
from pages.ui.audits.equity.setup import AUDIT
from pages.ui.frame import address, cached, markup, shell, typography
from psa_core.audits.eec import corpus, findings, significance, tables
from psa_core.audits.eec.result import SPELLINGS, EquityResult
from psa_core.charts._altair import drawing_svg
from psa_core.charts._theme import DOWN, UP
from psa_core.charts.eec_boxes import delta_boxes
from psa_core.charts.print.caption import Caption
from psa_core.claims.findings import Finding
from psa_core.claims.formatting import number
from psa_core.cube import ScoreCube

COMPARISONS = {"gender": "Gender (female − male)", "race": "Race (African − European American)"}
PART_WORDS = {tables.ALL: "All rows", corpus.NEUTRAL: "Neutral rows"}
PAPER_TABLES = {("gender", "all"): "Table 5", ("gender", "neutral"): "Table 6", ("race", "all"): "Table 7"}
ORDERS = ("As listed", "By Δ-spread", "By task score")
VIEWS = ("By verdict", "System by system")
SIGNS = ("Both", "Δ > 0", "Δ < 0")
SHOWN = 8


@dataclass(frozen=True, eq=False)
class Seen:
    """The current view: one comparison on a subset of the rows, in one spelling."""

    run: str
    opened: EquityResult
    systems: dict[str, ScoreCube]
    kind: str
    part: str
    spelling: str
    table: pd.DataFrame


def show(run_id: str, folder: Path) -> None:
    """Everything, from the finding to the download."""
    opened: EquityResult = cached.audit(AUDIT.audit.id, run_id, folder)
    _assessed(run_id, opened.spelling, opened.systems)  # before anything stands there that would move
    with shell.headline_slot() as slot:
        seen = _ask(run_id, opened)
        if seen.table.empty:
            st.info("These people, templates or words have no such pairs. Choose another comparison or other rows.")
            return
        with slot:
            typography.finding(Finding(findings.headline(seen.table, seen.kind), findings.correction(seen.table)))
            typography.second(findings.further(seen.table, seen.kind))
            if opened.respelled:
                typography.small_print(findings.spelling_line(_spelling(run_id, opened), opened.spelling))
    _figure(seen)
    _tables(seen)
    _pairs(seen)
    _first_names(seen)
    frame.end(AUDIT, folder, seen.table, file=f"eec_{seen.kind}_{seen.part}.csv", key="table_csv")


def _ask(run_id: str, opened: EquityResult) -> Seen:
    """Controls: gender or race, which rows, which spelling."""
    kinds, parts = list(opened.design.comparisons), list(tables.parts_of(next(iter(opened.systems.values()))))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        link = address.linked(AUDIT.key("kind"), kinds[0], kinds)
        kind = st.segmented_control("Compare", kinds, required=True, format_func=COMPARISONS.get, wrap=True, **link)
        part = st.selectbox(
            "On",
            parts,
            format_func=lambda item: PART_WORDS.get(item, f"Rows about {item}"),
            width=170,
            **address.linked(AUDIT.key("part"), parts[0], parts),
        )
        spelling = opened.spelling
        if opened.respelled:
            spelling = str(
                st.segmented_control(
                    "Spelling",
                    SPELLINGS,
                    required=True,
                    format_func=SPELLINGS.get,
                    wrap=True,
                    help="A system that is known by a file of predictions is left out where the file does not have the "
                    "sentences.",
                    **address.linked(AUDIT.key("seen_spelling"), opened.spelling, list(SPELLINGS)),
                )
            )
    systems = opened.systems if spelling == opened.spelling else opened.respelled
    table = tables.system_table(_assessed(run_id, spelling, systems), str(kind), str(part))
    return Seen(run_id, opened, systems, str(kind), str(part), spelling, table)


@st.cache_resource(max_entries=12, show_spinner="Testing", show_time=True)
def _assessed(run_id: str, spelling: str, _systems: dict[str, ScoreCube]) -> dict[str, dict[str, Any]]:
    return significance.assess(_systems)


@st.cache_data(max_entries=12, show_spinner=False)
def _spelling(run_id: str, _opened: EquityResult) -> pd.DataFrame:
    return _opened.spelling_table


def _figure(seen: Seen) -> None:
    """Figure 1 or 2 of the paper, with controls for the order of the systems and for showing every pair."""
    title = f"Figure {1 if seen.kind == 'gender' else 2}: Δ of every pair"
    task_scores = seen.opened.task_scores
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.header(title, anchor=False, width="content")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            points = st.toggle("Show every pair", key=AUDIT.key("points"))
            orders = ORDERS if task_scores else ORDERS[:2]
            link = address.linked(AUDIT.key("order"), orders[0], orders)
            order = st.segmented_control("Order", orders, required=True, label_visibility="collapsed", **link)
    table = seen.table
    if order != ORDERS[0]:
        by_spread = order == ORDERS[1]
        table = table.sort_values("spread", ascending=False) if by_spread else tables.by_task_score(table, task_scores)
    deltas = _deltas(seen.run, seen.spelling, seen.kind, seen.part, seen.systems)
    verdicts, finding = significance.VERDICTS[seen.kind], findings.headline(table, seen.kind)
    drawing = delta_boxes(deltas, table, verdicts, points=points)
    alt = f"Box plot of {len(deltas):,} score differences of {len(table)} scores. {finding}"
    st.vega_lite_chart(drawing.rows, drawing.spec, key=AUDIT.key("figure"), alt=alt)
    st.caption(
        "Δ is the first side's score minus the second side's, for each template and word, as a share of the score's "
        "range, so that systems compare (the paper's scores all run from 0 to 1). The box holds the middle half of the "
        "pairs, whiskers reach 1.5 times as far. Δ-spread: the largest Δ minus the smallest. A triangle marks a "
        "difference that is significant with templates and people counted once."
    )
    words = Caption(title, finding, "Equity Evaluation Corpus")
    frame.picture(AUDIT, partial(drawing_svg, drawing, width=620), f"eec_{seen.kind}_{seen.part}", words)


@st.cache_data(max_entries=24, show_spinner=False)
def _deltas(run_id: str, spelling: str, kind: str, part: str, _systems: dict[str, ScoreCube]) -> pd.DataFrame:
    return tables.delta_table(_systems, kind, part)


def _tables(seen: Seen) -> None:
    """Tables 5 to 7 of the paper, and each system on its own."""
    name = PAPER_TABLES.get((seen.kind, seen.part), "As Tables 5 to 7")
    st.header(f"{name}: systems by verdict", anchor=False)
    _, *signs = significance.VERDICTS[seen.kind]
    first, second = ("women", "men") if seen.kind == "gender" else ("African American names", "European American names")
    typography.small_print(
        f"{signs[0]}: scores are significantly higher for {first}; {signs[1]}: for {second}, by the paper's test and "
        "with templates and people counted once. Δ: difference."
    )
    groups, single = st.tabs(VIEWS, **address.linked(AUDIT.key("tab"), VIEWS[0], VIEWS))
    with groups:
        means = {
            column: st.column_config.NumberColumn(f"Average Δ {sign}", format="%+.4f")
            for column, sign in zip(("mean_positive", "mean_negative"), signs, strict=True)
        }
        by_verdict = tables.group_table(seen.table, seen.kind)
        frame.table(AUDIT, by_verdict, f"{name} for the chosen systems", group="Bias group", **means)
    with single:
        t = st.column_config.NumberColumn(format="%.2f")
        frame.table(AUDIT, seen.table, "Every system's test", digits=4, t=t)


def _pairs(seen: Seen) -> None:
    """Choose a system and a score, then read its pairs; the default has the largest difference."""
    st.header("The pairs that differ most", anchor=False)
    choices = {
        f"{name} · {target.name}": (name, target.name) for name, cube in seen.systems.items() for target in cube.targets
    }
    most = findings.largest(seen.table, seen.kind)
    first = f"{most['system']} · {most['target']}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        link = address.linked(AUDIT.key("pair_system"), first, list(choices))
        chosen = st.selectbox("System and score", list(choices), width=340, **link)
        link = address.linked(AUDIT.key("sign"), SIGNS[0], SIGNS)
        sign = st.segmented_control("Direction", SIGNS, required=True, **link)
    system, target = choices.get(chosen, choices[first])  # what a client sends need not be one of them
    table = _pair_table(seen, system, target, seen.run, seen.kind, seen.part, seen.spelling)
    if sign != SIGNS[0]:
        table = table[table["delta"] > 0] if sign == SIGNS[1] else table[table["delta"] < 0]
    shown = table[table["delta"] != 0].head(SHOWN)
    if shown.empty:
        st.info("No pair differs in this way.")
    else:
        st.html("".join(_pair(row) for row in shown.itertuples(index=False)))
    if shown["pair"].str.contains("average").any():
        st.caption("First names are compared by their average; the two most different sentences are shown.")
    with st.expander(f"All {len(table):,} pairs as a table"):
        frame.table(AUDIT, table, "Every pair with its scores", csv="eec_pairs.csv")
    with st.expander("Each person's mean score"):
        people = tables.person_table(seen.systems[system], target, seen.part)
        frame.table(AUDIT, people, "Mean score by person, highest first")


@st.cache_data(max_entries=24, show_spinner=False)
def _pair_table(_seen: Seen, system: str, target: str, *looked_at: str) -> pd.DataFrame:
    design = _seen.opened.design
    design = corpus.spelled(design, _seen.spelling) if _seen.opened.respelled else design
    return tables.pair_table(design, _seen.systems[system], target, _seen.kind, _seen.part)


def _pair(row: Any) -> str:
    """One pair: Δ, then both sentences with the differing words marked."""
    lines = "".join(
        f'<div style="{markup.SERIF}; font-size: 1.1rem; line-height: 1.45; overflow-wrap: anywhere">'
        f'<span style="font-family: Inter, sans-serif; font-size: 0.95rem; {markup.DIGITS}; display: inline-block; '
        f'min-width: 4rem; opacity: 0.85">{number(score, digits=3)}</span>{markup.marked(text, spans)}</div>'
        for text, spans, score in zip(
            (row.first_text, row.second_text),
            compared.differing(str(row.first_text), str(row.second_text)),
            (row.first, row.second),
            strict=True,
        )
    )
    sign, colour = ("▲", UP) if row.delta > 0 else ("▼", DOWN)
    return (
        '<div style="display: flex; gap: 1.1rem; align-items: center; padding: 0.4rem 0">'
        f'<div style="min-width: 5.4rem; font-size: 1.5rem; font-weight: 650; color: {colour}; {markup.DIGITS}">'
        f"{sign} {number(row.delta, digits=2, signed=True)}</div>"
        f'<div style="flex: 1; min-width: 0">{lines}'
        f'<div style="font-size: 0.82rem; opacity: 0.75">{html.escape(f"{row.pair} · {row.emotion}")}</div></div></div>'
    )


def _first_names(seen: Seen) -> None:
    """Does the ranking of first names replicate with other templates, and what is it associated with?"""
    title = "Is the ranking of first names reliable?"
    with st.expander(title, icon=":material/help:", on_change="rerun", key=AUDIT.key("again")) as section:
        if not section.open:
            return
        with shell.show_errors("This cannot be computed for these people"):
            table = _people_table(seen.run, seen.spelling, seen.systems)
        titles = {"target": "Score", "associated with": "Associated with (share of variance)", "r_squared": "R²"}
        words = (
            "Sentences from one template are not independent, so each template counts once. Reliability: the expected "
            "rank correlation with the same number of new templates. Factors: how frequent a name is, whether it is a "
            "word, gender, race; only significant ones are listed."
        )
        alt = "Reliability of the ranking of first names by system, and the factors associated with it"
        frame.table(AUDIT, table, alt, words=words, digits=2, **titles)


@st.cache_data(max_entries=12, show_spinner="Measuring the first names", show_time=True)
def _people_table(run_id: str, spelling: str, _systems: dict[str, ScoreCube]) -> pd.DataFrame:
    return tables.people_table(_systems)
