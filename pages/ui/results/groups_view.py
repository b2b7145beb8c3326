"""Groups of names: how they differ, how often each is selected, and what conditions change in their differences."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.frame import address, controls, exports, markup, typography
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import Choice
from psa_core import stats, tables
from psa_core.charts.intervals import group_differences
from psa_core.claims.formatting import Words, with_interval
from psa_core.claims.groups import (
    ABOUT_SELECTION,
    condition_finding,
    crossed,
    group_finding,
    interaction_finding,
    selection_finding,
)
from psa_core.cube import ScoreCube
from psa_core.inputs.groups import CROSS, grouping, labels_of, parse_select
from psa_core.study.conditions import conditions_of
from psa_core.tables.groups import CELLS, INTERACTION

MAX_COLUMNS = 20
WAYS = {"threshold": "It reaches the threshold", "top": "It is among its text's highest names"}
WAYS_HELP = (
    "The threshold is the slider's. The highest names of a text: as if one place were to be filled from candidates who "
    "differ only by name; those that tie for the last places share them."
)
LOWER_HELP = (
    "By more than chance, over texts and over names; corrected, since any two groups could have been the highest and "
    "the lowest. The interval beside it is not corrected."
)
FLOORS = "Group differences with their noise floors"


def by_column(study: StudyContext, *, most: int = MAX_COLUMNS) -> tuple[dict[str, pd.DataFrame], str]:
    """Each column's differences between groups, and the column to draw: the first that has a significant one."""
    options = {"baseline": study.baseline, "correction": "holm"}
    columns = grouping(study.cube.names, most=most)
    found = {column: study.compute(tables.group_table, column=column, **options) for column in columns}
    significant = (c for c, t in found.items() if (t["above_noise"] & (t["p_adjusted"] < stats.SIGNIFICANT)).any())
    return found, next(significant, columns[0] if columns else "")


def differences(study: StudyContext, choice: Choice) -> str:
    """Differences between groups, of one column or of two crossed, with their noise floor; returns which are chosen."""
    columns = grouping(study.cube.names, most=MAX_COLUMNS)
    if not columns:
        typography.small_print("This name list has no column that sorts names into groups.")
        return ""
    st.header("Do groups of names differ?", anchor=False)
    every = [*columns, *tables.crossings(columns, study.cube.names)]
    asked = (study.cube.asked.get("groups"), choice.section, choice.colour)
    first = next((column for column in asked if column in every), columns[0])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        column = str(controls.choose("Groups", every, "group", first, words=lambda one: markup.literal(crossed(one))))
        reference = _ask_reference(study, column)
    options = {"baseline": choice.baseline, "correction": choice.correction, "reference": reference}
    target, against = study.target.name, f"“{crossed(reference)}”" if reference else "the other names"
    words = f"Groups by {crossed(column)}: difference in {study.words.phrase} from {against}"
    if column in columns:
        table = cells = study.compute(tables.group_table, column=column, **options)
    else:
        table = study.compute_slowly(tables.crossing_table, columns=column, **options)
        cells = table[table["part"] == CELLS]
    found = group_finding(cells, target, column=column)
    typography.second(found)
    if column not in columns:
        typography.second(interaction_finding(table, target, columns=column))
    stem = f"groups.{column.replace(CROSS, '-by-')}"
    chart(cells, stem=stem, words=study.caption(words, found), key="groups", table=table)
    if column not in columns:
        with st.expander("Each column alone, and what the crossing adds", icon=":material/grid_on:"):
            typography.small_print(
                "Groups of each column among these names. Then, for each crossed group, how far it differs from what "
                "its two groups alone add up to; with two groups in a column, a line stands for both. All are "
                "corrected together."
            )
            for name in (*column.split(CROSS), INTERACTION):
                if len(part := table[table["part"] == name]):
                    exports.figure(group_differences(part, target="the score"), alt=FLOORS)
    return column


def _ask_reference(study: StudyContext, column: str) -> str:
    """The group that the others are compared with; empty for all other names."""
    present = list(dict.fromkeys(label for label in labels_of(study.cube.names, column) if label))
    asked = study.cube.asked.get("reference")
    return str(
        controls.choose(
            "Compared with",
            ["", *present],
            "reference",
            asked if asked in present else "",
            box=True,
            words=lambda group: crossed(group) if group else "All other names",
            width=220,
            help="Each group against all other names, or against one group.",
        )
    )


def chart(of_groups: pd.DataFrame, **files: Any) -> None:
    """The differences of a column's groups over their noise floors, and how to read them."""
    against = of_groups.attrs.get("reference")
    others = f"those of {crossed(against)}" if against else "that of the other names"
    exports.figure(
        group_differences(of_groups, target="the score"),
        alt=FLOORS,
        note=f"Dots: a group's mean minus {others}. Grey bands: with names assigned to groups at random, "
        "all groups stay within their bands in 95 % of cases. Whiskers: 95 % interval over sentences. Groups with a "
        "single name are not tested.",
        **files,
    )


def selection_rates(study: StudyContext, column: str) -> None:
    """How often each group's names are selected, and the impact ratio, in words that a recruiter reads."""
    st.header("How often are texts with a group's names selected?", anchor=False)
    select = _ask_selected(study)
    options = {"threshold": study.threshold} if select == "threshold" else {}
    table = study.compute(tables.selection_table, column=column, select=select, **options)
    typography.second(selection_finding(table, study.target.name, column=column))
    head, of_both = exports.head, "Over texts and names"
    heads = {
        "group": head("Group", 190),
        "rate": st.column_config.ProgressColumn("Selection rate", min_value=0.0, max_value=100.0, format="%.1f %%"),
        "impact_ratio": head("Impact ratio", 100, "%.2f", help="Rate over the highest rate. A single name has none."),
        "is_lower": st.column_config.CheckboxColumn("Clearly lower", width=110, help=LOWER_HELP),
        "low": head("95 % low", 82, "%.2f", help=of_both),
        "high": head("95 % high", 82, "%.2f", help=of_both),
        "selected": head("Selected", 80, "%.6g", help="Names that tie for the last places of a text share them"),
        "texts": head("Texts", 80, help="Texts with a name of the group"),
        "names": head("Names", 70),
    }
    shown = table.assign(
        group=table["group"].map(crossed), rate=100 * table["rate"], selected=table["selected"].round(1)
    )
    exports.table(shown[[*heads]], "Selection rate and impact ratio of every group", heads)
    typography.small_print(ABOUT_SELECTION)
    stem, law = f"selection.{column.replace(CROSS, '-by-')}", "CSV in Local Law 144's columns"
    with exports.row():
        exports.csv_button(table, f"{stem}.csv", key="selection_csv")
        published = tables.published_table(table, column)
        exports.csv_button(published, f"{stem}.local-law-144.csv", key="selection_published", label=law)


def _ask_selected(study: StudyContext) -> str:
    """Which texts count as selected, as ``--select`` takes it."""
    kind, count = parse_select(str(study.cube.asked.get("select") or "threshold"))
    most = len(study.cube.names) - 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        words = "A text counts as selected if"
        if controls.choose(words, WAYS, "select", kind, wrap=True, help=WAYS_HELP) == "threshold":
            return "threshold"
        link = address.linked("top", min(most, count or max(1, len(study.cube.names) // 4)))
        st.session_state["top"] = min(max(1, int(st.session_state["top"])), most)
        top = st.number_input("Names selected for each text", min_value=1, max_value=most, step=1, width=220, **link)
    return f"top:{int(top)}"


def conditions(study: StudyContext) -> None:
    """What each condition changes: the finding, a chart, and the differences under each condition as a table."""
    columns = grouping(study.cube.names)
    if not columns:
        st.info("These names have no groups. Take a list with a group column, such as gender, to compare conditions.")
        return
    box = partial(controls.choose, box=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = str(box("Score", tables.condition_targets(study.cube), "compare_target"))
        drawn = by_column(study)[1]
        column = str(box("Groups", columns, "compare_groups", drawn if drawn in columns else columns[0]))
    table = study.compute_slowly(_condition_table, of=target, column=column)
    found = condition_finding(table, target, column=column)
    typography.finding(found)
    changes = table.assign(group=table["condition"] + " · " + table["group"].astype(str))
    exports.figure(
        group_differences(changes, title="Change of the difference"),
        alt="How each condition changes the difference of each group",
        note="Dots: by how much a group's difference from the other names changes from "
        f"“{table.attrs['first']}”, on the same texts and names. Grey bands: the same with names assigned to groups at "
        "random. Whiskers: 95 % interval over texts. A diamond is beyond chance, corrected for all groups and "
        "conditions.",
        words=study.caption(f"What conditions change in {table.attrs['phrase'] or target}", found),
        stem=f"conditions.{target}.{column}",
        key="conditions",
    )
    # Differences before and under each condition, with paired intervals of their change.
    of_target = Words.of(target, table)
    rows, ends = [], {"before": "before", "after": "under it", "difference": "change"}
    for row in table.to_dict("records"):
        told = {
            word: with_interval(row, key, f"{key}_low", f"{key}_high", signed=True, words=of_target)
            for key, word in ends.items()
        }
        beyond = {"beyond chance": "yes" if row["above_noise"] else "no"}
        rows.append({"condition": row["condition"], column: crossed(row["group"])} | told | beyond)
    exports.table(pd.DataFrame(rows), "Differences between groups under each condition")
    exports.csv_button(table, "conditions.csv", key="conditions_csv")
    for condition in conditions_of(study.cube):
        st.html(markup.plain(f"{condition.id}: {condition.words}", size="0.9rem"))


def _condition_table(cube: ScoreCube, _target: str, *, of: str, column: str) -> pd.DataFrame:
    return tables.condition_table(cube, of, column)
