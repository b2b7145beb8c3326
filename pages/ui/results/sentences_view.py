"""The parts of Sentences: filters, cards, one sentence over all names, all sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import address, controls, exports, markup, state, typography
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from pages.ui.results import context, flip_card
from pages.ui.results.context import StudyContext
from psa_core.charts.scatter import score_scatter
from psa_core.charts.sentence_dots import sentence_dots
from psa_core.claims import findings
from psa_core.folders import judgements
from psa_core.plurals import counted
from psa_core.study.selection import COUNTED_AS
from psa_core.tables import Flips

SIZES = (5, 10, 20)  # every element of a card is drawn again at each click
ORDERS = {"size": "Largest change", "margin": "Clearest", "sentence": "As in the corpus"}
EACH = {"name": "One per name", "sentence": "One per sentence", "all": "All"}
JUDGED = {"all": "All", "no": "Not judged yet", "yes": "Judged"}
DIRECTIONS = {"both": "Both", "up": "Now flagged", "down": "No longer flagged"}
#: Another list of flips starts at its first page.
RESTARTS = (Key.SENTENCES_PAGE,)
READER = "sentences_reader"
DOTS, SCATTER = "sentences_dots", "sentences_scatter"


@dataclass(frozen=True)
class Filters:
    """Filters and order of the flips."""

    direction: str | None
    order: str
    search: str
    each: str
    judged: str


def ask(study: StudyContext) -> Filters:
    """The search field, and the filters behind a button with a count, so that the flips come first."""
    keys = ("direction", "order", "each", "judged")
    count = sum(bool(st.query_params.get(key)) for key in keys) + bool(study.seen.names)
    box = partial(controls.choose, box=True, clears=RESTARTS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="filters"):
        link = address.linked("sentences_search", "", clears=RESTARTS)
        label = in_words("Words in the sentence")
        search = st.text_input(label, type="search", width=190, placeholder="Any words", **link)
        title = f"Filters: {count} set" if count else "Filters"
        with st.popover(title, icon=":material/filter_list:", key="more_filters"):
            direction = controls.choose("Direction", DIRECTIONS, "direction", clears=RESTARTS)
            order = box("Sort by", ORDERS, "order", help="Clearest: both scores are far from the threshold.")
            each = box("Show", EACH, "each")
            judged = box("Judged", JUDGED, "judged")
            st.session_state["sentences_names"] = list(study.seen.names)
            st.multiselect(
                "Only these names",
                study.cube.names["name"].tolist(),
                format_func=lambda name: study.labels.get(name, name),
                key="sentences_names",
                on_change=lambda: state.choose(names=tuple(st.session_state["sentences_names"])),
                placeholder="All names",
            )
    return Filters(None if direction == "both" else direction, order, (search or "").strip(), each, judged)


def found(study: StudyContext, filters: Filters) -> Flips:
    flips = study.flips(names=study.seen.names or None, direction=filters.direction)
    if not filters.search:
        return flips
    has_words = study.cube.sentences["text"].str.contains(filters.search, case=False, regex=False)
    return flips.only(has_words.to_numpy(dtype=bool)[flips.sentence])


def cards(study: StudyContext, flips: Flips, filters: Filters) -> None:
    """One page of cards; turning pages reruns only this part."""
    _cards(study, flips, filters, context.to_leave_out(study.run))


@st.fragment
def _cards(study: StudyContext, flips: Flips, filters: Filters, away: frozenset[str]) -> None:
    # A fragment may rerun after the reader has moved the threshold or opened another study.
    if state.view(study.full_cube) != study.seen or context.to_leave_out(study.run) != away:
        st.rerun()
    reading = flip_card.reading_of(study, str(st.session_state.get(READER) or "reader"))
    flip_card.offer_undo(study)
    if not len(flips):
        st.info("No label changes here. Move the threshold, or remove a filter.", icon=":material/search_off:")
        judging()
        return
    # Of one name each flip is in a sentence of its own already.
    is_all = filters.each == "all" or (filters.each == "name" and len(study.seen.names) == 1)
    listed = flips if is_all else flips.one_each(filters.each, order=filters.order)  # type: ignore[arg-type]
    judged = listed.among(reading.cells(study.target.name))
    shown = listed if filters.judged == "all" else listed.only(judged == (filters.judged == "yes"))
    of_size = address.linked("cards", SIZES[0], SIZES, clears=RESTARTS)
    size = int(st.session_state["cards"])
    pages = max(1, -(-len(shown) // size))
    of_page = address.linked(Key.SENTENCES_PAGE, 1, range(1, pages + 1)) if pages > 1 else {}
    page = int(st.session_state[Key.SENTENCES_PAGE]) if of_page else 1
    one_each = "" if len(listed) == len(flips) else f"; the largest for each of {counted(len(listed), filters.each)}"
    first, last = size * (page - 1), min(size * page, len(shown))
    these = f"{first + 1:,} to {last:,}" if last > first + 1 else f"{last:,}"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.text(f"{counted(len(flips), 'changed label')}{one_each}; showing {these}", width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            flip_card.progress(study, int(judged.sum()), len(listed))
            judging()
    if not len(shown):
        words = "Every flip here is judged." if filters.judged == "no" else "No flip here is judged yet."
        st.info(words, icon=":material/done_all:")
    rows = shown.frame(order=filters.order, offset=first, limit=size)  # type: ignore[arg-type]
    for _, flip in rows.iterrows():
        flip_card.show(study, flip, reading)
    with st.container(horizontal=True, vertical_alignment="bottom"):  # beneath the cards, so that nothing moves
        place = st.container(width="stretch")
        st.selectbox("Cards per page", SIZES, width=120, **of_size)
        if of_page:
            place.pagination(pages, **of_page)


def judging() -> None:
    """The reader's name, and whether sentences whose meaning changes are left out."""
    with st.popover("Judging", icon=":material/rate_review:"):
        st.text_input(
            "Your name or initials",
            value="reader",
            max_chars=judgements.MAX_READER_LENGTH,
            key=READER,
            persist_state="session",
            help="Judgements are kept with the study, one per reader and flip, and exported with it.",
        )
        st.toggle(
            in_words("Leave out sentences whose meaning changes"),
            value=True,
            key=Key.SENTENCES_LEAVE_OUT,
            persist_state="session",
            help="A sentence leaves every number as soon as somebody says that a replacement changes its meaning.",
        )


def in_view(study: StudyContext, flips: Flips, filters: Filters) -> str:
    """The chosen sentence; without one, that of the first flip, or the first of the corpus."""
    if study.seen.sentence:
        return study.seen.sentence
    first = flips.frame(order=filters.order, limit=1)  # type: ignore[arg-type]
    return str((study.cube.sentences if first.empty else first)["sentence_id"].iloc[0])


def drawer() -> DeltaGenerator:
    """A panel fixed to the window, by a rule of `shell.css`, which can be closed."""
    place = st.container(key="sentences_drawer")
    close = {"on_click": flip_card.open_in, "args": (st.session_state[Key.SENTENCES_CARD],)}
    place.button("Close", key="close_drawer", type="tertiary", icon=":material/close:", **close)
    return place


def one_sentence(study: StudyContext, sentence_id: str) -> None:
    """One sentence, its anchor marked, and its score with every name."""
    row = study.cube.sentences.index[study.cube.sentences["sentence_id"] == sentence_id]
    if row.empty:
        typography.small_print("This sentence is left out.")
        return
    position = int(row[0])
    text = str(study.cube.sentences["text"].iloc[position])
    original, perturbed = study.cube.scores(study.target.name)
    names = study.cube.names["name"]
    scores = {"perturbed": perturbed[position], "original": original[position]}
    table = pd.DataFrame({"name": names, "label": names.map(study.labels), **scores}).dropna(subset=["perturbed"])
    st.header(in_words("One sentence, every name"), anchor=False)
    flip_card.label(study, sentence_id)
    st.html(markup.sentence(text, [(anchor.start, anchor.end) for anchor in study.perturbation.spans[position]]))
    exports.figure(
        sentence_dots(table, target=study.target, threshold=study.threshold, selected=study.seen.names),
        alt=f"Score of this sentence with each of {len(table)} names",
        note="Triangles have the label, circles do not. Click a dot to follow that name.",
        stem=f"sentence.{sentence_id}",
        words=study.caption(f"One sentence, every name: {study.words.phrase}", f"“{text}”"),
        key="dots",
        key_of_chart=DOTS,
        on_select=partial(state.clicked_names, DOTS),
    )
    if study.seen.names:
        flip_card.transcript(study, position, study.seen.names[-1])


def all_sentences(study: StudyContext) -> None:
    """Original score against sensitivity, one point per sentence."""
    st.header(in_words("Which sentences move most?"), anchor=False)
    found = findings.correlation_finding(study.summary(), study.target, tests=len(study.cube.targets))
    typography.second(found)
    exports.figure(
        score_scatter(study.sentences(), target=study.axis, selected=study.seen.sentence),
        alt=str(found),
        note="A point is a sentence; the curve follows the half of the sentences that is nearest (LOWESS). Click a "
        "point to open its sentence above.",
        stem=f"sentences.{study.target.name}",
        words=study.caption("How far names move each sentence, by its original score", found),
        key="scatter",
        table=study.sentences(),
        key_of_chart=SCATTER,
        on_select=partial(state.clicked_sentence, SCATTER),
    )


def account(study: StudyContext) -> None:
    """Whether each sentence was used, and why not."""
    counts = study.full_cube.provenance.get("account", {})
    if not counts:
        return
    with st.expander(in_words("What became of the sentences that were read?"), icon=":material/fact_check:"):
        rows = pd.DataFrame({"what": [COUNTED_AS.get(what, what) for what in counts], "count": list(counts.values())})
        exports.table(rows, "Sentences read, dropped by reason, and kept", width=520)
        if masked := study.full_cube.provenance.get("masked", {}):
            st.caption("These look like words to replace but are not, and stay as they are.")
            left = pd.DataFrame({"where or why": list(masked), "expressions": list(masked.values())})
            exports.table(left, "Words that stay as they are, by reason", width=520)
