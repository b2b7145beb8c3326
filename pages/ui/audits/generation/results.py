"""Results of a language model audit: finding, values against chance, pairs, their texts, and all numbers."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.generation import comparing, reading
from pages.ui.audits.generation.setup import AUDIT, FEW
from pages.ui.frame import address, cached, typography
from psa_core.audits.generation import report, tables
from psa_core.audits.generation.result import GenerationResult
from psa_core.charts.generation import value_dots, value_matrix
from psa_core.claims.findings import Finding
from psa_core.errors import RunFolderError
from psa_core.registry import in_short

PLAIN = {"displayModeBar": False}
SCORER, FIRST, SECOND = AUDIT.key("score"), AUDIT.key("first"), AUDIT.key("second")
MATRIX = AUDIT.key("matrix")
TAB, TABS = AUDIT.key("tab"), ("Averages", "Values", "Pairs", "Pairs in each template")
PAIRS = "p is corrected for the number of rows (Holm); the corrected distance is empty where it does not reach 5 %."
FLOOR = (
    "Floor: the value expected by chance (permutation test, values shuffled inside each template). Corrected: what "
    "chance does not explain; empty where the test does not reach 5 %. Last column: continuations of each prompt "
    "needed for a ±20 % interval."
)
#: Continuations of each prompt from which on a run that is not finished states a finding.
ENOUGH = 20


def show(run_id: str, folder: Path, *, own: bool = True) -> None:
    """The whole page, from the finding to the download; `own` audits can be closed and downloaded."""
    opened = cached.audit(AUDIT.audit.id, run_id, folder)
    scorer, pair = _ask(opened)
    typography.finding(_finding(opened, scorer))
    _account(opened, scorer)
    _charts(run_id, opened, scorer, pair)
    reading.show(opened.cube, scorer, pair)
    _numbers(opened, scorer)
    if own:
        comparing.remember(run_id)
        frame.end(AUDIT, folder)


def show_so_far(run_id: str, folder: Path) -> None:
    """A running audit so far: its texts, and a finding once there are enough of them."""
    with suppress(RunFolderError):  # a larger part is being put in its place
        opened = cached.audit(AUDIT.audit.id, run_id, folder)
        scorer, pair = _ask(opened)
        k, total = opened.cube.shape[2], opened.manifest.get("options", {}).get("continuations")
        words = f"So far, {k} of {total} continuations of each prompt"
        if k < ENOUGH:
            typography.finding(f"{words}: too few to say what differs, enough to read.")
            _dots(_means(run_id, opened, scorer), scorer)
        else:
            found = _finding(opened, scorer)
            typography.finding(Finding(f"{words}. {found.headline}", found.evidence))
            _charts(run_id, opened, scorer, pair)
        reading.show(opened.cube, scorer, pair)


def _finding(opened: GenerationResult, scorer: str) -> Finding:
    return report.finding(opened.tables.summary, scorer, opened.tables.matrix)


def _charts(run_id: str, opened: GenerationResult, scorer: str, pair: tuple[str, str]) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _dots(_means(run_id, opened, scorer), scorer)
    with right:
        values = opened.cube.values["value"].astype(str).tolist()
        st.header("Each pair of values", anchor=False)
        st.plotly_chart(
            value_matrix(tables.matrix(opened.tables, scorer, values), selected=pair),
            key=MATRIX,
            config=PLAIN,
            on_select=partial(_take_click, values),
            selection_mode="points",
            alt="Distance of each pair of values, chance taken off.",
        )
        typography.small_print(
            "Distance between two values' scores (W1) over all templates, corrected for chance; “·” = could be chance. "
            "Click a square to read both."
        )


def _dots(table: pd.DataFrame, scorer: str) -> None:
    st.header("Each value against chance", anchor=False)
    st.plotly_chart(
        value_dots(table, scorer),
        key=AUDIT.key("dots"),
        config=PLAIN,
        alt=f"Mean {scorer} of each value; {table['value'][0]} highest, {table['value'].iloc[-1]} lowest.",
    )
    typography.small_print("Grey: where chance alone would put 95 of 100 such dots.")


@st.cache_data(max_entries=32, show_spinner=False)
def _means(run_id: str, _opened: GenerationResult, scorer: str) -> pd.DataFrame:
    return tables.value_means(_opened.cube, scorer)


def _ask(opened: GenerationResult) -> tuple[str, tuple[str, str]]:
    """The chosen score and pair of values; by default the two that differ most."""
    values = opened.cube.values["value"].astype(str).tolist()
    scorers = opened.cube.scorers
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = str(st.selectbox("Score", scorers, width=260, **address.linked(SCORER, scorers[0], scorers)))
        widest = tables.widest_pair(opened.tables, chosen)
        links = [address.linked(key, value, values) for key, value in zip((FIRST, SECOND), widest, strict=True)]
        if not {st.query_params.get(FIRST), st.query_params.get(SECOND)} <= set(values):
            st.session_state[FIRST], st.session_state[SECOND] = widest
        first, second = (
            str(st.selectbox(words, values, key=link["key"], width=220, on_change=_take_pair))
            for words, link in zip(("Compare", "with"), links, strict=True)
        )
    return chosen, (first, second)


def _take_pair() -> None:
    """Put both values in the URL, or neither."""
    address.put_all({key: st.session_state[key] for key in (FIRST, SECOND)})


def _take_click(values: list[str]) -> None:
    """Select the pair of the clicked square."""
    points = st.session_state[MATRIX]["selection"]["points"]
    if points:
        first, second = points[0]["customdata"][:2]
        if first in values and second in values:
            address.put_all({FIRST: first, SECOND: second})


def _account(opened: GenerationResult, scorer: str) -> None:
    k = opened.cube.shape[2]
    generator = in_short(str(opened.manifest.get("generator", {}).get("id", "A language model")))
    typography.small_print(f"{generator}: {' '.join(report.account(opened.cube))}")
    if k < FEW and not opened.tables.summary[scorer]["individual_fairness"]["above_noise"]:
        typography.small_print(
            f"{k} continuations show only large differences. Set up another audit with the same choices and 50 "
            "continuations of each prompt: those that are written are used again."
        )


def _numbers(opened: GenerationResult, scorer: str) -> None:
    """Expandable: what is averaged on this page, and over what."""
    found = opened.tables
    is_linked = TAB in st.query_params
    with st.expander("All numbers, with floors and intervals", expanded=is_linked, icon=":material/table_chart:"):
        averages = report.shown_averages(found.summary, opened.cube.scorers)
        shown = (
            ("averages", averages, "I.F., G.F. and disparity of each score", FLOOR),
            ("values", tables.of_scorer(found.values, scorer), f"Each value's mean {scorer}",
             "Mean over templates with its 95 % interval; share above the threshold."),
            ("pairs", tables.surest_first(found.matrix, scorer), f"Each pair's distance in {scorer}",
             f"Over all templates. {PAIRS}"),
            ("template_pairs", tables.surest_first(found.pairs, scorer), f"Pairs in each template, {scorer}",
             f"Each template alone. {PAIRS}"),
        )  # fmt: skip
        for part, (name, table, alt, words) in zip(
            st.tabs(TABS, **address.linked(TAB, TABS[0], TABS)), shown, strict=True
        ):
            with part:
                frame.table(AUDIT, table, alt, words=words, csv=f"{name}.csv")
