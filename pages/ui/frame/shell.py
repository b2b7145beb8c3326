"""The frame around every page: navigation, heading, the open study, messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.ui.frame import address, closed_tabs, gc_tuning, login, message_batching, page_lock, permissions, state
from pages.ui.frame.keys import Key
from psa_core import jobs, registry, trust
from psa_core.errors import PsaError
from psa_core.inputs import limits
from psa_core.jobs import retention

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = "Perturbation sensitivity"
PAGE_WIDTH = 1360
PAGES = (
    ("try_it", "Try it", "science", "Type one sentence and see every name's score at once. Needs no upload."),
    ("study", "Study", "assignment", "Many sentences, many names, one model: set up a study, run it, open an old one."),
    ("names", "Names", "groups", "Which names move the score, by how much, and how surely."),
    ("why", "Why", "help", "What goes with a name's effect, and would it be found again?"),
    ("thresholds", "Thresholds", "tune", "How many labels change with the name, at every threshold."),
    ("sentences", "Sentences", "swap_horiz", "The sentences whose label changes with the name, one by one."),
    (
        "matrix",
        "Matrix",
        "grid_on",
        "Every sentence and every name in one picture; names that behave alike stand together.",
    ),
    ("compare", "Compare", "compare_arrows", "Models and corpora side by side."),
    ("mitigate", "Mitigate", "healing", "Average over names or retrain, and measure on other names."),
    ("report", "Report", "download", "Everything in one folder: preview, download, open again."),
    ("equity", "Equity", "balance", "The Equity Evaluation Corpus audit: gender and race, pair by pair."),
    ("nationality", "Nationality", "public", "Names by country: changes of the predicted class and perplexity."),
    ("language_models", "Language models", "forum", "What a generator writes about countries, occupations and names."),
    ("present", "Present", "slideshow", "One finding a view, in large type."),
)
HIDDEN = ("present",)
#: Audits that have a page of their own above; what is added to them is shown by the page for any audit.
OWN_PAGE = ("eec", "generation", "nationality")
#: Seconds in which a page shows nothing new rather than something that moves.
WORTH_WAITING = 1.0
RULES = Path(__file__).with_suffix(".css")
_frame = threading.local()
_PAGE_LOCK = page_lock.FairLock(page_lock.PAGE_TURN_SECONDS)


def run_app() -> None:
    """Draw the frame and the page that was asked for; called by ``app.py`` alone."""
    is_new = Key.SEEN not in st.session_state
    st.session_state[Key.SEEN] = True
    if is_new:  # ahead of all else: a browser that has the rules before the page draws it in its place
        st.html(RULES)
    with message_batching.batch():
        if not is_new:
            st.html(RULES)
        _run()


def _run() -> None:
    _configure()
    with show_errors("The server is misconfigured"):
        limits.check_settings()
    _keep_house()
    st.logo(str(ROOT / "static" / "icon.svg"), size="large")
    login.require()
    # The parameters first: a browser that turned the page before it knew them would remember an address without any.
    with message_batching.defer() as turn:
        page = st.navigation(pages(), position="top")
    state.sync(page.title)
    turn()
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
                address.write_typed()
            page.run()
    finally:
        _frame.drawn = False
        gc_tuning.freeze_modules()


def _keep_house() -> None:
    """Housekeeping at each page visit: start the runs whose turn has come, delete those that are too old."""
    closed_tabs.watch()
    with suppress(OSError, PsaError):
        jobs.advance()
        retention.sweep()


def guard() -> None:
    """To be called first on every page: act for its visitor, and show it inside the frame.

    A deep link right after a server start would run the page without ``app.py``: a folder called ``pages`` is served
    page by page until some session has reached ``st.navigation``; declaring the pages and running again puts the frame
    back.
    """
    trust.act_for(permissions.origin())
    if getattr(_frame, "drawn", False):
        return
    login.require()
    try:
        _configure()
        st.navigation(pages(), position="hidden")
    except StreamlitAPIException:  # the page runs alone, in a test
        return
    st.rerun()


def _configure(title: str = "") -> None:
    """Set title and icon; without an icon of our own the browser would fetch the page's from a font server."""
    words = f"{title} · {PRODUCT}" if title else PRODUCT
    st.set_page_config(
        page_title=words, page_icon=str(ROOT / "static" / "icon.png"), layout="wide", initial_sidebar_state="collapsed"
    )


def pages() -> list[st.Page]:  # type: ignore[valid-type]
    """The pages that are there, in order; without sections, whose folded menu is no valid list to a screen reader."""
    found: list[st.Page] = []  # type: ignore[valid-type]
    for stem, title, icon, help_text in PAGES:
        if _is_there(stem):
            first = stem == PAGES[0][0]
            page = st.Page(
                _path(stem),
                title=title,
                icon=f":material/{icon}:",
                help=help_text,
                default=first,
                url_path="start" if first else None,
                visibility="hidden" if stem in HIDDEN else "visible",
            )
            found.append(page)
            if first:  # the first page is at the root; this one is for who types its address
                found.append(st.Page(_path(stem), title=title, url_path=stem, visibility="hidden"))
    added = [name for name in registry.names_in("psa_core.audits") if name not in OWN_PAGE]
    for audit in (registry.discover("psa_core.audits", "AUDIT")[name] for name in added):
        found.append(st.Page(_path("audit"), title=audit.title, icon=":material/fact_check:", url_path=audit.id))
    return found


def page_shown() -> str:
    """What the address calls the page that is drawn; empty where a page runs alone."""
    return str(getattr(_frame, "shown", ""))


def _path(stem: str) -> str:
    """Relative to ``app.py``, so that a page that runs alone finds none and stays alone."""
    return f"pages/{stem}.py"


def _is_there(stem: str) -> bool:
    return (ROOT / _path(stem)).is_file()


def link(stem: str, label: str | None = None, icon: str | None = None) -> None:
    """A link to another page by its file name, in the page's own words unless `label` says otherwise."""
    title, own_icon = next((title, icon) for name, title, icon, _ in PAGES if name == stem)
    if not _is_there(stem):
        return
    try:
        st.page_link(_path(stem), label=label or title, icon=icon or f":material/{own_icon}:")
    except StreamlitAPIException:  # the page runs alone, in a test
        st.markdown(label or title)


def go_to(stem: str) -> None:
    """Turn to another page by its file name, or offer a link where this page runs alone."""
    try:
        st.switch_page(_path(stem))
    except StreamlitAPIException:
        link(stem)


def cards(stems: Sequence[str]) -> None:
    """Links to pages side by side, each with the question that it answers."""
    with st.grid(min_column_width=250):
        for name, title, _, help_text in PAGES:
            if name in stems and _is_there(name):
                with st.container(border=True, height="stretch"):
                    link(name, title)
                    st.caption(help_text)


def heading(title: str, question: str) -> None:
    """The page's title and, beside it where there is room, the question that it answers."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(title, anchor=False, width="content")
        st.markdown(f":gray[{question}]", width="content")


@contextmanager
def headline_slot() -> Iterator[st.delta_generator.DeltaGenerator]:
    """A place for the finding that is known only after what stands beneath it; neither is shown without the other."""
    with message_batching.batch(WORTH_WAITING):
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
    """Show a `PsaError` raised inside as one sentence, with a way on, and end the page there."""
    try:
        yield
    except PsaError as error:
        problem(error, title)
        if then:
            then()
        st.stop()


@contextmanager
def report_errors(title: str = "That did not work") -> Iterator[None]:
    """The same in what a click calls: the problem is told above the page, which is then drawn as it was."""
    try:
        yield
    except PsaError as error:
        problem(error, title)


def wait_for(words: str) -> NoReturn:
    """Say what is missing before the page can go on, and end it there."""
    st.info(words, icon=":material/pending:")
    st.stop()
