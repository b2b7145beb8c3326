"""A part of Names: how often each group's names are selected, and the impact ratio, in words that a recruiter reads."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import address, exports, typography
from pages.ui.frame.keys import Key
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.claims.groups import ABOUT_SELECTION, crossed, selection_finding
from psa_core.inputs.groups import CROSS, parse_select

WAYS = {"threshold": "It reaches the threshold", "top": "It is among its text's highest names"}


def show(study: StudyContext, column: str) -> None:
    """The finding, a row a group, and both tables as files; `column` is the groups chosen above."""
    st.header("How often are texts with a group's names selected?", anchor=False)
    select = _ask(study)
    options = {"threshold": study.threshold} if select == "threshold" else {}
    table = study.compute(tables.selection_table, column=column, select=select, **options)
    typography.second(selection_finding(table, study.target.name, column=column))
    st.dataframe(
        table.assign(group=table["group"].map(crossed), rate=100 * table["rate"], selected=table["selected"].round(1))[
            ["group", "rate", "impact_ratio", "is_lower", "low", "high", "selected", "texts", "names"]
        ],
        hide_index=True,
        placeholder="–",
        alt="Selection rate and impact ratio of every group",
        column_config={
            "group": st.column_config.TextColumn("Group", width=190),
            "rate": st.column_config.ProgressColumn("Selection rate", min_value=0.0, max_value=100.0, format="%.1f %%"),
            "impact_ratio": st.column_config.NumberColumn(
                "Impact ratio", format="%.2f", width=100, help="Rate over the highest rate. A single name has none."
            ),
            "is_lower": st.column_config.CheckboxColumn(
                "Clearly lower",
                width=110,
                help="By more than chance, over texts and over names; corrected, since any two groups could have been "
                "the highest and the lowest. The interval beside it is not corrected.",
            ),
            "low": st.column_config.NumberColumn("95 % low", format="%.2f", width=82, help="Over texts and names"),
            "high": st.column_config.NumberColumn("95 % high", format="%.2f", width=82, help="Over texts and names"),
            "selected": st.column_config.NumberColumn(
                "Selected", format="%.6g", width=80, help="Names that tie for the last places of a text share them"
            ),
            "texts": st.column_config.NumberColumn("Texts", width=80, help="Texts with a name of the group"),
            "names": st.column_config.NumberColumn("Names", width=70),
        },
    )
    typography.small_print(ABOUT_SELECTION)
    stem = f"selection.{column.replace(CROSS, '-by-')}"
    with exports.row():
        exports.csv_button(table, f"{stem}.csv", key="selection_csv")
        published = tables.published_table(table, column)
        exports.csv_button(
            published, f"{stem}.local-law-144.csv", key="selection_published", label="CSV in Local Law 144's columns"
        )


def _ask(study: StudyContext) -> str:
    """Which texts count as selected, as ``--select`` takes it."""
    asked = str(study.cube.provenance.get("study", {}).get("select") or "threshold")
    kind, count = parse_select(asked)
    most = len(study.cube.names) - 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        way = st.segmented_control(
            "A text counts as selected if",
            WAYS,
            format_func=WAYS.get,
            required=True,
            wrap=True,
            help="The threshold is the slider's. The highest names of a text: as if one place were to be filled from "
            "candidates who differ only by name; those that tie for the last places share them.",
            **address.linked(Key.NAMES_SELECT, kind, WAYS),
        )
        if way == "threshold":
            return "threshold"
        link = address.linked(Key.NAMES_TOP, min(most, count or max(1, len(study.cube.names) // 4)))
        st.session_state[Key.NAMES_TOP] = min(max(1, int(st.session_state[Key.NAMES_TOP])), most)
        top = st.number_input("Names selected for each text", min_value=1, max_value=most, step=1, width=220, **link)
    return f"top:{int(top)}"
