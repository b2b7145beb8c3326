"""The parts of Sentences: filters, cards, one sentence over all names, all sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.frame import address, clicks, exports, message_batching, state, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context, flip_card, measured
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.charts._altair import drawing_svg
from psa_core.charts.score_scatter import score_scatter
from psa_core.folders import judgements
from psa_core.plurals import counted
from psa_core.tables import Flips, findings

SIZES = (5, 10, 20)  # every element of a card is drawn again at each click
ORDERS = {"size": "Largest change", "margin": "Clearest", "sentence": "As in the corpus"}
EACH = {"name": "One per name", "sentence": "One per sentence", "all": "All"}
JUDGED = {"all": "All", "no": "Not judged yet", "yes": "Judged"}
DIRECTIONS = {"both": "Both", "up": "Up (0 → 1)", "down": "Down (1 → 0)"}


@dataclass(frozen=True)
class Filters:
    """Which flips are shown, and in which order."""

    direction: str | None
    order: str
    search: str
    each: str
    judged: str


def ask(study: StudyContext) -> Filters:
    """What is looked for, and the filters behind a button that says how many of them are set: flips come first."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="filters"):
        search = st.text_input(
            "Words in the sentence",
            type="search",
            width=190,
            placeholder="Any words",
            **_linked(Key.SENTENCES_SEARCH, ""),
        )
        with st.popover(_filters_set(study), icon=":material/filter_list:", key="more_filters"):
            direction = st.segmented_control(
                "Direction",
                DIRECTIONS,
                format_func=DIRECTIONS.get,
                required=True,
                **_linked(Key.SENTENCES_DIRECTION, "both", DIRECTIONS),
            )
            order = _ask_one("First", ORDERS, Key.SENTENCES_ORDER, "Clearest: both scores are far from the threshold.")
            each = _ask_one("Show", EACH, Key.SENTENCES_EACH)
            judged = _ask_one("Judged", JUDGED, Key.SENTENCES_JUDGED)
            _ask_names(study)
    direction = None if direction == "both" else str(direction)
    return Filters(direction, str(order), (search or "").strip(), each, judged)


def _filters_set(study: StudyContext) -> str:
    """The button's words: how many of the filters behind it are set."""
    keys = (Key.SENTENCES_DIRECTION, Key.SENTENCES_ORDER, Key.SENTENCES_EACH, Key.SENTENCES_JUDGED)
    count = sum(bool(st.query_params.get(key)) for key in keys) + bool(study.seen.names)
    return f"Filters: {count} set" if count else "Filters"


def _ask_one(label: str, options: dict[str, str], key: Key, words: str | None = None) -> str:
    return str(
        st.selectbox(
            label,
            list(options),
            format_func=lambda option: options[option],
            help=words,
            **_linked(key, next(iter(options)), options),
        )
    )


def _linked(key: Key, default: str | int, options: Collection[Any] | None = None) -> dict[str, Any]:
    """See `address.linked`; another list of flips starts at its first page."""
    return address.linked(key, default, options, clears=(Key.SENTENCES_PAGE,))


def _ask_names(study: StudyContext) -> None:
    st.session_state[Key.SENTENCES_NAMES] = list(study.seen.names)
    st.multiselect(
        "Only these names",
        study.cube.names["name"].tolist(),
        format_func=lambda name: study.labels.get(name, name),
        key=Key.SENTENCES_NAMES,
        on_change=lambda: state.choose(names=tuple(st.session_state[Key.SENTENCES_NAMES])),
        placeholder="All names",
    )


def found(study: StudyContext, filters: Filters) -> Flips:
    """The flips that pass the filters."""
    flips = tables.find_flips(
        study.cube,
        study.target.name,
        threshold=study.threshold,
        names=study.seen.names or None,
        direction=filters.direction,  # type: ignore[arg-type]
    )
    if not filters.search:
        return flips
    has_words = study.cube.sentences["text"].str.contains(filters.search, case=False, regex=False)
    return flips.of_sentences(has_words.to_numpy(dtype=bool))


def spread(study: StudyContext, flips: Flips, filters: Filters) -> Flips:
    """One flip a name or a sentence; of one name each flip is in a sentence of its own already."""
    if filters.each == "all" or (filters.each == "name" and len(study.seen.names) == 1):
        return flips
    return flips.one_each(filters.each, order=filters.order)  # type: ignore[arg-type]


def cards(study: StudyContext, flips: Flips, filters: Filters) -> None:
    """One page of cards; another page of them is drawn without the rest, which stays what it is."""
    _cards(study, flips, filters, context.to_leave_out(study.run))


@st.fragment
def _cards(study: StudyContext, flips: Flips, filters: Filters, away: frozenset[str]) -> None:
    if not context.is_still(study, away):
        st.rerun()
    with message_batching.batch():
        _one_page(study, flips, filters)


def _one_page(study: StudyContext, flips: Flips, filters: Filters) -> None:
    reading = flip_card.reading_of(study, str(st.session_state.get(Key.SENTENCES_READER) or "reader"))
    flip_card.offer_undo(study)
    if not len(flips):
        st.info("No label changes here. Move the threshold, or remove a filter.", icon=":material/search_off:")
        judging()
        return
    listed = spread(study, flips, filters)
    judged = listed.among(reading.cells(study.target.name))
    shown = listed if filters.judged == "all" else listed.only(judged == (filters.judged == "yes"))
    page, size, ask_page = _page(shown)
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
    ask_page()


def _page(shown: Flips) -> tuple[int, int, Callable[[], None]]:
    """Which page of the cards, how many a page has, and what asks for both beneath them, so that nothing moves."""
    of_size = _linked(Key.SENTENCES_SIZE, SIZES[0], SIZES)
    size = int(st.session_state[Key.SENTENCES_SIZE])
    pages = max(1, -(-len(shown) // size))
    of_page = address.linked(Key.SENTENCES_PAGE, 1, range(1, pages + 1)) if pages > 1 else {}

    def ask() -> None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            place = st.container(width="stretch")
            st.selectbox("Cards per page", SIZES, width=120, **of_size)
            if of_page:
                place.pagination(pages, **of_page)

    return int(st.session_state[Key.SENTENCES_PAGE]) if of_page else 1, size, ask


def judging() -> None:
    """Who judges, and whether sentences whose meaning changes are left out."""
    with st.popover("Judging", icon=":material/rate_review:"):
        st.text_input(
            "Your name or initials",
            value="reader",
            max_chars=judgements.MAX_READER_LENGTH,
            key=Key.SENTENCES_READER,
            persist_state="session",
            help="Judgements are kept with the study, one per reader and flip, and exported with it.",
        )
        st.toggle(
            "Leave out sentences whose meaning changes",
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


def all_sentences(study: StudyContext) -> None:
    """Original score against sensitivity, a point a sentence."""
    st.header("Which sentences move most?", anchor=False)
    numbers = measured.unlabelled_summary(study)["sensitivity_correlation"]
    found = findings.correlation_finding(numbers, study.target.name, tests=len(study.cube.targets))
    typography.second(found)
    drawing = score_scatter(measured.sentences(study), target=study.target.name, selected=study.seen.sentence)
    st.vega_lite_chart(
        drawing.rows,
        drawing.spec,
        key=Key.SENTENCES_SCATTER,
        on_select=partial(clicks.choose_sentence, Key.SENTENCES_SCATTER),
        alt=str(found),
    )
    typography.small_print(
        "A point is a sentence; the curve follows the half of the sentences that is nearest (LOWESS). Click a point to "
        "open its sentence above."
    )
    with exports.row():
        exports.csv_button(measured.sentences(study), f"sentences.{study.target.name}.csv", key="sentences_csv")
        words = study.words(f"How far names move each sentence, by its original {study.target.name}", found)
        stem = f"sentences.{study.target.name}"
        exports.picture_buttons(partial(drawing_svg, drawing), stem, words, key="scatter_picture")


def account(study: StudyContext) -> None:
    """What became of every sentence that was read."""
    counts = study.whole.provenance.get("account", {})
    if not counts:
        return
    with st.expander("What became of the sentences that were read?", icon=":material/fact_check:"):
        rows = pd.DataFrame({"what": list(counts), "sentences": list(counts.values())})
        st.dataframe(rows, hide_index=True, width=520, alt="Sentences read, dropped by reason, and kept")
        if masked := study.whole.provenance.get("masked", {}):
            st.caption("These look like anchors but are not; no name was put in their place.")
            left = pd.DataFrame({"where or why": list(masked), "expressions": list(masked.values())})
            st.dataframe(left, hide_index=True, width=520, alt="Expressions that are not anchors, by reason")
