"""The parts of a study's names, alone in the anchor's place: asked for with a button, since it takes the model."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import cached, clicks, exports, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.results.context import StudyContext
from pages.ui.results.mitigate_view import confirmed
from pages.ui.results.why_view import scored_rows
from psa_core.errors import PsaError
from psa_core.plurals import counted
from psa_core.tables.parts import FIRST, REST, VARIANTS, part_finding, part_shares, part_table, plan_parts

NUMBERS = {
    "whole": "Whole name", "first_alone": "First part alone", "rest_alone": "The rest alone",
    "interaction": "Added together", "lower_case": "lower case", "initials": "As initials",
}  # fmt: skip


def parts(study: StudyContext) -> None:
    """How much of the effects goes with one part of the name."""
    st.header("Which part of the name?", anchor=False)
    try:
        plan = plan_parts(study.cube)
    except PsaError as error:
        typography.second(error.told)
        return
    key = f"{Key.WHY_PARTS} of {study.run}"
    if key not in st.session_state:
        typography.small_print(
            "Each part of a name alone in the anchor's place (Dick, Cheney, Dick Cheney), in lower case, and as "
            "initials, in a few sampled sentences. This asks the model of the study."
        )
        said_by = confirmed(study.run, str(study.cube.provenance.get("study", {}).get("model", "")))
        label = f"Score the parts ({plan.texts.cells:,} texts of {counted(len(plan.rows), 'sentence')})"
        if said_by is None or not st.button(label, key=Key.WHY_PARTS, icon=":material/call_split:"):
            return
        with shell.show_errors("The model of this study cannot be asked"):
            loaded = cached.scorer(str(study.cube.provenance["study"]["model"]), said_by)
            rows = [plan.texts.row(row) for row in range(len(plan.rows))]
            st.session_state[key] = scored_rows(loaded, rows)
        st.rerun()
    scores = st.session_state[key][..., study.cube.target_index(study.target.name)]
    table = part_table(study.cube, study.target.name, plan, scores)
    typography.second(part_finding(_shown(table, study), study.target.name, sentences=len(plan.rows)))
    shares = part_shares(table)
    if shares:
        words = ", ".join(f"{part} {100 * share:.0f} %" for part, share in shares.items())
        typography.small_print(f"Shares of the differences between whole names: {words}.")
    _table(study, table)


def _table(study: StudyContext, table: pd.DataFrame) -> None:
    ordered = table.sort_values("whole", key=abs, ascending=False, kind="stable")
    names = tuple(ordered["name"])
    clicks.tick(Key.WHY_PARTS_TABLE, names, study.seen.names)
    numbers = {column: st.column_config.NumberColumn(title, format="%+.3f") for column, title in NUMBERS.items()}
    st.dataframe(
        _shown(ordered, study)[["name", *NUMBERS]],
        hide_index=True,
        key=Key.WHY_PARTS_TABLE,
        on_select=partial(clicks.take_rows, Key.WHY_PARTS_TABLE, names),
        column_config={"name": "Name", **numbers},
        alt="Effects of each name's parts alone",
    )
    typography.small_print(
        f"Effects against the typical name in the same sentences, {len(VARIANTS)} forms per name; “added together” is "
        "the full name's effect minus both parts'."
    )
    with exports.row():
        exports.csv_button(table, f"parts.{study.target.name}.csv", key="parts_csv")


def _shown(table: pd.DataFrame, study: StudyContext) -> pd.DataFrame:
    """Names and their parts as they are shown."""
    labels = table["name"].map(study.labels)
    hidden = (labels != table["name"]).to_numpy()
    shown = table.assign(name=labels)
    shown.loc[hidden, FIRST] = labels[hidden].str.split().str[0]
    shown.loc[hidden, REST] = labels[hidden].str.split().str[1:].str.join(" ")
    return shown
