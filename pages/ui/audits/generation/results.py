"""Results of a language model audit: finding, values against chance, pairs and their texts."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.generation import comparing, numbers, reading
from pages.ui.audits.generation.setup import AUDIT, FEW
from pages.ui.frame import address, typography
from psa_core.audits.generation import report, views
from psa_core.audits.generation.result import GenerationResult
from psa_core.charts.generation import value_dots, value_matrix
from psa_core.errors import RunFolderError
from psa_core.plurals import counted
from psa_core.registry import in_short

PLAIN = {"displayModeBar": False}
SCORER, FIRST, SECOND = AUDIT.key("score"), AUDIT.key("first"), AUDIT.key("second")
MATRIX = AUDIT.key("matrix")
#: Continuations of each prompt from which on a run that is not finished states a finding.
ENOUGH = 20


def show(run_id: str, folder: Path, *, own: bool = True) -> None:
    """Everything, from the finding to the download; `own` audits can be closed and downloaded."""
    opened = frame.opened(AUDIT.audit.id, run_id, str(folder))
    scorer, pair = _ask(opened)
    typography.finding(_finding(opened, scorer))
    _account(opened, scorer)
    _charts(run_id, opened, scorer, pair)
    reading.show(opened.cube, scorer, pair)
    numbers.show(opened, scorer)
    if own:
        comparing.remember(run_id)
        frame.end(AUDIT, folder)


def show_so_far(run_id: str, folder: Path) -> None:
    """What is there of an audit that is not finished: texts from the first, a finding when there are enough of them."""
    with suppress(RunFolderError):  # a larger part is being put in its place
        opened = frame.opened(AUDIT.audit.id, run_id, str(folder))
        scorer, pair = _ask(opened)
        k, total = opened.cube.shape[2], opened.manifest.get("options", {}).get("continuations")
        words = f"So far, {k} of {total} continuations of each prompt"
        if k < ENOUGH:
            typography.finding(f"{words}: too few to say what differs, enough to read.")
            _dots(_means(run_id, opened, scorer), scorer)
        else:
            typography.finding(f"{words}. {_finding(opened, scorer)}")
            _charts(run_id, opened, scorer, pair)
        reading.show(opened.cube, scorer, pair)


def _finding(opened: GenerationResult, scorer: str) -> str:
    return report.finding(opened.tables.summary, scorer, opened.tables.matrix)


def _charts(run_id: str, opened: GenerationResult, scorer: str, pair: tuple[str, str]) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _dots(_means(run_id, opened, scorer), scorer)
    with right:
        _pairs(opened, scorer, pair)


def _dots(table: pd.DataFrame, scorer: str) -> None:
    st.header("Each value against chance", anchor=False)
    st.plotly_chart(
        value_dots(table, scorer),
        key=AUDIT.key("dots"),
        config=PLAIN,
        alt=f"Mean {scorer} of each value; {table['value'][0]} highest, {table['value'].iloc[-1]} lowest.",
    )
    typography.small_print("Grey: where chance alone would put 95 of 100 such dots.")


def _pairs(opened: GenerationResult, scorer: str, pair: tuple[str, str]) -> None:
    values = opened.cube.values["value"].astype(str).tolist()
    st.header("Each pair of values", anchor=False)
    st.plotly_chart(
        value_matrix(views.matrix(opened.tables, scorer, values), selected=pair),
        key=MATRIX,
        config=PLAIN,
        on_select=partial(_take_click, values),
        selection_mode="points",
        alt="Distance of each pair of values, chance taken off.",
    )
    typography.small_print(
        "Distance between two values' scores (W1) over all templates, corrected for chance; a point stands for a pair "
        "that is not above noise. Click a square to read both."
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _means(run_id: str, _opened: GenerationResult, scorer: str) -> pd.DataFrame:
    return views.value_means(_opened.cube, scorer)


def _ask(opened: GenerationResult) -> tuple[str, tuple[str, str]]:
    """Which score and which two values are looked at: the two that differ most, until others are chosen."""
    values = opened.cube.values["value"].astype(str).tolist()
    scorers = opened.cube.scorers
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = str(st.selectbox("Score", scorers, width=260, **address.linked(SCORER, scorers[0], scorers)))
        widest = views.widest_pair(opened.tables, chosen)
        links = [address.linked(key, value, values) for key, value in zip((FIRST, SECOND), widest, strict=True)]
        if not {st.query_params.get(FIRST), st.query_params.get(SECOND)} <= set(values):
            st.session_state[FIRST], st.session_state[SECOND] = widest
        first, second = (
            str(st.selectbox(words, values, key=link["key"], width=220, on_change=_take_pair))
            for words, link in zip(("Compare", "with"), links, strict=True)
        )
    return chosen, (first, second)


def _take_pair() -> None:
    """Both values stand in the address, or neither."""
    address.put_all({key: st.session_state[key] for key in (FIRST, SECOND)})


def _take_click(values: list[str]) -> None:
    """A clicked square becomes the pair that is read."""
    points = st.session_state[MATRIX]["selection"]["points"]
    if points:
        first, second = points[0]["customdata"][:2]
        if first in values and second in values:
            address.put_all({FIRST: first, SECOND: second})


def _account(opened: GenerationResult, scorer: str) -> None:
    cube, manifest = opened.cube, opened.manifest
    m, a, k = cube.shape
    out = int(cube.texts.size - cube.kept.sum())
    generator = in_short(str(manifest.get("generator", {}).get("id", "A language model")))
    typography.small_print(
        f"{generator}: {counted(m, 'template')} × {counted(a, 'value')} × {counted(k, 'continuation')}; {out:,} of "
        f"{cube.texts.size:,} could not be cut at a full stop and are left out."
    )
    if k < FEW and not opened.tables.summary[scorer]["individual_fairness"]["above_noise"]:
        typography.small_print(
            f"{k} continuations show only large differences. Set up another audit with the same choices and 50 "
            "continuations of each prompt: those that are written are used again."
        )
