"""What an audit of a language model found: the finding, values against chance, pairs, and their texts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.audits.generation import reading
from pages.ui.audits.generation.setup import AUDIT
from pages.ui.frame import exports, said
from psa_core.audits.generation import folder as folders
from psa_core.audits.generation import report, views
from psa_core.audits.generation.folder import Opened
from psa_core.charts.generation import value_dots, value_matrix

PLAIN = {"displayModeBar": False}
SCORER, FIRST, SECOND = AUDIT.key("score"), AUDIT.key("first"), AUDIT.key("second")
MATRIX = AUDIT.key("matrix")
MEASURES = {
    "individual_fairness": "between values (I.F.)",
    "group_fairness": "between groups (G.F.)",
    "demographic_disparity": "in the share above the threshold",
}


def show(run_id: str, folder: Path, *, own: bool = True) -> None:
    """Everything, from the finding to the download; `own` audits can be left and taken along."""
    opened = _opened(run_id, str(folder))
    cube, found = opened.cube, opened.tables
    values = cube.values["value"].astype(str).tolist()
    scorer, pair = _ask(opened, values)
    said.finding(report.finding(found.summary, scorer, found.matrix))
    _account(opened)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Each value against chance", anchor=False)
        table = _means(run_id, opened, scorer)
        st.plotly_chart(
            value_dots(table, scorer),
            key=AUDIT.key("dots"),
            config=PLAIN,
            alt=f"Mean {scorer} of each value; {table['value'][0]} highest, {table['value'].iloc[-1]} lowest.",
        )
        said.small_print("Grey: where chance alone would put 95 of 100 such dots.")
    with right:
        st.subheader("Each pair of values", anchor=False)
        st.plotly_chart(
            value_matrix(views.matrix(found, scorer, values), selected=pair),
            key=MATRIX,
            config=PLAIN,
            on_select=partial(_take_click, values),
            selection_mode="points",
            alt="Distance of each pair of values, chance taken off.",
        )
        said.small_print(
            "W1 over all templates, corrected for chance; a point stands for a pair that is not above noise. Click a "
            "square to read both."
        )
    reading.show(cube, scorer, pair)
    _numbers(opened)
    if own:
        with st.container(horizontal=True, vertical_alignment="center"):
            audit_job.ask_download(AUDIT, folder)
            exports.csv_button(found.matrix, "pairs.csv", key=AUDIT.key("pairs_csv"))
            audit_job.ask_another(AUDIT)


@st.cache_resource(max_entries=4, show_spinner="Opening the audit")
def _opened(run_id: str, folder: str) -> Opened:
    return folders.read(Path(folder))


@st.cache_data(max_entries=32, show_spinner=False)
def _means(run_id: str, _opened: Opened, scorer: str) -> pd.DataFrame:
    return views.value_means(_opened.cube, scorer)


def _ask(opened: Opened, values: list[str]) -> tuple[str, tuple[str, str]]:
    """Which score and which two values are looked at; at first the two that differ most."""
    scorers = opened.cube.scorers
    scorer = st.session_state.get(SCORER)
    widest = views.widest_pair(opened.tables, scorer if scorer in scorers else scorers[0])
    for key, value in ((FIRST, widest[0]), (SECOND, widest[1])):
        if st.session_state.get(key) not in values:
            st.session_state[key] = value
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = str(st.selectbox("Score", scorers, key=SCORER, width=260))
        first = str(st.selectbox("Compare", values, key=FIRST, width=220))
        second = str(st.selectbox("with", values, key=SECOND, width=220))
    return chosen, (first, second)


def _take_click(values: list[str]) -> None:
    """A clicked square becomes the pair that is read."""
    points = st.session_state[MATRIX]["selection"]["points"]
    if points:
        first, second = points[0]["customdata"][:2]
        if first in values and second in values:
            st.session_state[FIRST], st.session_state[SECOND] = first, second


def _account(opened: Opened) -> None:
    cube, manifest = opened.cube, opened.manifest
    m, a, k = cube.shape
    out = int(cube.texts.size - cube.kept.sum())
    generator = manifest.get("generator", {})
    said.small_print(
        f"{generator.get('id', 'A language model')}: {m} templates × {a} values × {k} continuations; {out:,} of "
        f"{cube.texts.size:,} could not be cut at a full stop and are left out."
    )


def _numbers(opened: Opened) -> None:
    """The paper's numbers, each beside its floor."""
    rows = []
    for scorer in opened.cube.scorers:
        for name, words in MEASURES.items():
            number = opened.tables.summary.get(scorer, {}).get(name)
            if number:
                rows.append({"score": scorer, "difference": words, **_row(number)})
    with st.expander("All numbers, with floors and intervals", icon=":material/table_chart:"):
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="I.F., G.F. and disparity of each score")
        said.small_print(
            "Chance alone shows the floor: the same number after values were dealt at random inside each template. "
            "Corrected is the root of the difference of squares; it is empty where the permutation test does not "
            "reach 5 %."
        )


def _row(number: dict[str, float | None]) -> dict[str, float | str | None]:
    shown = bool(number.get("above_noise"))
    low, high = number.get("low"), number.get("high")
    interval = f"{low:.3f} to {high:.3f}" if shown and low is not None and high is not None else ""
    rounded = {
        name: None if (found := number.get(name)) is None else round(found, 3) for name in ("value", "floor", "p")
    }
    corrected = number.get("corrected")
    return {
        "as measured": rounded["value"],
        "floor": rounded["floor"],
        "corrected": round(corrected, 3) if shown and corrected is not None else None,
        "95 % interval": interval or "not above noise",
        "p": rounded["p"],
    }
