"""The part of Compare for a study with conditions: what each changes in the differences between groups of names."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.ui.frame import address, exports, markup, typography
from pages.ui.frame.keys import Key
from pages.ui.results import figure
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.charts.intervals import group_differences
from psa_core.claims.formatting import with_interval
from psa_core.claims.groups import condition_finding, crossed
from psa_core.cube import ScoreCube
from psa_core.inputs.groups import grouping
from psa_core.study.conditions import conditions_of

NO_GROUPS = "These names have no groups. Take a list with a group column, such as gender, to compare conditions."


def show(study: StudyContext) -> None:
    """The finding, the changes as a chart, and the differences under each condition as a table."""
    columns = grouping(study.cube.names)
    if not columns:
        st.info(NO_GROUPS)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of = tables.condition_targets(study.cube)
        target = st.selectbox("Score", of, **address.linked(Key.COMPARE_TARGET, of[0], of))
        column = st.selectbox("Groups", columns, **address.linked(Key.COMPARE_GROUPS, columns[0], columns))
    table = study.compute_slowly(_table, of=target, column=column)
    found = condition_finding(table, target, column=column)
    typography.finding(found)
    first = table.attrs["first"]
    changes = table.assign(group=table["condition"] + " · " + table["group"].astype(str))
    figure.show(
        group_differences(changes, title="Change of the difference"),
        alt="How each condition changes the difference of each group",
        note=f"Dots: by how much a group's difference from the other names changes from “{first}”, on the same texts "
        "and names. Grey bands: the same with names assigned to groups at random. Whiskers: 95 % interval over texts. "
        "A diamond is beyond chance, corrected for all groups and conditions.",
        words=study.caption(f"What conditions change in {table.attrs['phrase'] or target}", found),
        stem=f"conditions.{target}.{column}",
        key="conditions",
    )
    _differences(table, column)
    for condition in conditions_of(study.cube):
        st.html(markup.plain(f"{condition.id}: {condition.words}", size="0.9rem"))


def _table(cube: ScoreCube, _target: str, *, of: str, column: str) -> pd.DataFrame:
    return tables.condition_table(cube, of, column)


def _differences(table: pd.DataFrame, column: str) -> None:
    """Differences before and under each condition with paired intervals of their change."""
    rows = []
    for row in table.to_dict("records"):
        ends = {"before": "before", "after": "under it", "difference": "change"}
        told = {word: with_interval(row, key, f"{key}_low", f"{key}_high", signed=True) for key, word in ends.items()}
        is_beyond = "yes" if row["above_noise"] else "no"
        rows.append(
            {"condition": row["condition"], column: crossed(row["group"])} | told | {"beyond chance": is_beyond}
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Differences between groups under each condition")
    exports.csv_button(table, "conditions.csv", key="conditions_csv")
