"""Results of an Equity Evaluation Corpus audit: finding, figure, tables, pairs, export."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.equity import pairs
from pages.ui.audits.equity.seen import Seen
from pages.ui.audits.equity.setup import AUDIT
from pages.ui.frame import address, columns, exports, shell, typography
from psa_core.audits.eec import corpus, findings, significance, tables
from psa_core.audits.eec.reliability import people_table
from psa_core.audits.eec.result import EquityResult
from psa_core.audits.eec.run import SPELLINGS
from psa_core.charts.eec_boxes import delta_boxes
from psa_core.charts.print import audits
from psa_core.charts.print.caption import Caption
from psa_core.cube import ScoreCube
from psa_core.tables.findings import Finding

COMPARISONS = {"gender": "Gender (female − male)", "race": "Race (African − European American)"}
PART_WORDS = {tables.ALL: "All rows", corpus.NEUTRAL: "Neutral rows"}
PAPER_TABLES = {("gender", "all"): "Table 5", ("gender", "neutral"): "Table 6", ("race", "all"): "Table 7"}
ORDERS = ("As listed", "By Δ-spread", "By task score")
VIEWS = ("By verdict", "System by system")


def show(run_id: str, folder: Path) -> None:
    """Everything, from the finding to the download."""
    opened: EquityResult = frame.opened(AUDIT.audit.id, run_id, str(folder))
    _assessed(run_id, opened.spelling, opened.systems)  # before anything stands there that would move
    with shell.headline_slot() as slot:
        seen = _ask(run_id, opened)
        if seen.table.empty:
            st.info("These people, templates or words have no such pairs. Choose another comparison or other rows.")
            return
        with slot:
            typography.finding(Finding(findings.headline(seen.table, seen.kind), findings.correction(seen.table)))
            if more := findings.further(seen.table, seen.kind):
                typography.second(more)
            if opened.respelled:
                typography.small_print(findings.spelling_line(_spelling(run_id, opened), opened.spelling))
    _figure(seen)
    _tables(seen)
    pairs.show(seen)
    _people(seen)
    frame.end(AUDIT, folder, seen.table, file=f"eec_{seen.kind}_{seen.part}.csv", key="table_csv")


def _people(seen: Seen) -> None:
    """Whether the first names' order would be found again with other templates, and what goes with it."""
    title = "Is the ranking of first names reliable?"
    with st.expander(title, icon=":material/help:", on_change="rerun", key=AUDIT.key("again")) as section:
        if not section.open:
            return
        with shell.show_errors("This cannot be computed for these people"):
            table = _again(seen.run, seen.spelling, seen.systems)
        number = st.column_config.NumberColumn
        st.dataframe(
            table,
            hide_index=True,
            placeholder="–",
            alt="Reliability of the ranking of first names by system, and the factors associated with it",
            column_config={
                "system": "System",
                "target": "Score",
                "templates": "Templates",
                "reliability": number("Reliability", format="%.2f"),
                "low": number("95 % low", format="%.2f"),
                "high": number("95 % high", format="%.2f"),
                "goes with": "Associated with (share of variance)",
                "r_squared": number("R²", format="%.2f"),
            },
        )
        typography.small_print(
            "Sentences from one template are not independent, so each template counts once. Reliability: the expected "
            "rank correlation with the same number of new templates. Factors: how frequent a name is, whether it is a "
            "word, gender, race; only significant ones are listed."
        )


@st.cache_data(max_entries=12, show_spinner="Measuring the first names", show_time=True)
def _again(run_id: str, spelling: str, _systems: dict[str, ScoreCube]) -> pd.DataFrame:
    return people_table(_systems)


@st.cache_resource(max_entries=12, show_spinner="Testing", show_time=True)
def _assessed(run_id: str, spelling: str, _systems: dict[str, ScoreCube]) -> dict[str, dict[str, Any]]:
    return significance.assess(_systems)


@st.cache_data(max_entries=12, show_spinner=False)
def _spelling(run_id: str, _opened: EquityResult) -> pd.DataFrame:
    return significance.spelling_table(_opened.systems, _opened.respelled)


def _ask(run_id: str, opened: EquityResult) -> Seen:
    """The switches: gender or race, which rows, which spelling."""
    any_cube = next(iter(opened.systems.values()))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds, parts = list(opened.design.comparisons), list(tables.parts_of(any_cube))
        kind = st.segmented_control(
            "Compare",
            kinds,
            required=True,
            format_func=COMPARISONS.get,
            wrap=True,
            **address.linked(AUDIT.key("kind"), kinds[0], kinds),
        )
        part = st.selectbox(
            "On",
            parts,
            format_func=lambda item: PART_WORDS.get(item, f"Rows about {item}"),
            width=170,
            **address.linked(AUDIT.key("part"), parts[0], parts),
        )
        spelling = _ask_spelling(opened)
    systems = opened.systems if spelling == opened.spelling else opened.respelled
    table = tables.system_table(_assessed(run_id, spelling, systems), str(kind), str(part))
    return Seen(run_id, opened, systems, str(kind), str(part), spelling, table)


def _ask_spelling(opened: EquityResult) -> str:
    if not opened.respelled:
        return opened.spelling
    chosen = st.segmented_control(
        "Spelling",
        SPELLINGS,
        required=True,
        format_func=SPELLINGS.get,
        wrap=True,
        help="A system that is known by a file of predictions is left out where the file does not have the sentences.",
        **address.linked(AUDIT.key("seen_spelling"), opened.spelling, list(SPELLINGS)),
    )
    return str(chosen)


def _figure(seen: Seen) -> None:
    """Figure 1 or 2 of the paper."""
    table, points = _ask_figure(seen)
    deltas = _deltas(seen.run, seen.spelling, seen.kind, seen.part, seen.systems)
    picture = delta_boxes(deltas, table, significance.VERDICTS[seen.kind], points=points)
    words = (
        f"Box plot of {len(deltas):,} score differences of {len(table)} scores. {findings.finding(table, seen.kind)}"
    )
    st.plotly_chart(picture, key=AUDIT.key("figure"), config={"displayModeBar": False}, alt=words)
    st.caption(
        "Δ is the first side's score minus the second side's, for each template and word, as a share of the score's "
        "range, so that systems compare (the paper's scores all run from 0 to 1). The box holds the middle half of the "
        "pairs, whiskers reach 1.5 times as far. Δ-spread: the largest Δ minus the smallest."
    )
    with exports.row():
        still = partial(audits.delta_boxes, deltas, table, significance.VERDICTS[seen.kind], points=points)
        found = Caption(_figure_title(seen), str(findings.finding(table, seen.kind)), "Equity Evaluation Corpus")
        exports.picture_buttons(still, f"eec_{seen.kind}_{seen.part}", found, key=AUDIT.key("picture"))


def _figure_title(seen: Seen) -> str:
    return f"Figure {1 if seen.kind == 'gender' else 2}: Δ of every pair"


def _ask_figure(seen: Seen) -> tuple[pd.DataFrame, bool]:
    """The figure's heading with its switches: the systems in their order, and whether every pair is shown."""
    task_scores = seen.opened.task_scores
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.header(_figure_title(seen), anchor=False, width="content")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            points = st.toggle("Show every pair", key=AUDIT.key("points"))
            orders = ORDERS if task_scores else ORDERS[:2]
            order = st.segmented_control(
                "Order",
                orders,
                required=True,
                label_visibility="collapsed",
                **address.linked(AUDIT.key("order"), orders[0], orders),
            )
    if order == ORDERS[1]:
        return seen.table.sort_values("spread", ascending=False), points
    return (tables.by_task_score(seen.table, task_scores) if order == ORDERS[2] else seen.table), points


@st.cache_data(max_entries=24, show_spinner=False)
def _deltas(run_id: str, spelling: str, kind: str, part: str, _systems: dict[str, ScoreCube]) -> pd.DataFrame:
    return tables.delta_table(_systems, kind, part)


def _tables(seen: Seen) -> None:
    """Tables 5 to 7 of the paper, and the systems one by one."""
    name = PAPER_TABLES.get((seen.kind, seen.part), "As Tables 5 to 7")
    st.header(f"{name}: systems by verdict", anchor=False)
    signs = ("F↑–M↓", "F↓–M↑") if seen.kind == "gender" else ("AA↑–EA↓", "AA↓–EA↑")
    first, second = ("women", "men") if seen.kind == "gender" else ("African American names", "European American names")
    typography.small_print(
        f"{signs[0]}: scores are significantly higher for {first}; {signs[1]}: for {second}. Δ: difference."
    )
    groups, single = st.tabs(VIEWS, **address.linked(AUDIT.key("tab"), VIEWS[0], VIEWS))
    share = {"format": "%+.4f"}
    with groups:
        by_verdict = {
            "task": st.column_config.TextColumn("Task"),
            "group": st.column_config.TextColumn("Bias group", width="medium"),
            "systems": st.column_config.NumberColumn("Systems"),
            "mean_positive": st.column_config.NumberColumn(f"Average Δ {signs[0]}", **share),
            "mean_negative": st.column_config.NumberColumn(f"Average Δ {signs[1]}", **share),
        }
        table = tables.group_table(seen.table, seen.kind)
        st.dataframe(
            table, hide_index=True, column_config=by_verdict, placeholder="–", alt=f"{name} for the chosen systems"
        )
    with single:
        in_words = columns.config(seen.table, {"t": st.column_config.NumberColumn(format="%.2f")}, digits=4)
        st.dataframe(seen.table, hide_index=True, column_config=in_words, placeholder="–", alt="Every system's test")
