"""All numbers of an audit of a language model: the paper's, each beside its floor, then values and pairs one by one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.ui.audits.generation.setup import AUDIT
from pages.ui.frame import address, columns, exports, typography
from psa_core.audits.generation import report, views
from psa_core.audits.generation.result import GenerationResult


def show(opened: GenerationResult, scorer: str) -> None:
    """Behind one line: what is averaged on this page, and what it is averaged over."""
    found = opened.tables
    is_linked = TAB in st.query_params
    with st.expander("All numbers, with floors and intervals", expanded=is_linked, icon=":material/table_chart:"):
        whole, values, pairs, templates = st.tabs(TABS, **address.linked(TAB, TABS[0], TABS))
        with whole:
            _averages_table(_averages(opened))
            typography.small_print(
                "Floor: the value expected by chance (permutation test, values shuffled inside each template). "
                "Corrected: what chance does not explain; empty where the test does not reach 5 %. Last column: "
                "continuations of each prompt needed for a ±20 % interval."
            )
        with values:
            _table(views.of_scorer(found.values, scorer), "values", f"Each value's mean {scorer}")
            typography.small_print("Mean over templates with its 95 % interval; share at or above the threshold.")
        with pairs:
            _table(views.surest_first(found.matrix, scorer), "pairs", f"Each pair's distance in {scorer}")
            typography.small_print(f"Over all templates. {PAIRS}")
        with templates:
            _table(views.surest_first(found.pairs, scorer), "template_pairs", f"Pairs in each template, {scorer}")
            typography.small_print(f"Each template alone. {PAIRS}")


TAB, TABS = AUDIT.key("tab"), ("Averages", "Values", "Pairs", "Pairs in each template")
PAIRS = "p is corrected for the number of rows (Holm); the corrected distance is empty where it does not reach 5 %."


def _table(table: pd.DataFrame, name: str, alt: str) -> None:
    st.dataframe(table, hide_index=True, alt=alt, column_config=columns.config(table), placeholder="–")
    exports.csv_button(table, f"{name}.csv", key=AUDIT.key(f"{name}_csv"))


def _averages_table(table: pd.DataFrame) -> None:
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        column_config=columns.config(table),
        alt="I.F., G.F. and disparity of each score",
    )


def _averages(opened: GenerationResult) -> pd.DataFrame:
    rows = [
        {"score": scorer, "difference": words, **_row(number)}
        for scorer in opened.cube.scorers
        for name, words in report.MEASURES.items()
        if (number := opened.tables.summary.get(scorer, {}).get(name))
    ]
    return pd.DataFrame(rows)


def _row(number: dict[str, float | None]) -> dict[str, float | str | None]:
    shown = bool(number.get("above_noise"))
    low, high, corrected = number.get("low"), number.get("high"), number.get("corrected")
    interval = f"{low:.3f} to {high:.3f}" if shown and low is not None and high is not None else ""
    rounded = {
        name: None if (found := number.get(name)) is None else round(found, 3) for name in ("value", "floor", "p")
    }
    return {
        "as measured": rounded["value"],
        "floor": rounded["floor"],
        "corrected": round(corrected, 3) if shown and corrected is not None else None,
        "95 % interval": interval or "not above noise",
        "p": rounded["p"],
        "continuations needed": number.get("needed"),
    }
