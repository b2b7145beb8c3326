"""Step 3 of a study: the names (packaged, typed or uploaded), with warnings about the list."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.ui.frame import markup, uploads
from pages.ui.frame.keys import Key
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core.inputs import names as name_lists
from psa_core.inputs.names import NameList
from psa_core.plurals import counted

PACKAGED, TYPED, FILE = "Packaged list", "Type or paste", "Your own file"
KINDS = ("csv", "tsv", "txt", "jsonl", "parquet", "gz")
TYPED_FILE = "typed-names.txt"


@dataclass(frozen=True, eq=False)
class ChosenNames:
    """The names, how the study refers to them and to their column, and the uploaded file if there is one."""

    names: NameList
    spec: str
    files: dict[str, bytes]
    column: str | None = None


def ask(sentences: str) -> ChosenNames | None:
    """Let the user choose; None while there are none. The file lies beside the sentences, and is not called as they."""
    way = st.segmented_control(
        "Names",
        [PACKAGED, TYPED, FILE],
        default=PACKAGED,
        required=True,
        key="study_names_way",
        label_visibility="collapsed",
        wrap=True,
        persist_state="session",
    )
    chosen = _packaged() if way == PACKAGED else _typed(sentences) if way == TYPED else _file(sentences)
    if chosen is not None:
        _preview(chosen.names)
    return chosen


def _packaged() -> ChosenNames:
    cards = {card.id: card for card in name_lists.available()}
    chosen = st.selectbox(
        "List",
        list(cards),
        key=Key.STUDY_NAMES,
        format_func=lambda item: f"{cards[item].title} ({cards[item].count})",
        label_visibility="collapsed",
        persist_state="session",
    )
    found = plans.name_list(Source(chosen))  # first: what a client sends need not be one of the options
    st.caption(f"{cards[chosen].note} {cards[chosen].provenance}")
    return ChosenNames(found, chosen, {})


def _typed(sentences: str) -> ChosenNames | None:
    text = st.text_area(
        "Names, one a line",
        key=Key.STUDY_NAMES_TEXT,
        height=180,
        placeholder="Ada Lovelace\nKim Lee\n\nor, with groups:\nname,gender\nAda Lovelace,female",
        persist_state="session",
    )
    if not text.strip():
        return None
    spec = plans.apart(TYPED_FILE, "names", sentences)
    return ChosenNames(plans.name_list(Source(spec), text), spec, {spec: text.encode()})


def _file(sentences: str) -> ChosenNames | None:
    st.caption(
        "A column of names and any group columns (gender, country, …) in csv, tsv, jsonl or parquet, or a txt file "
        "with one name a line; from Excel, save as CSV UTF-8."
    )
    upload = uploads.ask_file("Names file", KINDS, key=Key.STUDY_NAMES_FILE, read=plans.name_columns)
    if upload is None:
        return None
    columns = plans.name_columns(upload)
    column = columns[0]
    if len(columns) > 1:
        column = st.selectbox("Column with the names", columns, key=f"{Key.STUDY_NAMES_COLUMN}_{upload.sha256}")
    column = None if column == "name" else column
    spec = plans.apart(upload.name, "names", sentences)
    found = plans.name_list(Source(upload.name, upload, column))
    return ChosenNames(found, spec, {spec: upload.content}, column)


def _preview(chosen: NameList) -> None:
    warnings = name_lists.lint(chosen.table)
    columns = ", ".join(name_lists.grouping(chosen.table))
    st.html(markup.plain(f"{len(chosen.table):,} names" + (f", grouped by {columns}." if columns else ", no groups.")))
    for note in chosen.notes:
        st.html(markup.plain(note, size="0.9rem", faint=True))
    if warnings:
        title = f"{counted(len(warnings), 'thing')} to look at"
        with st.expander(title, icon=":material/warning:"):
            table = pd.DataFrame([{"name": item.name, "what": item.message} for item in warnings])
            st.dataframe(table, hide_index=True, height=min(260, 38 + 35 * len(table)), alt="Names worth a second look")
    with st.expander("See the names"):
        st.dataframe(chosen.table, hide_index=True, height=260, alt="The names with their groups")
