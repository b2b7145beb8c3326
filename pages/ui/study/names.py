"""Step 3 of a new study: the names (packaged, typed or uploaded), with warnings about the list."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from pages.ui.frame import address, cached, controls, exports, markup, uploads
from pages.ui.study import plans
from psa_core.inputs import groups, name_warnings, people
from psa_core.inputs import names as name_lists
from psa_core.inputs.names import NameList
from psa_core.plurals import counted

PACKAGED, TYPED, FILE = "Packaged list", "Type or paste", "Your own file"
TYPED_FILE = "typed-names.txt"
MAX_SLIDERS = 8


@dataclass(frozen=True, eq=False)
class ChosenNames:
    """The names in use, how the study refers to them, their column and evidence, and the uploaded file if any."""

    names: NameList
    spec: str
    files: dict[str, bytes]
    column: str | None = None
    evidence: str = ""


def ask(sentences: str) -> ChosenNames | None:
    """Let the user choose; None until there are names. The file gets a name unlike that of the sentences."""
    ways = {PACKAGED: lambda _: _packaged(), TYPED: _typed, FILE: _file}
    way = controls.choose("Names", list(ways), "study_names_way", label_visibility="collapsed", wrap=True)
    chosen = ways[way](sentences)
    if chosen is None:
        return None
    chosen = _ask_evidence(chosen)
    table = chosen.names.table
    columns = " and ".join(groups.grouping(table))
    st.html(markup.plain(f"{len(table):,} names" + (f", grouped by {columns}." if columns else ", no groups.")))
    for note in chosen.names.notes:
        st.html(markup.plain(note, size="0.9rem", faint=True))
    if warnings := name_warnings.lint(table):
        with st.expander(f"{counted(len(warnings), 'thing')} to look at", icon=":material/warning:"):
            rows = pd.DataFrame([{"name": item.name, "what": item.message} for item in warnings])
            exports.table(rows, "Names worth a second look", height=min(260, 38 + 35 * len(rows)))
    with st.expander("See the names"):
        exports.table(table, "The names with their groups", height=260)
        st.caption(
            "Documents use first and last names, titles and pronouns. Columns first, last, gender and title say them; "
            "without these columns, a rule splits each name as below."
        )
        forms = ("first", "last", "title", "he", "email")
        rows = [[person.name, *map(person.form, forms)] for person in people.people_of(table)]
        shown = pd.DataFrame(rows, columns=["name", "first", "last", "title and last", "pronoun", "e-mail"])
        exports.table(shown, "Each name's forms in a document", height=200)
    return chosen


def _ask_evidence(chosen: ChosenNames) -> ChosenNames:
    """A slider for each column of shares: how surely a name must be of its group to be used."""
    columns = groups.evidence_columns(chosen.names.table)[:MAX_SLIDERS]
    if not columns:
        return chosen
    least = {}
    with st.expander("Use only names that clearly belong to their group", icon=":material/tune:"):
        st.caption("The smallest share of people with a name who are of its group. At 0, none is left out.")
        for place, column in zip(st.columns(len(columns)), columns, strict=True):
            link = address.linked(f"study_evidence_{column}", 0.0)
            st.session_state[link["key"]] = min(max(0.0, float(st.session_state[link["key"]])), 1.0)
            least[column] = place.slider(markup.literal(column.removeprefix("p_")), 0.0, 1.0, step=0.01, **link)
    rule = ",".join(f"{column}>={share:g}" for column, share in least.items() if share)
    return replace(chosen, names=chosen.names.supported(rule), evidence=rule)


def _packaged() -> ChosenNames:
    cards = {card.id: card for card in name_lists.available()}
    titles = {item: f"{card.title} ({card.count})" for item, card in cards.items()}
    first = name_lists.default_for_audits()
    chosen = controls.choose("List", titles, "study_names", first, box=True, label_visibility="collapsed")
    found = cached.names(chosen)  # first: what a client sends need not be one of the options
    st.caption(f"{cards[chosen].note} {cards[chosen].provenance}")
    return ChosenNames(found, chosen, {})


def _typed(sentences: str) -> ChosenNames | None:
    text = st.text_area(
        "Names, one a line",
        key="study_names_text",
        height=180,
        placeholder="Ada Lovelace\nKim Lee\n\nor, with groups:\nname,gender\nAda Lovelace,female",
        persist_state="session",
    )
    if not text.strip():
        return None
    spec = plans.unique_name(TYPED_FILE, "names", sentences)
    return ChosenNames(name_lists.from_text(text), spec, {spec: text.encode()})


def _file(sentences: str) -> ChosenNames | None:
    st.caption(
        "A column of names and any group columns (gender, country, …) in csv, tsv, jsonl or parquet, or a txt file "
        "with one name a line; from Excel, save as CSV UTF-8."
    )
    upload = uploads.ask_file("Names file", uploads.TABLES, key="study_names_file", read=plans.name_columns)
    if upload is None:
        return None
    columns = plans.name_columns(upload)
    column = columns[0]
    if len(columns) > 1:
        column = st.selectbox("Column with the names", columns, key=f"study_names_column_{upload.sha256}")
    name_column = None if column == "name" else column
    spec = plans.unique_name(upload.name, "names", sentences)
    return ChosenNames(plans.uploaded_names(upload, name_column), spec, {spec: upload.content}, name_column)
