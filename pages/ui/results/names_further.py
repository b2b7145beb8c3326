"""What follows on Names: do groups of names differ, and which names have no meaningful effect?"""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import address, exports, markup, typography
from pages.ui.frame.keys import Key
from pages.ui.results import measured
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import Choice, group_columns, p_text, shown
from psa_core import tables
from psa_core.charts._altair import drawing_svg
from psa_core.charts.group_differences import group_differences
from psa_core.tables import findings


def groups(study: StudyContext, choice: Choice) -> None:
    """Differences between groups, with intervals and the noise floor."""
    columns = group_columns(study, most=20)
    if not columns:
        typography.small_print("This name list has no column that sorts names into groups.")
        return
    st.header("Do groups of names differ?", anchor=False)
    preferred = choice.section or choice.colour
    first = columns.index(preferred) if preferred in columns else 0
    link = address.linked(Key.NAMES_GROUP, columns[first], columns)
    column = st.segmented_control("Groups", columns, required=True, format_func=markup.literal, **link)
    table = measured.groups(study, str(column), baseline=choice.baseline, correction=choice.correction)
    found = findings.group_finding(table, study.target.name, column=str(column))
    typography.second(found)
    drawing = group_differences(table, target=study.target.name)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt="Group differences with their noise floors")
    typography.small_print(
        "Dots: a group's mean minus that of the other names. Grey bands: with names assigned to groups at random, all "
        "groups stay within their bands in 95 % of cases. Whiskers: 95 % interval over sentences. Groups with a single "
        "name are not shown."
    )
    with exports.row():
        exports.csv_button(table, f"groups.{column}.csv", key="groups_csv")
        words = study.words(f"Groups by {column}: difference in {study.target.name} from the other names", found)
        exports.picture_buttons(partial(drawing_svg, drawing), f"groups.{column}", words, key="groups_picture")


def equivalence(study: StudyContext, choice: Choice) -> None:
    """Which names are shown to have no meaningful effect."""
    title = "Which names have no meaningful effect?"
    with st.expander(title, icon=":material/balance:", on_change="rerun", key=Key.NAMES_EQUIVALENCE) as section:
        if not section.open:
            return
        typography.small_print(
            "Not significant does not mean no effect. Enter the largest mean change that would not matter to you; the "
            "equivalence test counts names whose effect is shown to be smaller, allowing for rare large changes."
        )
        score_range = float(study.target.high - study.target.low)
        link = address.linked(Key.NAMES_MARGIN, score_range / 50)
        st.session_state[Key.NAMES_MARGIN] = max(st.session_state[Key.NAMES_MARGIN], score_range / 1000)
        margin = st.number_input(
            f"A mean change of {markup.literal(study.target.name)} below this does not matter",
            min_value=score_range / 1000,
            step=score_range / 200,
            format="%.3f",
            width=360,
            **link,
        )
        table = tables.name_test_table(
            study.cube, study.target.name, baseline=choice.baseline, correction=choice.correction, margin=float(margin)
        )
        typography.second(findings.equivalence_finding(table, study.target.name, margin=float(margin)))
        _in_words(shown(table, study), study.target.name, float(margin))


def _in_words(table: pd.DataFrame, target: str, margin: float) -> None:
    """What the equivalence test says of each name, in words, and the two tests behind them."""
    said_of = {True: f"moves {target} by less than ±{margin:g}", False: "may move it by more"}
    rows = pd.DataFrame(
        {
            "name": table["name"],
            "found": table["equivalent"].astype(bool).map(said_of),
            "p_equivalence": table["p_equivalence_adjusted"].map(p_text),
            "p_rank": table["p_rank_adjusted"].map(p_text),
        }
    )
    config = st.column_config
    st.dataframe(
        rows,
        hide_index=True,
        alt="Equivalence and rank tests per name",
        column_config={
            "name": config.TextColumn("Name", width=160),
            "found": config.TextColumn("On average", width=280),
            "p_equivalence": config.TextColumn("p of that", help="Equivalence test, corrected as chosen"),
            "p_rank": config.TextColumn("p of any effect, by ranks", help="A second opinion, corrected as chosen"),
        },
    )
