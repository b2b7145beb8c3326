"""The frame around every page: navigation, heading, the open study, messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.ui.frame import address, internals, page_scoring, state, typography, visitor
from pages.ui.frame.typography import in_words
from psa_core import jobs, registry, trust
from psa_core.errors import PsaError
from psa_core.inputs import limits
from psa_core.jobs import run_status
from psa_core.plurals import called

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = "Perturbation sensitivity"
PAGE_WIDTH = 1360
TRY, STUDY, PART, AUDITS, HIDDEN = "try it", "your study", "part of a study", "other audits", "hidden"
#: File, title, icon, what it answers, and which door leads there: the parts of a study are there while one is open.
PAGES = (
    ("try_it", "Try it", "science", "Type one sentence and see every name's score at once. Needs no upload.", TRY),
    ("study", "Overview", "assignment", "What was found, how sure it is, and what to do next.", STUDY),
    ("names", "Names", "groups", "Which names move the score, by how much, how surely, and why.", PART),
    ("thresholds", "Thresholds", "tune", "How many labels change with the name, at every threshold.", PART),
    ("sentences", "Sentences", "swap_horiz", "The sentences whose label changes; all in one picture.", PART),
    ("compare", "Compare", "compare_arrows", "Models side by side; averaging over names; retraining.", PART),
    ("report", "Report", "download", "Everything in one folder: preview, download, open again.", PART),
    ("audit", "Other audits", "fact_check", "Other questions about names, each with its own method.", AUDITS),
    ("new_study", "New study", "add", "Choose sentences, names and a model, and run them.", TRY),
    ("equity", "Equity", "balance", "The Equity Evaluation Corpus audit: gender and race, pair by pair.", HIDDEN),
    ("nationality", "Nationality", "public", "Names by country: predicted classes and perplexity.", HIDDEN),
    ("language_models", "What models write", "forum", "What a model writes about one name or another.", HIDDEN),
    ("answers", "Answers to people", "record_voice_over", "Does a model answer one person as another?", HIDDEN),
    ("present", "Present", "slideshow", "One finding a view, in large type.", HIDDEN),
)
#: Addresses that pages had before: they show the page that has the same now, which asks `page_shown` which part.
MOVED = {"why": "names", "matrix": "sentences", "mitigate": "compare"}
#: Audits that have a page of their own above, by the plug-in's id; the others are shown by the page for any audit.
OWN_PAGE = {"eec": "equity", "generation": "language_models", "chats": "answers", "nationality": "nationality"}
OF_STUDY = {*(stem for stem, *_, door in PAGES if door in (STUDY, PART)), "present", *MOVED}
RULES = Path(__file__).with_suffix(".css")
_frame = threading.local()
_PAGE_LOCK = page_scoring.FairLock(page_scoring.PAGE_TURN_SECONDS)


def run_app() -> None:
    """Draw the frame and the requested page; called only by ``app.py``."""
    st.html(RULES)  # ahead of all else: a browser that has the rules before the page draws it in its place
    _configure()
    with show_errors("The server is misconfigured"):
        limits.check_settings()
    internals.watch_closed_tabs()
    with suppress(OSError, PsaError):  # start the runs whose turn has come, delete those that are too old
        jobs.advance()
        run_status.sweep()
    st.logo(str(ROOT / "static" / "icon.svg"), size="large")
    visitor.require_login()
    # The parameters first: a browser that turned the page before it knew them would remember an address without any.
    is_open = state.is_study_linked()
    with internals.defer() as turn:
        page = st.navigation(pages(is_open, _study_noun()), position="top")
    state.sync(page.url_path)
    turn()
    if is_open != (state.view().run is not None):  # a step back closed it, or opened it
        st.rerun()
    _configure(page.title)
    _frame.drawn, _frame.shown = True, page.url_path
    try:
        with (
            _PAGE_LOCK.turn(),
            st.container(horizontal_alignment="center"),
            st.container(width=PAGE_WIDTH, height=1, border=False, key="page"),
        ):
            # Always there: a fragment that comes and goes would move the page, and the focus would be lost.
            with st.container():
                address.write_waiting()
            page.run()
    finally:
        _frame.drawn = False
        internals.freeze_modules()


def guard() -> None:
    """Must be called first on every page: act with the visitor's rights, and require a login if one is set up."""
    trust.act_for(visitor.origin())
    typography.texts_are(_study_noun() if page_shown() in OF_STUDY else "sentence")
    if not getattr(_frame, "drawn", False):
        visitor.require_login()


def _configure(title: str = "") -> None:
    """Set title and icon; without an icon of our own the browser would fetch the page's from a font server."""
    words = f"{title} · {PRODUCT}" if title else PRODUCT
    st.set_page_config(
        page_title=words, page_icon=str(ROOT / "static" / "icon.png"), layout="wide", initial_sidebar_state="collapsed"
    )


def open_study_has(noun: str) -> None:
    """Say what the texts of the open study are called, on this page and in the navigation."""
    typography.texts_are(noun)
    if noun != _study_noun():
        st.session_state["study_noun"] = noun
        if getattr(_frame, "drawn", False):
            st.rerun()


def _study_noun() -> str:
    return str(st.session_state.get("study_noun", "sentence"))


def pages(is_open: bool = False, noun: str = "sentence") -> list[st.Page]:  # type: ignore[valid-type]
    """All pages; the navigation shows the entry pages, and the parts of a study while one is open.

    Without sections, whose folded menu is no valid list to a screen reader.
    """
    found = []
    for stem, title, icon, help_text, door in PAGES:
        is_shown = door in (TRY, STUDY, AUDITS) or (door == PART and is_open)
        first = stem == PAGES[0][0]
        found.append(
            st.Page(
                _path(stem),
                title="Your study" if door == STUDY and not is_open else called(title, noun),
                icon=f":material/{icon}:",
                help=help_text,
                default=first,
                url_path="start" if first else None,  # it is at the root, and under its own name for who types that
                visibility="visible" if is_shown else "hidden",
            )
        )
    titles = {stem: title for stem, title, *_ in PAGES}
    for address_before, stem in {PAGES[0][0]: PAGES[0][0], **MOVED}.items():
        found.append(st.Page(_path(stem), title=titles[stem], url_path=address_before, visibility="hidden"))
    for audit in _added_audits():
        found.append(_audit_page(audit))
    return found


def _audit_page(audit: Any) -> st.Page:  # type: ignore[valid-type]
    return st.Page(_path("audit"), title=audit.title, url_path=audit.id, visibility="hidden")


def _added_audits() -> list[Any]:
    added = [name for name in registry.names_in("psa_core.audits") if name not in OWN_PAGE]
    return [registry.discover("psa_core.audits", "AUDIT")[name] for name in added]


def page_shown() -> str:
    """The URL path of the current page; empty where a page runs alone."""
    return str(getattr(_frame, "shown", ""))


def _path(stem: str) -> str:
    """Relative to ``app.py``, so that a page that runs alone finds none and stays alone."""
    return f"pages/{stem}.py"


def link(stem: str, label: str | None = None, icon: str | None = None) -> None:
    """A link to another page by its file name, in the page's own words unless `label` says otherwise."""
    title, own_icon = next((title, icon) for name, title, icon, *_ in PAGES if name == stem)
    try:
        st.page_link(_path(stem), label=in_words(label or title), icon=icon or f":material/{own_icon}:")
    except StreamlitAPIException:  # the page runs alone, in a test
        st.markdown(label or title)


def go_to(stem: str) -> None:
    """Switch to another page by its file name, or offer a link where this page runs alone."""
    try:
        st.switch_page(_path(stem))
    except StreamlitAPIException:
        link(stem)


def cards(stems: Collection[str]) -> None:
    """Links to pages side by side, each with the question that it answers."""
    with st.grid(min_column_width=250):
        for name, title, _, help_text, _ in PAGES:
            if name in stems:
                with st.container(border=True, height="stretch"):
                    link(name, title)
                    st.caption(in_words(help_text))


def audit_cards() -> None:
    cards(OWN_PAGE.values())
    for audit in _added_audits():
        with st.container(border=True), suppress(StreamlitAPIException):
            st.page_link(_audit_page(audit), icon=":material/fact_check:")
            st.caption(audit.question)


def heading(title: str, question: str) -> None:
    """The page's title and, beside it where there is room, the question that it answers."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(in_words(title), anchor=False, width="content")
        st.markdown(f":gray[{in_words(question)}]", width="content")


@contextmanager
def headline_slot() -> Iterator[st.delta_generator.DeltaGenerator]:
    """A place, with its room in `shell.css`, for the finding that is known only after what stands beneath it."""
    place = st.container(key="verdict")
    place.empty()  # a container without anything in it takes no room
    yield place


def problem(error: PsaError, title: str = "That did not work") -> None:
    """Say what happened and what to do about it; the words may be the user's own, so they are never markdown."""
    with st.container(border=True, key=None):
        st.markdown(f":red[:material/error: **{title}**]")
        st.text(error.happened)
        st.text(error.remedy)


@contextmanager
def show_errors(title: str = "That did not work", *, then: Callable[[], None] | None = None) -> Iterator[None]:
    """Show a `PsaError` raised inside as one sentence with what to do, and end the page there."""
    try:
        yield
    except PsaError as error:
        problem(error, title)
        if then:
            then()
        st.stop()


@contextmanager
def report_errors(title: str = "That did not work") -> Iterator[None]:
    """The same for callbacks: the problem is shown above the page, which is then drawn as before."""
    try:
        yield
    except PsaError as error:
        problem(error, title)


@contextmanager
def step(number: int, title: str, hint: str) -> Iterator[None]:
    """A bordered section under a number, a title and one plain sentence; an error in it ends the page there."""
    with st.container(border=True, key=f"step_{number}"):
        words, work = st.columns([3, 10], gap="medium")
        words.header(f":primary[{number}]\u2002{title}", anchor=False)
        words.markdown(f":gray[{hint}]")
        with work, show_errors():
            yield


def wait_for(words: str) -> NoReturn:
    """Say what is missing before the page can go on, and end it there."""
    st.info(words, icon=":material/pending:")
    st.stop()
